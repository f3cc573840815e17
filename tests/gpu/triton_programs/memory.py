"""Atomics, gathers, histograms, a grid-wide barrier, descriptors, persistent kernels."""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def histogram(x, counts, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    found = tl.histogram(tl.load(x + i, i < n, other=0), BINS)
    tl.atomic_add(counts + tl.arange(0, BINS), found)


def case_histogram():
    x, counts = torch.randint(0, 16, (1024,), dtype=torch.int32), torch.zeros(16, dtype=torch.int32)
    histogram[(4,)](x, counts, 1024, BINS=16, BLOCK=256)
    assert torch.equal(counts, torch.bincount(x, minlength=16).int())


@triton.jit
def count(x, counts, largest, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + i)
    tl.atomic_add(counts + values, 1, sem="relaxed")
    tl.atomic_max(largest, tl.max(values, 0))


def case_atomics():
    x, counts = torch.randint(0, 10, (512,)), torch.zeros(10, dtype=torch.int32)
    largest = torch.zeros(1, dtype=torch.int64)
    count[(4,)](x, counts, largest, BLOCK=128)
    assert torch.equal(counts, torch.bincount(x, minlength=10).int()) and largest == x.max()


@triton.jit
def gather_scatter(table, index, out, back, D: tl.constexpr, ROWS: tl.constexpr):
    i, d = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, D)
    at = tl.load(index + i)
    rows = tl.load(table + at[:, None] * D + d[None, :])
    turned = tl.gather(rows, tl.broadcast_to((D - 1 - d)[None, :], (ROWS, D)), 1)
    tl.store(out + i[:, None] * D + d[None, :], turned)
    tl.store(back + at[:, None] * D + d[None, :], rows)


def case_gather_and_scatter():
    table, index = torch.randn(64, 32), torch.randperm(64)
    out, back = torch.empty(64, 32), torch.empty(64, 32)
    gather_scatter[(4,)](table, index, out, back, D=32, ROWS=16)
    assert torch.equal(out, table[index].flip(1)) and torch.equal(back, table)


@triton.jit
def meet(x, arrived, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    pid, programs = tl.program_id(0), tl.num_programs(0)
    tl.store(x + pid * BLOCK + i, pid + i)
    tl.debug_barrier()
    tl.atomic_add(arrived, 1)
    while tl.atomic_add(arrived, 0) < programs:
        pass
    tl.debug_barrier()
    tl.store(out + pid * BLOCK + i, tl.load(x + (pid + 1) % programs * BLOCK + i))


def case_cooperative_launch():
    x, out = torch.zeros(4, 128, dtype=torch.int32), torch.zeros(4, 128, dtype=torch.int32)
    meet[(4,)](x, torch.zeros(1, dtype=torch.int32), out, BLOCK=128, launch_cooperative_grid=True)
    rows = torch.arange(4, dtype=torch.int32)[:, None] + torch.arange(128, dtype=torch.int32)
    assert torch.equal(out, rows.roll(-1, 0))


@triton.jit
def described(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    sums = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        sums = tl.dot(a.load([row, k]), b.load([column, k]).T, sums)
    c.store([row, column], sums.to(tl.float16))


def case_descriptors_of_the_host():
    a, b = torch.randn(128, 192).half(), torch.randn(96, 192).half()
    c = torch.empty(128, 96).half()
    blocks = {"BM": 64, "BN": 32, "BK": 64}
    described[(2, 3)](TensorDescriptor.from_tensor(a, [64, 64]), TensorDescriptor.from_tensor(b, [32, 64]),
                      TensorDescriptor.from_tensor(c, [64, 32]), 128, 96, 192, **blocks)  # fmt: skip
    torch.testing.assert_close(c.float(), a.float() @ b.float().T, rtol=2e-2, atol=5e-2)


def case_descriptors_over_one_tensor():
    both = torch.randn(128, 192).half()
    c = torch.empty(64, 64).half()
    a, b = both[:64], both[64:]
    described[(1, 2)](TensorDescriptor.from_tensor(a, [64, 64]), TensorDescriptor.from_tensor(b, [32, 64]),
                      TensorDescriptor.from_tensor(c, [64, 32]), 64, 64, 192, BM=64, BN=32, BK=64)  # fmt: skip
    torch.testing.assert_close(c.float(), a.float() @ b.float().T, rtol=2e-2, atol=5e-2)


@triton.jit
def copy_described(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [M, N], [N, 1], [BM, BN])
    target = tl.make_tensor_descriptor(out, [M, N], [N, 1], [BM, BN])
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    target.store([row, column], source.load([row, column]) * 2)


def case_descriptors_of_the_kernel():
    x, out = torch.randn(60, 96), torch.zeros(60, 96)
    copy_described[(2, 3)](x, out, 60, 96, BM=32, BN=32)
    assert torch.equal(out, x * 2)


@triton.jit
def persistent(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPECIALISED: tl.constexpr):
    across = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * across, tl.num_programs(0), flatten=True, warp_specialize=SPECIALISED):
        row, column = tile // across * BM, tile % across * BN
        sums = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            sums = tl.dot(a.load([row, k]), b.load([column, k]).T, sums)
        c.store([row, column], sums.to(tl.float16))


def check_persistent(specialised):
    a, b, c = torch.randn(256, 128).half(), torch.randn(128, 128).half(), torch.empty(256, 128).half()
    persistent[(2,)](TensorDescriptor.from_tensor(a, [128, 64]), TensorDescriptor.from_tensor(b, [64, 64]),
                     TensorDescriptor.from_tensor(c, [128, 64]), 256, 128, 128, BM=128, BN=64, BK=64, SPECIALISED=specialised,
                     num_stages=2)  # fmt: skip
    torch.testing.assert_close(c.float(), a.float() @ b.float().T, rtol=2e-2, atol=5e-2)


def case_persistent_matmul():
    check_persistent(False)


def case_warp_specialised_matmul():
    check_persistent(True)


case_warp_specialised_matmul.least = 100  # Triton 3.6 fails to compile it for sm_90a


@triton.jit
def specialised(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    sums = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=True):
        sums = tl.dot(a.load([row, k]), b.load([column, k]).T, sums)
    c.store([row, column], sums.to(tl.float16))


def case_warp_specialised_loop():
    a, b, c = torch.randn(128, 256).half(), torch.randn(128, 256).half(), torch.empty(128, 128).half()
    specialised[(1, 1)](TensorDescriptor.from_tensor(a, [128, 64]), TensorDescriptor.from_tensor(b, [128, 64]),
                        TensorDescriptor.from_tensor(c, [128, 128]), 128, 128, 256, BM=128, BN=128, BK=64, num_stages=3)  # fmt: skip
    torch.testing.assert_close(c.float(), a.float() @ b.float().T, rtol=2e-2, atol=1e-1)


case_warp_specialised_loop.least = 100
