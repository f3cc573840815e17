#!/usr/bin/env python3
"""Writes packages that show how the tensor cores round: inexact sums with wgmma and mma.sync of every float type.

  tests/gpu/rounding.py FOLDER [--scale 1.0] [--seed 1] [--inputs] [--lanescope build/release/bin/lanescope]
  tests/gpu/run.sh FOLDER RESULTS
  tests/gpu/rounding.py FOLDER --golden RESULTS > tests/golden/tensor_sums.txt      the GPU's results, a few of each

Each package is one instruction (types, depth, one step or a chain of four), run on many pairs of random tiles: narrow
and wide ranges of exponents, terms that cancel, subnormals, zeros, infinities and NaNs, overflow, and rows of three
terms (+X, -X and a small one) that show which bits of the small one survive. The expected outputs are the emulator's;
--inputs leaves them out. --scale: more or fewer tiles. Needs the standard library and `lanescope`, but no GPU.
"""
import argparse
import pathlib
import random
import struct
from fractions import Fraction

from instructions import BITS, HEAD, buffer, emulated
from make_packages import package

#         mantissa bits, exponent bits, bias
FORMATS = {"f16": (10, 5, 15), "bf16": (7, 8, 127), "tf32": (10, 8, 127), "e4m3": (3, 4, 7), "e5m2": (2, 5, 15),
           "f32": (23, 8, 127), "f64": (52, 11, 1023)}
