"""Gluon's kernels: layouts, shared memory, TMA with barriers, wgmma."""

import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma, warpgroup_mma, warpgroup_mma_wait
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor


@gluon.jit
def transpose(x, out, ROWS: gl.constexpr, COLUMNS: gl.constexpr):
    wide: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
    i = gl.arange(0, ROWS, gl.SliceLayout(1, wide))
    j = gl.arange(0, COLUMNS, gl.SliceLayout(0, wide))
    values = gl.load(x + i[:, None] * COLUMNS + j[None, :])
    tall: gl.constexpr = gl.BlockedLayout([4, 1], [4, 8], [1, 4], [0, 1])
    turned = gl.convert_layout(values, tall)
    i2 = gl.arange(0, ROWS, gl.SliceLayout(1, tall))
    j2 = gl.arange(0, COLUMNS, gl.SliceLayout(0, tall))
    gl.store(out + j2[None, :] * ROWS + i2[:, None], turned)


def case_layouts():
    x, out = torch.randn(64, 32), torch.empty(32, 64)
    transpose[(1,)](x, out, 64, 32)
    assert torch.equal(out, x.T)


@gluon.jit
def copy_tile(source, target, ROWS: gl.constexpr, COLUMNS: gl.constexpr):
    tile = gl.allocate_shared_memory(source.dtype, [ROWS, COLUMNS], source.layout)
    barrier = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(barrier, count=1)
    row = gl.program_id(0) * ROWS
    mbarrier.expect(barrier, source.block_type.nbytes)
    tma.async_copy_global_to_shared(source, [row, 0], barrier, tile)
    mbarrier.wait(barrier, 0)
    mbarrier.invalidate(barrier)
    tma.async_copy_shared_to_global(target, [row, 0], tile)
    tma.store_wait(0)


def case_tma():
    x, out = torch.randn(128, 64).half(), torch.zeros(128, 64).half()
    layout = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
    copy_tile[(2,)](TensorDescriptor.from_tensor(x, [64, 64], layout), TensorDescriptor.from_tensor(out, [64, 64], layout), 64, 64)
    assert torch.equal(out, x)


case_tma.least = 90


@gluon.jit
def product(a, b, c, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr):
    registers: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    sums_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, N, 16])
    i, j = gl.arange(0, M, gl.SliceLayout(1, registers)), gl.arange(0, K, gl.SliceLayout(0, registers))
    k, n = gl.arange(0, K, gl.SliceLayout(1, registers)), gl.arange(0, N, gl.SliceLayout(0, registers))
    left = gl.allocate_shared_memory(gl.float16, [M, K], shared, gl.load(a + i[:, None] * K + j[None, :]))
    right = gl.allocate_shared_memory(gl.float16, [K, N], shared, gl.load(b + k[:, None] * N + n[None, :]))
    fence_async_shared()
    sums = warpgroup_mma(left, right, gl.zeros([M, N], gl.float32, sums_layout), is_async=True)
    sums = warpgroup_mma_wait(0, deps=(sums,))
    row, column = gl.arange(0, M, gl.SliceLayout(1, sums_layout)), gl.arange(0, N, gl.SliceLayout(0, sums_layout))
    gl.store(c + row[:, None] * N + column[None, :], sums)


def case_wgmma():
    a, b, c = torch.randn(64, 64).half(), torch.randn(64, 64).half(), torch.empty(64, 64)
    product[(1,)](a, b, c, 64, 64, 64)
    torch.testing.assert_close(c, a.float() @ b.float(), rtol=1e-2, atol=1e-2)


case_wgmma.only = 90
