#!/usr/bin/env python3
"""Compares random kernels of the `tpu` dialect with an independent computation in Python that follows the specification
of each operation, for unusual types, masks and shapes.
Usage: operations.py LANESCOPE [REPOSITORY [ARCHIVE [SEED [ROUNDS]]]]   (the archive is not read)

A kernel copies its inputs to VMEM, computes some values from them, and copies these back. Each value is one output."""
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

LANES = 16
WIDTH = {"i8": 8, "i16": 16, "i32": 32, "f32": 32, "f16": 16}
NPY = {"i8": "|i1", "i16": "<i2", "i32": "<i4", "f32": "<f4", "f16": "<f2"}
CODE = {"i8": "b", "i16": "h", "i32": "i", "f32": "f", "f16": "e"}
FLOATS = ("f32", "f16")
SPACES = "".join(f"#{name} = #tpu.memory_space<{space}>\n" for name, space in
                 (("hbm", "hbm"), ("vmem", "vmem"), ("shared", "vmem_shared"), ("sem", "semaphore_mem")))
SEM = "memref<!tpu.dma_semaphore, #sem>"


def rounded(value, dtype):
    """Rounds to the type's nearest number; the result is infinite if it overflows."""
    try:
        return struct.unpack("<" + CODE[dtype], struct.pack("<" + CODE[dtype], value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def f32(value):
    return rounded(value, "f32")


def wrap(value, dtype):
    bits = WIDTH[dtype]
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def unsigned(value, dtype="i32"):
    return value & ((1 << WIDTH[dtype]) - 1)


def add(a, b, dtype):
    return f32(a + b) if dtype == "f32" else wrap(a + b, dtype)


def count(shape):
    out = 1
    for size in shape:
        out *= size
    return out


def save(path, values, dtype, shape):
    text = f"{{'descr': '{NPY[dtype]}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() +
                     struct.pack(f"<{len(values)}{CODE[dtype]}", *values))


def load(path, dtype):
    data = path.read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    body = data[10 + size:]
    return list(struct.unpack(f"<{len(body) * 8 // WIDTH[dtype]}{CODE[dtype]}", body))


class Kernel:
    """The text of a kernel, and its expected outputs."""

    def __init__(self, rng):
        self.rng = rng
        self.inputs, self.outputs, self.body, self.made = [], [], [], 0

    def name(self):
        self.made += 1
        return f"%v{self.made}"

    def emit(self, line):
        self.body.append("  " + line)

    def random(self, dtype, number, low=None, high=None):
        if low is not None:
            return [self.rng.randint(low, high) for _ in range(number)]
        if dtype in FLOATS:
            return [rounded(self.rng.choice((self.rng.uniform(-9, 9), self.rng.randint(-4, 4), 0.5, -0.5)), dtype) for _ in range(number)]
        most = 1 << (WIDTH[dtype] - 1)
        return [self.rng.choice((self.rng.randint(-most, most - 1), self.rng.randint(-5, 5), most - 1, -most)) for _ in range(number)]

    def copy(self, source, source_type, target, target_type):
        self.emit(f"tpu.enqueue_dma source({source} : {source_type}) target({target} : {target_type}) target_semaphore(%s : {SEM})")
        self.emit(f"tpu.wait_dma2 semaphore(%s : {SEM}) src({source} : {source_type}) dst({target} : {target_type})")

    def input(self, dtype, shape, values=None):
        """A new input in VMEM: (memory, values)."""
        values = values if values is not None else self.random(dtype, count(shape))
        index = len(self.inputs)
        self.inputs.append((dtype, shape, values))
        ref = self.name()
        size = "x".join(map(str, shape))
        self.emit(f"{ref} = memref.alloca() : memref<{size}x{dtype}, #vmem>")
        self.copy(f"%in{index}", f"memref<{size}x{dtype}, #hbm>", ref, f"memref<{size}x{dtype}, #vmem>")
        return ref, values

    def vector(self, dtype, shape, values=None):
        ref, values = self.input(dtype, shape, values)
        return self.load(ref, dtype, shape), values

    def load(self, ref, dtype, shape):
        value, size = self.name(), "x".join(map(str, shape))
        zeros = ", ".join(["%c0"] * len(shape))
        self.emit(f"{value} = tpu.vector_load {ref}[{zeros}] {{strides = array<i32>}} : memref<{size}x{dtype}, #vmem>, vector<{size}x{dtype}>, ")
        return value

    def mask(self, shape=(LANES,)):
        bits = [self.rng.randint(0, 1) for _ in range(count(shape))]
        kind = self.rng.randint(0, 4)
        bits = [0] * len(bits) if kind == 0 else [1] * len(bits) if kind == 1 else bits
        value, _ = self.vector("i32", shape, bits)
        zero, mask, size = self.name(), self.name(), "x".join(map(str, shape))
        self.emit(f"{zero} = arith.constant dense<0> : vector<{size}xi32>")
        self.emit(f"{mask} = arith.cmpi ne, {value}, {zero} : vector<{size}xi32>")
        return mask, bits

    def output_ref(self, ref, dtype, shape, expected, close=False):
        """Makes a memory an output. A None in `expected` allows any value."""
        index, size = len(self.outputs), "x".join(map(str, shape))
        self.outputs.append((dtype, shape, expected, close))
        self.copy(ref, f"memref<{size}x{dtype}, #vmem>", f"%out{index}", f"memref<{size}x{dtype}, #hbm>")

    def store(self, value, dtype, shape):
        ref, size = self.name(), "x".join(map(str, shape))
        zeros = ", ".join(["%c0"] * len(shape))
        self.emit(f"{ref} = memref.alloca() : memref<{size}x{dtype}, #vmem>")
        self.emit(f"tpu.vector_store {ref}[{zeros}], {value} {{strides = array<i32>}} : memref<{size}x{dtype}, #vmem>, vector<{size}x{dtype}>, ")
        return ref

    def output(self, value, dtype, shape, expected, close=False):
        if None in expected: # only defined values may leave the kernel
            keep, zero, kept = self.name(), self.name(), self.name()
            size = "x".join(map(str, shape))
            bits = ", ".join("false" if each is None else "true" for each in expected)
            self.emit(f"{keep} = arith.constant dense<[{bits}]> : vector<{size}xi1>")
            self.emit(f"{zero} = arith.constant dense<{'0.0' if dtype == 'f32' else '0'}> : vector<{size}x{dtype}>")
            self.emit(f"{kept} = arith.select {keep}, {value}, {zero} : vector<{size}xi1>, vector<{size}x{dtype}>")
            value, expected = kept, [0 if each is None else each for each in expected]
        self.output_ref(self.store(value, dtype, shape), dtype, shape, expected, close)

    def text(self):
        operands = ["%core: i32", "%sub: i32"]
        for prefix, arrays in (("in", self.inputs), ("out", self.outputs)):
            for k, array in enumerate(arrays):
                operands.append(f"%{prefix}{k}: memref<{'x'.join(map(str, array[1]))}x{array[0]}, #hbm>")
        return (SPACES + f"func.func @kernel({', '.join(operands)}, %s: {SEM}) attributes {{dimension_semantics = "
                "[#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = "
                "array<i64: 1, 1>, scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {\n"
                "  %c0 = arith.constant 0 : index\n" + "\n".join(self.body) + "\n  return\n}\n")


# --- one value each

def arithmetic(k):
    dtype = k.rng.choice(("i8", "i16", "i32", "f32", "f16"))
    shape = k.rng.choice(((16,), (32,), (2, 16), (3, 5), (7,)))
    size = "x".join(map(str, shape))
    a, x = k.vector(dtype, shape)
    b, y = k.vector(dtype, shape)
    value = k.name()
    if dtype in FLOATS: # sums and products of two numbers are exact in 64 bits, and rounded once
        op, f = k.rng.choice((("addf", lambda p, q: rounded(p + q, dtype)), ("subf", lambda p, q: rounded(p - q, dtype)),
                              ("mulf", lambda p, q: rounded(p * q, dtype)), ("maximumf", max), ("minimumf", min)))
    else:
        most = 1 << WIDTH[dtype]

        def signed_shift(p, q):
            return p >> min(unsigned(q, dtype), WIDTH[dtype] - 1)
        op, f = k.rng.choice((
            ("addi", lambda p, q: p + q), ("subi", lambda p, q: p - q), ("muli", lambda p, q: p * q), ("andi", lambda p, q: p & q),
            ("ori", lambda p, q: p | q), ("xori", lambda p, q: p ^ q), ("maxsi", max), ("minsi", min),
            ("maxui", lambda p, q: max(p, q, key=lambda v: v % most)), ("minui", lambda p, q: min(p, q, key=lambda v: v % most)),
            ("shrsi", signed_shift)))
    k.emit(f"{value} = arith.{op} {a}, {b} : vector<{size}x{dtype}>")
    k.output(value, dtype, shape, [f(p, q) if dtype in FLOATS else wrap(f(p, q), dtype) for p, q in zip(x, y)])


def division(k):
    dtype = k.rng.choice(("i8", "i16", "i32"))
    a, x = k.vector(dtype, (LANES,))
    y = [v if v not in (0, -1) else 3 for v in k.random(dtype, LANES)]
    b, _ = k.vector(dtype, (LANES,), y)
    op = k.rng.choice(("divsi", "remsi", "divui", "remui"))
    value = k.name()
    k.emit(f"{value} = arith.{op} {a}, {b} : vector<{LANES}x{dtype}>")
    expected = []
    for p, q in zip(x, y):
        if op.endswith("ui"):
            p, q = unsigned(p, dtype), unsigned(q, dtype)
            expected.append(wrap(p // q if op == "divui" else p % q, dtype))
        else:
            quotient = abs(p) // abs(q) * (1 if (p < 0) == (q < 0) else -1)
            expected.append(wrap(quotient if op == "divsi" else p - quotient * q, dtype))
    k.output(value, dtype, (LANES,), expected)


def tiled(k):
    """Memory in tiles of any kind, accessed as a whole: stores and loads, copies in and out, gathers of rows."""
    dtype = k.rng.choice(("i8", "i16", "i32", "f32"))
    shape = k.rng.choice(((6, 10), (5, 8), (2, 3, 7), (9,)))
    size, number = "x".join(map(str, shape)), count(shape)
    ranks = k.rng.randint(1, min(2, len(shape)))
    tile = [k.rng.choice((1, 2, 4, 8)) for _ in range(ranks)]
    tiles = f"({','.join(map(str, tile))})"
    if ranks == 2 and tile[0] % 2 == 0 and k.rng.random() < 0.5:
        tiles += "(2,1)"
    strides, step = [], 1
    for d in reversed(range(len(shape))): # tiles in row-major order, sometimes with a gap
        strides.insert(0, step)
        covered = tile[d - len(shape) + ranks] if d >= len(shape) - ranks else 1
        step *= (shape[d] + covered - 1) // covered + k.rng.randint(0, 1)
    kind = f"memref<{size}x{dtype}, #tpu.tiled<{tiles},[{','.join(map(str, strides))}]>, #vmem>"
    source, x = k.input(dtype, shape)
    ref = k.name()
    k.emit(f"{ref} = memref.alloca() : {kind}")
    k.copy(source, f"memref<{size}x{dtype}, #vmem>", ref, kind)
    zeros = ", ".join(["%c0"] * len(shape))
    value, back = k.name(), k.name()
    k.emit(f"{value} = tpu.vector_load {ref}[{zeros}] {{strides = array<i32>}} : {kind}, vector<{size}x{dtype}>, ")
    k.output(value, dtype, shape, x)
    new, y = k.vector(dtype, shape)
    k.emit(f"tpu.vector_store {ref}[{zeros}], {new} {{strides = array<i32>}} : {kind}, vector<{size}x{dtype}>, ")
    k.emit(f"{back} = memref.alloca() : memref<{size}x{dtype}, #vmem>")
    k.copy(ref, kind, back, f"memref<{size}x{dtype}, #vmem>")
    k.output_ref(back, dtype, shape, y)
    assert len(y) == number


def comparison(k):
    dtype = k.rng.choice(("i8", "i32", "f32"))
    a, x = k.vector(dtype, (LANES,), k.random(dtype, LANES, -3, 3) if dtype != "f32" else None)
    b, y = k.vector(dtype, (LANES,), k.random(dtype, LANES, -3, 3) if dtype != "f32" else None)
    if dtype == "f32":
        op, f = k.rng.choice((("oeq", lambda p, q: p == q), ("one", lambda p, q: p != q), ("olt", lambda p, q: p < q), ("oge", lambda p, q: p >= q)))
        kind = "cmpf"
    else:
        op, f = k.rng.choice((("eq", lambda p, q: p == q), ("slt", lambda p, q: p < q), ("sge", lambda p, q: p >= q),
                              ("ult", lambda p, q: unsigned(p, dtype) < unsigned(q, dtype)), ("ugt", lambda p, q: unsigned(p, dtype) > unsigned(q, dtype))))
        kind = "cmpi"
    bit, chosen = k.name(), k.name()
    k.emit(f"{bit} = arith.{kind} {op}, {a}, {b} : vector<{LANES}x{dtype}>")
    k.emit(f"{chosen} = arith.select {bit}, {a}, {b} : vector<{LANES}xi1>, vector<{LANES}x{dtype}>")
    k.output(chosen, dtype, (LANES,), [p if f(p, q) else q for p, q in zip(x, y)])


def conversion(k):
    kind = k.rng.choice(("narrow", "widen", "to float", "from float"))
    value = k.name()
    if kind == "narrow":
        a, x = k.vector("i32", (LANES,))
        to = k.rng.choice(("i8", "i16"))
        k.emit(f"{value} = arith.trunci {a} : vector<{LANES}xi32> to vector<{LANES}x{to}>")
        k.output(value, to, (LANES,), [wrap(v, to) for v in x])
    elif kind == "widen":
        dtype, op = k.rng.choice(("i8", "i16")), k.rng.choice(("extsi", "extui"))
        a, x = k.vector(dtype, (LANES,))
        k.emit(f"{value} = arith.{op} {a} : vector<{LANES}x{dtype}> to vector<{LANES}xi32>")
        k.output(value, "i32", (LANES,), [v if op == "extsi" else unsigned(v, dtype) for v in x])
    elif kind == "to float":
        a, x = k.vector("i32", (LANES,))
        k.emit(f"{value} = arith.sitofp {a} : vector<{LANES}xi32> to vector<{LANES}xf32>")
        k.output(value, "f32", (LANES,), [f32(v) for v in x])
    else:
        a, x = k.vector("f32", (LANES,))
        k.emit(f"{value} = arith.fptosi {a} : vector<{LANES}xf32> to vector<{LANES}xi32>")
        k.output(value, "i32", (LANES,), [int(v) for v in x])


def scan(k):
    dtype, kind = k.rng.choice(("i32", "f32")), k.rng.choice(("sum", "max", "min"))
    a, x = k.vector(dtype, (LANES,), [float(v) for v in k.random("i32", LANES, -9, 9)] if dtype == "f32" else None)
    masked = k.rng.random() < 0.7
    mask, bits = k.mask() if masked else ("", [1] * LANES)
    value = k.name()
    k.emit(f"{value} = tpu.scan <{kind}>, {a}{' masked ' + mask if masked else ''} {{dimension = 0 : i64}} : vector<{LANES}x{dtype}>"
           f", {f'vector<{LANES}xi1>' if masked else ''} -> vector<{LANES}x{dtype}>")
    expected, current = [], None
    for v, bit in zip(x, bits):
        if bit:
            if current is None:
                current = v
            elif kind == "sum":
                current = add(current, v, dtype)
            else: # integers are compared as unsigned
                key = unsigned if dtype == "i32" else (lambda w: w)
                current = (max if kind == "max" else min)(current, v, key=key)
        expected.append(current)
    k.output(value, dtype, (LANES,), expected)


def reduction(k):
    mask, bits = k.mask()
    kind = k.rng.choice(("sum", "find_first_set"))
    value = k.name()
    k.emit(f"{value} = tpu.all_reduce {mask} {{dim = 0 : i64, kind = #tpu.reduction_kind<{kind}>}} : vector<{LANES}xi1> -> vector<{LANES}xi32>")
    k.output(value, "i32", (LANES,), [sum(bits) if kind == "sum" else bits.index(1) if 1 in bits else LANES] * LANES)


def sort(k):
    dtype, values = k.rng.choice(("i32", "f32")), k.rng.choice(("i32", "f32"))
    a, x = k.vector(dtype, (LANES,), [v if dtype == "i32" else float(v) for v in k.random("i32", LANES, -5, 5)])
    b, y = k.vector(values, (LANES,))
    mask, bits = k.mask()
    down = k.rng.random() < 0.5
    m, s, v = k.name(), k.name(), k.name()
    k.emit(f"{m}, {s}, {v} = tpu.sort {a}, {b} masked {mask} {'{descending = true} ' if down else ''}: (vector<{LANES}x{dtype}>, vector<{LANES}x{values}>, "
           f"vector<{LANES}xi1>) -> (vector<{LANES}xi1>, vector<{LANES}x{dtype}>, vector<{LANES}x{values}>)")
    key = (lambda i: unsigned(x[i])) if dtype == "i32" else (lambda i: x[i])
    order = sorted([i for i in range(LANES) if bits[i]], key=lambda i: -key(i) if down else key(i))
    rest = [None] * (LANES - len(order))
    k.output(s, dtype, (LANES,), [x[i] for i in order] + rest)
    k.output(v, values, (LANES,), [y[i] for i in order] + rest)


def counted(k):
    dtype = k.rng.choice(("i32", "f32"))
    x = [v if dtype == "i32" else float(v) for v in k.random("i32", LANES, 0, 4)]
    a, _ = k.vector(dtype, (LANES,), x)
    mask, bits = k.mask()
    last, counts, number = k.name(), k.name(), k.name()
    k.emit(f"{last}, {counts} = tpu.scan_count mask({mask} : vector<{LANES}xi1>) value({a} : vector<{LANES}x{dtype}>) : vector<{LANES}xi1>, vector<{LANES}xi32>")
    k.emit(f"{number} = arith.extui {last} : vector<{LANES}xi1> to vector<{LANES}xi32>")
    k.output(counts, "i32", (LANES,), [1 + sum(bits[j] and x[j] == x[i] for j in range(i)) if bits[i] else None for i in range(LANES)])
    k.output(number, "i32", (LANES,), [int(bits[i] and not any(bits[j] and x[j] == x[i] for j in range(i + 1, LANES))) for i in range(LANES)])


def gathered(k):
    shape = k.rng.choice(((LANES,), (4, 8), (2, 3, 4)))
    dtype = k.rng.choice(("i32", "f32", "i16"))
    dimension = k.rng.randrange(len(shape))
    a, x = k.vector(dtype, shape)
    places = k.random("i32", count(shape), 0, shape[dimension] - 1)
    b, _ = k.vector("i32", shape, places)
    value, size = k.name(), "x".join(map(str, shape))
    k.emit(f"{value} = tpu.dynamic_gather {a}[{b}] in [{dimension}] : vector<{size}x{dtype}>, vector<{size}xi32> -> vector<{size}x{dtype}>")
    inner = count(shape[dimension + 1:])
    expected = []
    for at in range(count(shape)):
        own = at // inner % shape[dimension]
        expected.append(x[at + (places[at] - own) * inner])
    k.output(value, dtype, shape, expected)


def masked_access(k):
    """Expanding loads, compressing stores, and adding stores."""
    dtype = k.rng.choice(("i32", "f32"))
    ref, x = k.input(dtype, (2 * LANES,))
    mask, bits = k.mask()
    start, value = k.rng.randint(0, LANES), k.name()
    index = k.name()
    k.emit(f"{index} = arith.constant {start} : index")
    memory = f"memref<{2 * LANES}x{dtype}, #vmem>"
    k.emit(f"{value} = tpu.vector_load {ref}[{index}] masked {mask} {{strides = array<i32>}} : {memory}, vector<{LANES}x{dtype}>, vector<{LANES}xi1>")
    expected, at = [], start
    for bit in bits:
        expected.append(x[at] if bit else None)
        at += bit
    k.output(value, dtype, (LANES,), expected)
    target, before = k.input(dtype, (2 * LANES,), [f32(v) if dtype == "f32" else v for v in k.random("i32", 2 * LANES, -9, 9)])
    whole, y = k.vector(dtype, (LANES,))
    adds = k.rng.random() < 0.5
    k.emit(f"tpu.vector_store {target}[{index}], {whole} masked {mask} {{{'add = true, ' if adds else ''}strides = array<i32>}} : {memory}, vector<{LANES}x{dtype}>, vector<{LANES}xi1>")
    after, at = list(before), start
    for v, bit in zip(y, bits):
        if bit:
            after[at] = add(after[at], v, dtype) if adds else v
            at += 1
    k.output_ref(target, dtype, (2 * LANES,), after)


def indexed_access(k):
    dtype = k.rng.choice(("i32", "f32"))
    shape = k.rng.choice(((40,), (5, 8), (2, 3, 7)))
    size, number = "x".join(map(str, shape)), count(shape)
    ref, x = k.input(dtype, shape, [float(v) if dtype == "f32" else v for v in k.random("i32", number, -9, 9)])
    places = [[k.rng.randrange(extent) for _ in range(LANES)] for extent in shape]
    vectors = [k.vector("i32", (LANES,), place)[0] for place in places]
    masked = k.rng.random() < 0.6
    mask, bits = k.mask() if masked else ("", [1] * LANES)
    at = [0] * LANES
    for lane in range(LANES):
        for d, extent in enumerate(shape):
            at[lane] = at[lane] * extent + places[d][lane]
    names, types = ", ".join(vectors), ", ".join([f"vector<{LANES}xi32>"] * len(shape))
    with_mask, mask_type = (f" masked {mask}", f"vector<{LANES}xi1>") if masked else ("", "")
    value = k.name()
    k.emit(f"{value} = tpu.vector_load_idx {ref}[{names}]{with_mask} : memref<{size}x{dtype}, #vmem>[{types}], vector<{LANES}x{dtype}>, {mask_type}")
    k.output(value, dtype, (LANES,), [x[at[i]] if bits[i] else None for i in range(LANES)])
    new, y = k.vector(dtype, (LANES,), [float(v) if dtype == "f32" else v for v in k.random("i32", LANES, -9, 9)])
    adds = k.rng.random() < 0.5
    k.emit(f"tpu.vector_store_idx {ref}[{names}], {new}{with_mask}{' {add = true}' if adds else ''} : memref<{size}x{dtype}, #vmem>[{types}], vector<{LANES}x{dtype}>, {mask_type}")
    after = list(x)
    for i in range(LANES): # if two lanes write one place, the highest lane wins
        if bits[i]:
            after[at[i]] = add(after[at[i]], y[i], dtype) if adds else y[i]
    k.output_ref(ref, dtype, shape, after)


def packing(k):
    form = k.rng.choice(("interleaved", "compressed"))
    a, x = k.vector("i32", (LANES,))
    b, y = k.vector("i32", (LANES,))
    size = f"{2 * LANES}" if form == "interleaved" else f"{LANES}x2"
    packed = k.name()
    k.emit(f"{packed} = tpu.pack_subelements {a}, {b} {{pack_format = #tpu.pack_format<{form}>, positions = array<i32: 0, 1>}} : vector<{LANES}xi32>, "
           f"vector<{LANES}xi32> -> vector<{size}xi16>")
    for index, values in ((0, x), (1, y)):
        value = k.name()
        k.emit(f"{value} = tpu.unpack_subelements {packed}, {index} {{pack_format = #tpu.pack_format<{form}>}} : vector<{size}xi16> -> vector<{LANES}xi32>")
        k.output(value, "i32", (LANES,), [wrap(v, "i16") for v in values])
    if form == "interleaved":
        k.output(packed, "i16", (2 * LANES,), [wrap(v, "i16") for pair in zip(x, y) for v in pair])


def bits(k):
    dtype = k.rng.choice(("i8", "i16"))
    a, x = k.vector("i32", (LANES,))
    number = LANES * 32 // WIDTH[dtype]
    value = k.name()
    k.emit(f"{value} = vector.bitcast {a} : vector<{LANES}xi32> to vector<{number}x{dtype}>")
    k.output(value, dtype, (number,), list(struct.unpack(f"<{number}{CODE[dtype]}", struct.pack(f"<{LANES}i", *x))))


def shapes(k):
    dtype = k.rng.choice(("i32", "i16", "f32"))
    a, x = k.vector(dtype, (4, 8))
    b, y = k.vector(dtype, (2, 8))
    joined, part, flat = k.name(), k.name(), k.name()
    k.emit(f"{joined} = tpu.concatenate {a}, {b} in 0 : vector<4x8x{dtype}>, vector<2x8x{dtype}> -> vector<6x8x{dtype}>")
    row, column = k.rng.randint(0, 3), k.rng.randint(0, 5)
    k.emit(f"{part} = vector.extract_strided_slice {joined} offsets = [{row}, {column}], sizes = [3, 3], strides = [1, 1] : vector<6x8x{dtype}> to vector<3x3x{dtype}>")
    k.emit(f"{flat} = vector.shape_cast {part} : vector<3x3x{dtype}> to vector<9x{dtype}>")
    rows = [(x + y)[8 * r:8 * r + 8] for r in range(6)]
    k.output(flat, dtype, (9,), [rows[row + r][column + c] for r in range(3) for c in range(3)])


def iota(k):
    shape, dims = k.rng.choice((((LANES,), (0,)), ((4, 8), (0,)), ((4, 8), (1,)), ((4, 8), (0, 1)), ((2, 3, 5), (0, 2)), ((2, 3, 5), (2, 0))))
    value, size = k.name(), "x".join(map(str, shape))
    k.emit(f"{value} = tpu.iota {{dimensions = array<i32: {', '.join(map(str, dims))}>}} : vector<{size}xi32>")
    expected = []
    for at in range(count(shape)):
        place = [at // count(shape[d + 1:]) % shape[d] for d in range(len(shape))]
        number = 0
        for d in dims:
            number = number * shape[d] + place[d]
        expected.append(number)
    k.output(value, "i32", shape, expected)


def copies(k):
    """Copies a part of one memory into a part of another, directly or through shared memory."""
    dtype = k.rng.choice(("i8", "i16", "i32", "f32"))
    rows, columns, height, width = 6, 20, k.rng.randint(1, 4), k.rng.randint(1, 12)
    ref, x = k.input(dtype, (rows, columns))
    target, before = k.input(dtype, (rows, columns))
    starts = [(k.rng.randint(0, rows - height), k.rng.randint(0, columns - width)) for _ in range(2)]
    parts = []
    for memory, (r, c) in ((ref, starts[0]), (target, starts[1])):
        i, j, part = k.name(), k.name(), k.name()
        k.emit(f"{i} = arith.constant {r} : i32")
        k.emit(f"{j} = arith.constant {c} : i32")
        k.emit(f"{part} = tpu.memref_slice {memory}[{i}, {j}] : memref<{rows}x{columns}x{dtype}, #vmem> -> memref<{height}x{width}x{dtype}, #vmem>")
        parts.append(part)
    kind = f"memref<{height}x{width}x{dtype}, #"
    if k.rng.random() < 0.5:
        shared = k.name()
        k.emit(f"{shared} = memref.alloca() : {kind}shared>")
        k.copy(parts[0], kind + "vmem>", shared, kind + "shared>")
        k.copy(shared, kind + "shared>", parts[1], kind + "vmem>")
    else:
        k.copy(parts[0], kind + "vmem>", parts[1], kind + "vmem>")
    after = list(before)
    for r in range(height):
        for c in range(width):
            after[(starts[1][0] + r) * columns + starts[1][1] + c] = x[(starts[0][0] + r) * columns + starts[0][1] + c]
    k.output_ref(target, dtype, (rows, columns), after)


def indirect(k):
    """Gathers and scatters of rows, with additions and filters."""
    dtype = k.rng.choice(("i32", "f32"))
    rows, width, number = 12, k.rng.choice((None, 4, 9)), 8
    tail = () if width is None else (width,)
    ref, x = k.input(dtype, (rows,) + tail, [float(v) if dtype == "f32" else v for v in k.random("i32", rows * (width or 1), -9, 9)])
    shape = "x".join(map(str, (rows,) + tail))
    shared = k.name()
    k.emit(f"{shared} = memref.alloca() : memref<{shape}x{dtype}, #shared>")
    k.copy(ref, f"memref<{shape}x{dtype}, #vmem>", shared, f"memref<{shape}x{dtype}, #shared>")
    tile, y = k.input(dtype, (number,) + tail, [float(v) if dtype == "f32" else v for v in k.random("i32", number * (width or 1), -9, 9)])
    small = "x".join(map(str, (number,) + tail))
    offsets = k.random("i32", number, 0, rows - 1)
    by_vector = k.rng.random() < 0.5
    if by_vector:
        named, _ = k.vector("i32", (number,), offsets)
        kind = f"vector<{number}xi32>"
    else:
        named, _ = k.input("i32", (number,), offsets)
        kind = f"memref<{number}xi32, #vmem>"
    gathers, adds = k.rng.random() < 0.5, k.rng.random() < 0.5
    keep = k.rng.choice(offsets) if k.rng.random() < 0.5 else None
    keep_text = ""
    if keep is not None:
        value = k.name()
        k.emit(f"{value} = arith.constant {keep} : i32")
        keep_text = f" offset_filter({value})"
    ends = [(shared, f"memref<{shape}x{dtype}, #shared>"), (tile, f"memref<{small}x{dtype}, #vmem>")]
    if not gathers:
        ends.reverse()
    k.emit(f"tpu.enqueue_indirect_dma source({ends[0][0]} : {ends[0][1]}) target({ends[1][0]} : {ends[1][1]}) offsets({named} : {kind}){keep_text} "
           f"semaphore(%s : {SEM}){' {add = true}' if adds else ''}")
    k.emit(f"tpu.wait_indirect_dma semaphore(%s : {SEM}) src({ends[0][0]} : {ends[0][1]}) dst({ends[1][0]} : {ends[1][1]})")
    table, lines, step = list(x), list(y), width or 1
    for i, offset in enumerate(offsets):
        for c in range(step):
            if offset == keep:
                continue
            at, own = offset * step + c, i * step + c
            if gathers:
                lines[own] = add(lines[own], table[at], dtype) if adds else table[at]
            else:
                table[at] = add(table[at], lines[own], dtype) if adds else lines[own]
    k.copy(shared, f"memref<{shape}x{dtype}, #shared>", ref, f"memref<{shape}x{dtype}, #vmem>")
    k.output_ref(ref, dtype, (rows,) + tail, table)
    k.output_ref(tile, dtype, (number,) + tail, lines)


def views(k):
    """Memory viewed with other elements: rows of narrow elements are the parts of a row of words."""
    dtype = k.rng.choice(("i8", "i16"))
    parts = 32 // WIDTH[dtype]
    rows, columns = k.rng.randint(1, 3), k.rng.choice((5, 8))
    words, narrow = (rows, columns), (rows * parts, columns)
    widens = k.rng.random() < 0.5
    ref, x = k.input(dtype if widens else "i32", narrow if widens else words)
    seen = k.name()
    before, after = (narrow, words) if widens else (words, narrow)
    types = [f"memref<{'x'.join(map(str, shape))}x{kind}, #vmem>" for shape, kind in ((before, dtype if widens else "i32"), (after, "i32" if widens else dtype))]
    k.emit(f"{seen} = tpu.memref_bitcast {ref} : {types[0]} -> {types[1]}")
    value = k.load(seen, "i32" if widens else dtype, after)
    expected = []
    if widens:
        for r in range(rows):
            for c in range(columns):
                number = sum(unsigned(x[(r * parts + p) * columns + c], dtype) << (p * WIDTH[dtype]) for p in range(parts))
                expected.append(wrap(number, "i32"))
    else:
        for r in range(rows * parts):
            for c in range(columns):
                expected.append(wrap(unsigned(x[r // parts * columns + c]) >> (r % parts * WIDTH[dtype]), dtype))
    k.output(value, "i32" if widens else dtype, after, expected)


MAKERS = [arithmetic, tiled, division, comparison, conversion, scan, reduction, sort, counted, gathered, masked_access, indexed_access, packing, bits, shapes,
          iota, copies, indirect, views]


def same(got, expected, dtype):
    if got == expected:
        return True
    return dtype in FLOATS and got != got and expected != expected


def check(lanescope, kernel, folder, options):
    """A description of what is wrong with a run; None if nothing is."""
    (folder / "m.mlir").write_text(kernel.text())
    names = []
    for k, (dtype, shape, values) in enumerate(kernel.inputs):
        names.append(folder / f"in_{k}.npy")
        save(names[-1], values, dtype, shape)
    done = subprocess.run([lanescope, "emulate", folder / "m.mlir", "--inputs", *names, "-o", folder / "out", *options], capture_output=True, text=True)
    if done.returncode:
        return done.stderr
    for k, (dtype, shape, expected, close) in enumerate(kernel.outputs):
        got = load(folder / "out" / f"out_{k}.npy", dtype)
        if len(got) != len(expected) or not all(same(a, b, dtype) for a, b in zip(got, expected)):
            return f"output {k}, {dtype}{shape}: {got}, expected {expected}"
    return None


def main():
    lanescope = sys.argv[1]
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    rounds = int(sys.argv[5]) if len(sys.argv) > 5 else 6
    failed = values = 0
    for round_ in range(rounds):
        for options in ([], ["--tc-tiling"], ["--seed", "3"]):
            rng = random.Random(seed * 1000 + round_)
            kernel = Kernel(rng)
            for maker in rng.sample(MAKERS, len(MAKERS)):
                maker(kernel)
            with tempfile.TemporaryDirectory() as folder:
                wrong = check(lanescope, kernel, pathlib.Path(folder), options)
            values += len(kernel.outputs)
            if wrong:
                failed += 1
                print(f"seed {seed}, round {round_} {' '.join(options)}: {wrong[:2000]}")
    print(f"{rounds * 3 - failed} of {rounds * 3} kernels with {values} values give what they should")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