SEED = 1
MODES = ("narrow", "medium", "wide", "cancel", "subnormal", "special", "zeros", "few", "reveal", "large")
FLOAT_PAIRS = [("f16", "f16", "f32"), ("bf16", "bf16", "f32"), ("tf32", "tf32", "f32"), ("f16", "f16", "f16")] + [
    (a, b, r) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2") for r in ("f32", "f16")]


class Maker:
    """Makes elements of one type as bits."""

    def __init__(self, rng, kind):
        self.rng, self.kind = rng, kind
        self.mantissa, exponents, self.bias = FORMATS[kind]
        self.low = 1 - self.bias
        self.high = (1 << exponents) - 1 - self.bias - (0 if kind == "e4m3" else 1)
        self.sign = self.mantissa + exponents
        self.infinity = None if kind == "e4m3" else ((1 << exponents) - 1) << self.mantissa
        self.nan_from = 0x7F if kind == "e4m3" else self.infinity + 1
        self.pad = 13 if kind == "tf32" else 0  # unused low bits

    def done(self, bits):
        return bits << self.pad | (self.rng.getrandbits(13) if self.pad else 0)

    def number(self, exponent, fraction=None, negative=None):
        """+-1.fraction * 2^exponent, clamped to the type's range."""
        fraction = self.rng.getrandbits(self.mantissa) if fraction is None else fraction
        negative = self.rng.getrandbits(1) if negative is None else negative
        if exponent < self.low:
            drop = self.low - exponent
            bits = (fraction | 1 << self.mantissa) >> drop
        else:
            bits = (min(exponent, self.high) + self.bias) << self.mantissa | fraction
            if self.kind == "e4m3" and bits == 0x7F:
                bits = 0x7E
        return self.done(bits | negative << self.sign)

    def any(self):
        bits = self.rng.getrandbits(self.sign + 1)
        magnitude = bits & ((1 << self.sign) - 1)
        if magnitude >= (self.infinity or 0x7F):
            return self.done(bits & ~(1 << (self.sign - 1)))
        return self.done(bits)

    def zero(self):
        return self.done(self.rng.getrandbits(1) << self.sign) if not self.pad else self.rng.getrandbits(1) << 31

    def subnormal(self):
        return self.done(self.rng.getrandbits(self.mantissa) | self.rng.getrandbits(1) << self.sign)

    def special(self):
        pick = self.rng.randrange(3)
        if pick == 0 or self.infinity is None:
            return self.done(((1 << self.sign) - 1 if self.kind == "e4m3" else
                              self.nan_from + self.rng.randrange(1 << (self.mantissa - 1))) | self.rng.getrandbits(1) << self.sign)
        if pick == 1:
            return self.infinity << self.pad | self.rng.getrandbits(1) << (self.sign + self.pad)
        return self.zero()

    def negated(self, bits):
        return bits ^ 1 << (self.sign + self.pad)


def tile(rng, mode, a, b, c, m, n, k):
    """A: m rows of k, B: n columns of k, C: m rows of n."""
    left, right, old = Maker(rng, a), Maker(rng, b), Maker(rng, c)
    limit = lambda maker, e: max(maker.low - maker.mantissa, min(maker.high, e))
    ca, cb = rng.randint(-4, 4), rng.randint(-4, 4)
    if mode in ("narrow", "medium"):
        spread = 2 if mode == "narrow" else 7
        if a in ("bf16", "tf32") and rng.random() < 0.5:
            ca, cb = rng.randint(-60, 60), rng.randint(-60, 60)
        cell = lambda maker, centre: maker.number(limit(maker, centre + rng.randint(-spread, spread)))
        A = [[cell(left, ca) for _ in range(k)] for _ in range(m)]
        B = [[cell(right, cb) for _ in range(k)] for _ in range(n)]
    elif mode == "wide":
        A = [[left.any() for _ in range(k)] for _ in range(m)]
        B = [[right.any() for _ in range(k)] for _ in range(n)]
        ca, cb = rng.randint(left.low, left.high), rng.randint(right.low, right.high)
    elif mode == "cancel":
        # Pairs of equal elements of A and opposite elements of B; the rest is small.
        order = list(range(k))
        rng.shuffle(order)
        A = [[left.number(limit(left, rng.randint(-12, 2))) for _ in range(k)] for _ in range(m)]
        B = [[right.number(limit(right, rng.randint(-4, 2))) for _ in range(k)] for _ in range(n)]
        for p in range(0, k // 2 - 1, 2):
            for row in A:
                row[order[p]] = row[order[p + 1]] = left.number(limit(left, rng.randint(2, 8)))
            for column in B:
                column[order[p + 1]] = right.negated(column[order[p]])
    elif mode == "subnormal":
        near = lambda maker: maker.subnormal() if rng.random() < 0.6 else maker.number(maker.low + rng.randint(0, 3))
        up = rng.choice((0, 0, 10, 126)) if a in ("bf16", "tf32") else rng.choice((0, 0, 6))
        A = [[near(left) for _ in range(k)] for _ in range(m)]
        B = [[near(right) if up == 0 else right.number(limit(right, up + rng.randint(-3, 0))) for _ in range(k)] for _ in range(n)]
        ca, cb = left.low - left.mantissa, (right.low - right.mantissa if up == 0 else up)
    elif mode == "special":
        rate = 0.5 / k
        cell = lambda maker: maker.special() if rng.random() < rate else maker.number(limit(maker, rng.randint(-3, 3)))
        A = [[cell(left) for _ in range(k)] for _ in range(m)]
        B = [[cell(right) for _ in range(k)] for _ in range(n)]
    elif mode == "zeros":
        cell = lambda maker: maker.zero() if rng.random() < 0.7 else maker.any()
        A = [[cell(left) for _ in range(k)] for _ in range(m)]
        B = [[cell(right) for _ in range(k)] for _ in range(n)]
    elif mode == "few":
        A = [[left.zero() for _ in range(k)] for _ in range(m)]
        for row in A:
            for p in rng.sample(range(k), rng.randint(1, min(4, k))):
                row[p] = left.any()
        B = [[right.any() for _ in range(k)] for _ in range(n)]
    elif mode == "reveal":
        # +X, -X and a small one. Half of the columns multiply some of them by 0, to see if the exponent of 0 * X
        # counts.
        A = [[left.zero() for _ in range(k)] for _ in range(m)]
        top = rng.randint(0, left.high)
        for row in A:
            places = rng.sample(range(k), min(4, k))
            x = left.number(limit(left, top), negative=0)
            row[places[0]], row[places[1]] = x, left.negated(x)
            row[places[2]] = left.number(limit(left, top - rng.randint(1, 40)))
            if rng.random() < 0.5:
                row[places[3 % len(places)]] = left.number(limit(left, top - rng.randint(1, 40)))
        B = []
        for column in range(n):
            e, hide = rng.randint(limit(right, -4), limit(right, 6)), column >= n // 2
            B.append([right.zero() if hide and rng.random() < 0.4 else right.number(e, 0, 0) for _ in range(k)])
        ca, cb = top, 0
    else:  # large
        A = [[left.number(left.high - rng.randint(0, 2)) for _ in range(k)] for _ in range(m)]
        B = [[right.number(right.high - rng.randint(0, 2)) for _ in range(k)] for _ in range(n)]
        ca, cb = left.high, right.high

    def accumulator():
        pick = rng.random()
        if mode == "special" and pick < 0.1:
            return old.special()
        if pick < 0.15:
            return old.zero()
        if mode == "subnormal" and pick < 0.5:
            return old.subnormal()
        if mode == "large" and pick < 0.5:
            return old.number(old.high - rng.randint(0, 3))
        if pick < 0.3:
            return old.number(rng.randint(old.low, old.high))
        if pick < 0.4:
            return old.number(limit(old, ca + cb + rng.randint(-30, 40)), 0)
        return old.number(limit(old, ca + cb + rng.randint(-14, 16)))

    return A, B, [[accumulator() for _ in range(n)] for _ in range(m)]


def packed(row, bits):
    """Elements side by side in 32-bit words."""
    per = 32 // bits
    return [sum(row[w * per + e] << (bits * e) for e in range(per)) for w in range(len(row) // per)]


def modes(rng, count):
    return [MODES[n % len(MODES)] for n in range(count)]


def result_words(C, half, lane_rows):
    """Accumulator fragments of m16n8 per lane: rows l/4 and l/4 + 8, columns 2*(l%4) and the next."""
    words = []
    for base in range(0, lane_rows, 16):
        for lane in range(32):
            rows = (base + lane // 4, base + lane // 4 + 8)
            values = [C[r][2 * (lane % 4) + e] for r in rows for e in (0, 1)]
            words += [values[0] | values[1] << 16, values[2] | values[3] << 16] if half else values
    return words


def value(kind, bits):
    """An element as a fraction; None for infinities and NaNs."""
    (mantissa, exponents, bias), special = FORMATS[kind], kind != "e4m3"
    bits >>= 13 if kind == "tf32" else 0
    fraction, exponent = bits & ((1 << mantissa) - 1), bits >> mantissa & ((1 << exponents) - 1)
    if exponent == (1 << exponents) - 1 and (special or fraction == (1 << mantissa) - 1):
        return None
    whole = fraction | (1 << mantissa if exponent else 0)
    scale = max(exponent, 1) - bias - mantissa
    return (-1) ** (bits >> (mantissa + exponents) & 1) * (Fraction(whole << scale) if scale >= 0 else Fraction(whole, 1 << -scale))


def half_or_word(words, base, element, half):
    return words[base + element // 2] >> (16 * (element % 2)) & 0xFFFF if half else words[base + element]


GOLDEN = None  # a GPU's results


def golden(name, title, kinds, tiles, at, one=False):
    """Prints a sum of each kind of tile, if possible one that had to be rounded."""
    if not GOLDEN:
        return
    raw = (GOLDEN / name / "out.npy").read_bytes()
    begin = 10 + struct.unpack("<H", raw[8:10])[0]
    words = struct.unpack(f"<{(len(raw) - begin) // 4}I", raw[begin:])
    a, b, result = kinds[:3]
    digits = lambda kind: {"f64": 16, "f32": 8, "tf32": 8, "e4m3": 2, "e5m2": 2}.get(kind, 4)
    rng = random.Random(title)
    for mode in range(len(MODES)):
        for _ in range(200):
            n = rng.randrange(len(tiles) // len(MODES)) * len(MODES) + mode
            A, B, C = tiles[n]
            row, column = (0, 0) if one else (rng.randrange(len(A)), rng.randrange(len(B)))
            left, right, old, new = A[row], B[column], C[row][column], at(n, row, column, words)
            numbers = [value(a, x) for x in left] + [value(b, x) for x in right] + [value(kinds[-1], old), value(result, new)]
            if any(x is None for x in numbers):
                if MODES[mode] != "special":
                    continue
                break
            k = len(left)
            if sum(x * y for x, y in zip(numbers, numbers[k:2 * k])) + numbers[-2] != numbers[-1]:
                break
        hexadecimal = lambda kind, row: "".join(f"{x:0{digits(kind)}x}" for x in row)
        print(title, hexadecimal(a, left), hexadecimal(b, right), hexadecimal(kinds[-1], [old]), hexadecimal(result, [new]))


def wgmma(folder, write, scale):
    variants = [(a, b, r, 1, "", 120) for a, b, r in FLOAT_PAIRS] + [(a, b, r, 4, "", 40) for a, b, r in FLOAT_PAIRS]
    variants += [("f16", "f16", "f32", 1, extra, 20) for extra in ("registers", "fresh", "negated")]
    variants += [("e4m3", "e4m3", "f32", 1, extra, 20) for extra in ("registers", "fresh", "negated")]
    variants += [("bf16", "bf16", "f32", 1, "fresh", 20), ("f16", "f16", "f16", 1, "fresh", 20), ("f16", "f16", "f16", 1, "negated", 20)]
    for a, b, r, steps, extra, count in variants:
        name = f"round_wgmma_{a}_{b}_{r}" + ("_chain" if steps > 1 else "") + (f"_{extra}" if extra else "")
        rng = random.Random(name if SEED == 1 else f"{name} {SEED}")
        count = max(10, int(count * scale))
        bits, half = BITS[a], r == "f16"
        depth, registers = 256 // bits, 2 if half else 4
        operands, olds, tiles = [], [], []
        for mode in modes(rng, count):
            image_a, image_b, C = [], [], None
            for step in range(steps):
                A, B, fresh = tile(rng, mode, a, b, r, 64, 8, depth)
                C = C or fresh
                # Core matrices have 8 rows of 16 bytes. The two along K are next to each other.
                for rows, image in ((A, image_a), (B, image_b)):
                    words = [packed(row, bits) for row in rows]
                    if extra == "registers" and rows is A:
                        # Register i of lane l of warp w: row 16w + l/4 + 8*(i%2), bytes 4*(l%4) + 16*(i/2).
                        image += [words[t // 32 * 16 + t % 32 // 4 + 8 * (i % 2)][t % 4 + 4 * (i // 2)] for t in range(128) for i in range(4)]
                    else:
                        image += [w for group in range(0, len(words), 8) for k in (0, 4) for row in words[group:group + 8] for w in row[k:k + 4]]
            operands += image_a + image_b
            olds += result_words(C, half, 64)
            tiles.append((A, B, C))
        total = steps * 576
        group = ", ".join(f"%acc{n}" for n in range(registers))
        descriptor = 128 // 16 << 16 | 256 // 16 << 32
        sign = "-1" if extra == "negated" else "1"
        more = f", 1, {sign}" + ("" if bits != 16 else ", 0" if extra == "registers" else ", 0, 0")
        body = HEAD + f""".extern .shared .align 1024 .b8 smem[];
.visible .entry k(.param .u64 in, .param .u64 old, .param .u64 out)
{{
  .reg .pred %p; .reg .b32 %t, %s, %n, %v, %b, %acc<4>, %left<4>; .reg .b64 %P, %Q, %R, %o, %da, %db;
  ld.param.u64 %P, [in]; ld.param.u64 %R, [old]; ld.param.u64 %Q, [out];
  mov.u32 %t, %tid.x; mov.u32 %s, smem; mov.u32 %b, %ctaid.x;
  mul.wide.u32 %o, %b, {4 * total}; add.u64 %P, %P, %o;
  mul.wide.u32 %o, %b, {512 * registers}; add.u64 %R, %R, %o; add.u64 %Q, %Q, %o;
  mul.wide.u32 %o, %t, {4 * registers}; add.u64 %R, %R, %o; add.u64 %Q, %Q, %o;
  mul.wide.u32 %o, %t, 16; add.u64 %o, %P, %o;
"""
        body += "".join(f"  ld.global.b32 %left{i}, [%o+{4 * i}];\n" for i in range(4)) if extra == "registers" else ""
        body += f"""  mul.wide.u32 %o, %t, 4; add.u64 %P, %P, %o;
  shl.b32 %v, %t, 2; add.u32 %v, %s, %v; mov.u32 %n, %t;
COPY:
  ld.global.b32 %acc0, [%P]; st.shared.b32 [%v], %acc0;
  add.u64 %P, %P, 512; add.u32 %v, %v, 512; add.u32 %n, %n, 128;
  setp.lt.u32 %p, %n, {total}; @%p bra COPY;
  fence.proxy.async.shared::cta; bar.sync 0;
""" + "".join(f"  ld.global.b32 %acc{n}, [%R+{4 * n}];\n" for n in range(registers))
        body += f"  setp.{'eq' if extra == 'fresh' else 'ne'}.u32 %p, %n, 0;\n  wgmma.fence.sync.aligned;\n"
        for step in range(steps):
            body += f"""  add.u32 %v, %s, {2048 * step}; shr.u32 %v, %v, 4; cvt.u64.u32 %da, %v; or.b64 %da, %da, {descriptor};
  add.u32 %v, %s, {2048 * steps + 256 * step}; shr.u32 %v, %v, 4; cvt.u64.u32 %db, %v; or.b64 %db, %db, {descriptor};
  wgmma.mma_async.sync.aligned.m64n8k{depth}.{r}.{a}.{b} {{{group}}}, {'{%left0, %left1, %left2, %left3}' if extra == 'registers' else '%da'}, %db, %p{more};
"""
        body += "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n"
        body += "".join(f"  st.global.b32 [%Q+{4 * n}], %acc{n};\n" for n in range(registers)) + "  ret;\n}\n"
        launch = {"entry": "k", "grid": [count, 1, 1], "block": [128, 1, 1], "dynamic_smem": 4 * total + 1024,
                  "params": [buffer("in", (count, total), data="in.npy"), buffer("old", (count, 128, registers), data="old.npy"),
                             buffer("out", (count, 128, registers), out="out.npy")]}
        write(folder, name, body, launch, [("in.npy", "u32", (count, total), operands),
                                           ("old.npy", "u32", (count, 128, registers), olds)])
        if steps == 1 and extra != "registers":
            golden(name, f"wgmma.m64n8k{depth}.{r}.{a}.{b}{'.' if extra else ''}{extra}", (a, b, r), tiles, lambda n, row, column, words: half_or_word(
                words, (n * 128 + row // 16 * 32 + row % 8 * 4 + column // 2) * registers, row % 16 // 8 * 2 + column % 2, half))


def mma_kernel(instruction, a, b, c, d):
    """A kernel in which every lane loads its a + b + c words and stores d."""
    every = a + b + c
    group = lambda first, count: "{" + ", ".join(f"%r{first + i}" for i in range(count)) + "}"
    return HEAD + f""".visible .entry k(.param .u64 in, .param .u64 out)
{{
  .reg .b32 %r<64>, %t, %b; .reg .b64 %P, %Q, %o;
  ld.param.u64 %P, [in]; ld.param.u64 %Q, [out];
  mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mad.lo.u32 %t, %b, 32, %t;
  mul.wide.u32 %o, %t, {4 * every}; add.u64 %P, %P, %o;
  mul.wide.u32 %o, %t, {4 * d}; add.u64 %Q, %Q, %o;
""" + "".join(f"  ld.global.b32 %r{i}, [%P+{4 * i}];\n" for i in range(every)) + (
        f"  {instruction} {group(every, d)}, {group(0, a)}, {group(a, b)}, {group(a + b, c)};\n") + "".join(
        f"  st.global.b32 [%Q+{4 * i}], %r{every + i};\n" for i in range(d)) + "  ret;\n}\n"


def write_mma(folder, write, name, ptx, lanes, words, d):
    count = len(lanes) // (32 * words)
    launch = {"entry": "k", "grid": [count, 1, 1], "block": [32, 1, 1],
              "params": [buffer("in", (count, 32, words), data="in.npy"), buffer("out", (count, 32, d), out="out.npy")]}
    write(folder, name, ptx, launch, [("in.npy", "u32", (count, 32, words), lanes)])


def mma(folder, write, scale):
    variants = [(k, a, a, r) for k, a, r in ((8, "f16", "f16"), (8, "f16", "f32"), (16, "f16", "f16"), (16, "f16", "f32"),
                (8, "bf16", "f32"), (16, "bf16", "f32"), (4, "tf32", "f32"), (8, "tf32", "f32"))]
    variants += [(k, a, b, r) for k in (16, 32) for a, b, r in FLOAT_PAIRS if BITS[a] == 8]
    for k, a, b, r in variants:
        name = f"round_mma_{a}_{b}_{r}_k{k}"
        rng = random.Random(name if SEED == 1 else f"{name} {SEED}")
        bits, half = BITS[a], r == "f16"
        na, nb, nc = 16 * k * bits // 1024, 8 * k * bits // 1024, 2 if half else 4
        lanes, tiles = [], []
        for mode in modes(rng, max(10, int(260 * scale))):
            A, B, C = tile(rng, mode, a, b, r, 16, 8, k)
            tiles.append((A, B, C))
            A, B, C = [packed(row, bits) for row in A], [packed(row, bits) for row in B], result_words(C, half, 16)
            for lane in range(32):
                lanes += [A[lane // 4 + 8 * (i % 2)][lane % 4 + 4 * (i // 2)] for i in range(na)]
                lanes += [B[lane // 4][lane % 4 + 4 * i] for i in range(nb)] + C[nc * lane:nc * lane + nc]
        ptx = mma_kernel(f"mma.sync.aligned.m16n8k{k}.row.col.{r}.{a}.{b}.{r}", na, nb, nc, nc)
        write_mma(folder, write, name, ptx, lanes, na + nb + nc, nc)
        golden(name, f"mma.m16n8k{k}.{r}.{a}.{b}", (a, b, r), tiles, lambda n, row, column, words: half_or_word(
            words, (n * 32 + row % 8 * 4 + column // 2) * nc, row // 8 * 2 + column % 2, half))


def volta(folder, write, scale):
    """m8n8k4 of f16, in which lanes 4q … 4q+3 and the lanes 16 higher multiply 8x4 by 4x8."""
    for d, c in (("f32", "f32"), ("f16", "f16"), ("f32", "f16")):
        name = f"round_mma_volta_{d}_{c}"
        rng = random.Random(name if SEED == 1 else f"{name} {SEED}")
        nc, nd, lanes, tiles = (4 if c == "f16" else 8), (4 if d == "f16" else 8), [], []
        for mode in modes(rng, max(10, int(100 * scale))):
            quads = [tile(rng, mode, "f16", "f16", c, 8, 8, 4) for _ in range(4)]
            tiles.append(quads[0])
            for lane in range(32):
                (A, B, C), upper, t = quads[lane % 16 // 4], 0 if lane < 16 else 4, lane % 4
                lanes += packed(A[t + upper], 16) + packed(B[t + upper], 16)
                if c == "f16":
                    lanes += packed(C[t + upper], 16)
                else:
                    lanes += [C[(lane & 1) + (e & 2) + upper][(e & 4) + (lane & 2) + (e & 1)] for e in range(8)]
        write_mma(folder, write, name, mma_kernel(f"mma.sync.aligned.m8n8k4.row.col.{d}.f16.f16.{c}", 2, 2, nc, nd), lanes, 4 + nc, nd)
        # Only row 0 and column 0, which lane 0 holds.
        golden(name, f"mma.m8n8k4.{d}.f16.f16.{c}", ("f16", "f16", d, c), tiles,
               lambda n, row, column, words: half_or_word(words, n * 32 * nd, 0, d == "f16"), one=True)


def doubles(folder, write, scale):
    for m, k in ((8, 4), (16, 4), (16, 8), (16, 16)):
        name = f"round_mma_f64_m{m}_k{k}"
        rng = random.Random(name if SEED == 1 else f"{name} {SEED}")
        na, nb, nc, lanes, tiles = m // 8 * k // 4, k // 4, m // 4, [], []
        split = lambda v: [v & 0xFFFFFFFF, v >> 32]
        for mode in modes(rng, max(10, int(60 * scale))):
            A, B, C = tile(rng, mode, "f64", "f64", "f64", m, 8, k)
            tiles.append((A, B, C))
            for lane in range(32):
                g, t = lane // 4, lane % 4
                values = [A[g + (8 * (r & 1) if m == 16 else 0)][t + 4 * (r >> 1 if m == 16 else r)] for r in range(na)]
                values += [B[g][t + 4 * r] for r in range(nb)] + [C[g + e // 2 * 8][2 * t + e % 2] for e in range(nc)]
                for value in values:
                    lanes += split(value)
        every = na + nb + nc
        group = lambda first, count: "{" + ", ".join(f"%d{first + i}" for i in range(count)) + "}"
        ptx = HEAD + f""".visible .entry k(.param .u64 in, .param .u64 out)
{{
  .reg .b32 %t, %b; .reg .b64 %P, %Q, %o; .reg .f64 %d<64>;
  ld.param.u64 %P, [in]; ld.param.u64 %Q, [out];
  mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mad.lo.u32 %t, %b, 32, %t;
  mul.wide.u32 %o, %t, {8 * every}; add.u64 %P, %P, %o;
  mul.wide.u32 %o, %t, {8 * nc}; add.u64 %Q, %Q, %o;
""" + "".join(f"  ld.global.f64 %d{i}, [%P+{8 * i}];\n" for i in range(every)) + (
            f"  mma.sync.aligned.m{m}n8k{k}.row.col.f64.f64.f64.f64 {group(every, nc)}, {group(0, na)}, {group(na, nb)}, {group(na + nb, nc)};\n"
        ) + "".join(f"  st.global.f64 [%Q+{8 * i}], %d{every + i};\n" for i in range(nc)) + "  ret;\n}\n"
        write_mma(folder, write, name, ptx, lanes, 2 * every, 2 * nc)

        def double(n, row, column, words):
            at = ((n * 32 + row % 8 * 4 + column // 2) * nc + row // 8 * 2 + column % 2) * 2
            return words[at] | words[at + 1] << 32
        golden(name, f"mma.m{m}n8k{k}.f64.f64.f64", ("f64", "f64", "f64"), tiles, double)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--golden", type=pathlib.Path, help="a GPU's results of the packages of this seed and scale")
    parser.add_argument("--inputs", action="store_true", help="without the emulator's outputs")
    parser.add_argument("--lanescope", type=lambda p: pathlib.Path(p).resolve(),
                        default=pathlib.Path(__file__).resolve().parents[2] / "build/release/bin/lanescope")
    arguments = parser.parse_args()
    SEED, GOLDEN = arguments.seed, arguments.golden
    if GOLDEN:
        print("# Sums of tensor cores on an H200, bit for bit, by `tests/gpu/rounding.py --golden`. Instruction, a row of A and a column")
        print("# of B along k, the accumulator before and after. `.fresh`: without the accumulator; `.negated`: times -1.")

    def write(folder, name, ptx, launch, data):
        if GOLDEN:
            return
        if arguments.inputs:
            package(folder, name, ptx, launch, [len(launch["params"]) - 1], data)
        else:
            emulated(folder, name, ptx, launch, data, arguments.lanescope)

    for make in (wgmma, mma, volta, doubles):
        make(arguments.folder, write, arguments.scale)
    if not GOLDEN:
        print(f"{len(list(arguments.folder.glob('round_*.lspkg')))} packages in {arguments.folder}")
