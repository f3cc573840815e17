"""Kernels of single elements and rows: arguments of every kind, reductions, scans, sorts, random numbers, printing."""

import collections
import contextlib
import io

import numpy
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


def case_add():
    x, y = torch.randn(1000), torch.randn(1000)
    out = torch.empty_like(x)
    add[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, y, out, 1000, BLOCK=128)
    torch.testing.assert_close(out, x + y, rtol=0, atol=0)


def case_add_of_numpy():
    x, y, out = numpy.arange(300, dtype="f4"), numpy.ones(300, "f4"), numpy.zeros((3, 300), "f4")
    add[(3,)](x, y, out[1], 300, BLOCK=128)
    assert (out[1] == x + 1).all() and not out[0].any() and not out[2].any()


def case_views_share_memory():
    x = torch.arange(512.0)
    add[(2,)](x[:256], x[256:], x[:256], 256, BLOCK=128)
    torch.testing.assert_close(x[:256], torch.arange(256.0) * 2 + 256)


@triton.jit
def scalars(out, flag, small, large, huge, number, nothing, one, pair, KIND: tl.constexpr):
    value = small + large + huge.to(tl.int64) + pair[0] + pair[1] + one
    if flag:
        value += 1
    tl.store(out, value.to(tl.float64) + number)
    if nothing is not None:
        tl.store(nothing, 1)
    if KIND == "double":
        tl.store(out + 1, value.to(tl.float64) * 2)


def case_scalars():
    out = torch.zeros(2, dtype=torch.float64)
    scalars[(1,)](out, True, -3, 1 << 40, 1 << 62, 0.5, None, 1, (7, 1000), "double")
    whole = -3 + (1 << 40) + (1 << 62) + 1007 + 1 + 1
    assert out.tolist() == [float(whole) + 0.5, float(whole) * 2], out


@triton.jit
def softmax(out, x, x_stride, out_stride, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * x_stride + i, i < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(out + row * out_stride + i, powers / tl.sum(powers, 0), i < columns)


def case_softmax():
    x = torch.randn(8, 781)
    out = torch.empty_like(x)
    softmax[(8,)](out, x, x.stride(0), out.stride(0), 781, BLOCK=1024, num_warps=8)
    torch.testing.assert_close(out, torch.softmax(x, 1))


@triton.jit
def combine(a, b):
    return a * b


@triton.jit
def rows(x, total, running, product, best, ordered, N: tl.constexpr):
    i = tl.arange(0, N)
    values = tl.load(x + tl.program_id(0) * N + i)
    at = tl.program_id(0) * N + i
    tl.store(total + tl.program_id(0), tl.sum(values, 0))
    tl.store(best + tl.program_id(0), tl.argmax(values, 0))
    tl.store(running + at, tl.cumsum(values, 0))
    tl.store(product + at, tl.associative_scan(values, 0, combine))
    tl.store(ordered + at, tl.sort(values))


def case_reduce_scan_sort():
    x = torch.rand(4, 256) + 0.5
    total, best = torch.empty(4), torch.empty(4, dtype=torch.int32)
    running, product, ordered = (torch.empty_like(x) for _ in range(3))
    rows[(4,)](x, total, running, product, best, ordered, N=256)
    torch.testing.assert_close(total, x.sum(1))
    torch.testing.assert_close(running, x.cumsum(1))
    torch.testing.assert_close(product, x.cumprod(1), rtol=1e-4, atol=1e-5)
    assert torch.equal(best.long(), x.argmax(1)) and torch.equal(ordered, x.sort(1).values)


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    kept = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(kept, tl.load(x + i, i < n) / (1 - p), 0.0), i < n)


def case_dropout():
    x, out = torch.ones(4096), torch.empty(4096)
    dropout[(4,)](x, out, 4096, 0.25, 123, BLOCK=1024)
    assert set(out.unique().tolist()) == {0.0, x.new_tensor(4 / 3).item()} and 0.7 < (out != 0).float().mean() < 0.8


@triton.jit
def functions(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + i, i < n)
    tl.store(out + i, libdevice.asin(values) + tl.erf(values) + libdevice.pow(values, 2.5), i < n)


def case_libdevice():
    x, out = torch.rand(500), torch.empty(500)
    functions[(4,)](x, out, 500, BLOCK=128)
    torch.testing.assert_close(out, x.asin() + x.erf() + x.pow(2.5), rtol=1e-5, atol=1e-5)


@triton.jit
def convert(x, bf16, f8, back, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + i)
    tl.store(bf16 + i, values.to(tl.bfloat16))
    tl.store(f8 + i, values.to(tl.float8e5))
    tl.store(back + i, values.to(tl.float8e5).to(tl.float32))


def case_narrow_floats():
    x, back = torch.randn(256), torch.empty(256)
    bf16, f8 = torch.empty(256, dtype=torch.bfloat16), torch.empty(256, dtype=torch.float8_e5m2)
    convert[(2,)](x, bf16, f8, back, BLOCK=128)
    assert torch.equal(bf16, x.bfloat16()) and torch.equal(back, f8.float())
    torch.testing.assert_close(back, x.to(torch.float8_e5m2).float())


@triton.jit
def printing(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.device_print("value ", tl.load(x + i))
    tl.device_assert(i < BLOCK, "an index is too large")


def case_device_print():
    with contextlib.redirect_stdout(io.StringIO()) as said:
        printing[(2,)](torch.arange(64), BLOCK=64)
    lines = set(said.getvalue().splitlines())  # each thread that holds an element prints it
    assert lines == {f"pid ({pid}, 0, 0) idx ({i:2}) value: {i}" for pid in range(2) for i in range(64)}, lines


Pair = collections.namedtuple("Pair", "x y")


@triton.jit
def of_pair(pair, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(pair[0] + i) - tl.load(pair[1] + i))


def case_tuples():
    x, y, out = torch.rand(64), torch.rand(64), torch.empty(64)
    of_pair[(1,)]((x, y), out, BLOCK=64)
    assert torch.equal(out, x - y)
    of_pair[(1,)](Pair(y, x), out, BLOCK=64)
    assert torch.equal(out, y - x)
