"""Writes cute_algebra.txt: results of layout algebra from CUTLASS's own Python model.

  PYTHONPATH=<cutlass>/python python3 cute_algebra.py > cute_algebra.txt

pycute checks less than the C++ library. Rows in which its answer is not the right function are left out.
"""
import random

from pycute import (Layout, coalesce, complement, composition, cosize, flatten, left_inverse, logical_divide, logical_product,
                    make_layout, right_inverse, size, zipped_divide)


def tuples(rng, depth):
    if depth == 0 or rng.random() < 0.5:
        return rng.choice([1, 2, 2, 3, 4, 4, 5, 6, 8])
    return tuple(tuples(rng, depth - 1) for _ in range(rng.randint(1, 3)))


def strides(rng, shape):
    """Random strides, often compact in some order, sometimes with gaps and zeros."""
    flat = []

    def leaves(s):
        if isinstance(s, tuple):
            for x in s:
                leaves(x)
        else:
            flat.append(s)
    leaves(shape)
    order = list(range(len(flat)))
    rng.shuffle(order)
    out, step = [0] * len(flat), 1
    for i in order:
        out[i] = 0 if rng.random() < 0.1 else step
        step *= flat[i] * (rng.choice([1, 1, 1, 2, 3]))
    it = iter(out)

    def build(s):
        return tuple(build(x) for x in s) if isinstance(s, tuple) else next(it)
    return build(shape)


def layout(rng):
    shape = tuples(rng, 2)
    return Layout(shape, strides(rng, shape))


def text(t):
    if isinstance(t, Layout):
        return f"{text(t.shape)}:{text(t.stride)}"
    return "(" + ",".join(text(x) for x in t) + ")" if isinstance(t, tuple) else str(t)


def same(a, b, n):
    return all(a(i) == b(i) for i in range(n))


def main():
    rng = random.Random(3)
    print("# operation | operands | result, of NVIDIA/cutlass python/pycute at 7107b055; written by cute_algebra.py")
    rows = set()
    while len(rows) < 600:
        a, b, n = layout(rng), layout(rng), rng.choice([1, 4, 12, 24, 60])
        name = rng.choice(["coalesce", "composition", "complement", "right_inverse", "left_inverse", "logical_divide",
                           "zipped_divide", "logical_product"])
        if size(a) > 512 or size(b) > 512:
            continue
        try:
            if name == "coalesce":
                r, operands = coalesce(a), [a]
            elif name == "composition":
                r, operands = composition(a, b), [a, b]
                if size(r) != size(b) or not all(r(i) == a(b(i)) for i in range(size(b))):
                    continue
            elif name == "complement":
                r, operands = complement(a, n), [a, n]
            elif name == "right_inverse":
                if 0 in flatten(a.stride):
                    continue  # pycute stops at the first mode of stride 0, the C++ library does not
                r, operands = right_inverse(a), [a]
            elif name == "left_inverse":
                r, operands = left_inverse(a), [a]
                if cosize(a) != size(a):
                    continue  # the C++ library may choose another complement
            elif name in ("logical_divide", "zipped_divide"):
                tile = b
                f = logical_divide if name == "logical_divide" else zipped_divide
                r, operands = f(a, tile), [a, tile]
                parts = make_layout(tile, complement(tile, size(a)))
                if size(a) % size(tile) or size(r) != size(parts) or not all(r(i) == a(parts(i)) for i in range(size(parts))):
                    continue
            else:
                r, operands = logical_product(a, b), [a, b]
                c = complement(a, size(a) * cosize(b))
                if size(r[1]) != size(b) or not all(r[1](i) == c(b(i)) for i in range(size(b))):
                    continue
        except (AssertionError, ZeroDivisionError, IndexError):
            continue
        rows.add(" | ".join([name] + [text(x) for x in operands] + [text(r)]))
    print("\n".join(sorted(rows)))


main()
