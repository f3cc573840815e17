"""Triton's kernels for `sm_80` as peers of ours: compiled for it by the installed Triton, and their PTX translated by the
driver of the GPU at hand, as it translates ours.

  for name, call in matmul(a, b, out): …            # also attention(q, k, v, out, causal)

Needs Triton 3.6 and PyTorch on a GPU. The kernels are the usual ones: a product in groups of rows of tiles, and flash
attention with the result in registers."""
import ctypes
import itertools
import re

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from launching import MAX_DYNAMIC_SHARED, driver

TARGET = GPUTarget("cuda", 80, 32)
MOST_SHARED = 163 << 10  # bytes that a block may have on an A100


@triton.jit
def product(a, b, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, TILE_M: tl.constexpr, TILE_N: tl.constexpr,
            TILE_K: tl.constexpr, GROUP: tl.constexpr):
    tiles_m: tl.constexpr = M // TILE_M
    tiles_n: tl.constexpr = N // TILE_N
    number = tl.program_id(0)
    first = number // (GROUP * tiles_n) * GROUP
    height = min(tiles_m - first, GROUP)
    row = first + number % (GROUP * tiles_n) % height
    column = number % (GROUP * tiles_n) // height
    m, n, k = row * TILE_M + tl.arange(0, TILE_M), column * TILE_N + tl.arange(0, TILE_N), tl.arange(0, TILE_K)
    left, right = a + m[:, None] * K + k[None, :], b + k[:, None] * N + n[None, :]
    total = tl.zeros((TILE_M, TILE_N), tl.float32)
    for _ in range(K // TILE_K):
        total = tl.dot(tl.load(left), tl.load(right), total)
        left += TILE_K
        right += TILE_K * N
    tl.store(out + m[:, None] * N + n[None, :], total.to(tl.float16))


@triton.jit
def attend(q, k, v, out, SEQUENCE: tl.constexpr, HEADS: tl.constexpr, WIDTH: tl.constexpr, CAUSAL: tl.constexpr,
           BLOCK_Q: tl.constexpr, BLOCK_KV: tl.constexpr):
    ROW: tl.constexpr = HEADS * WIDTH
    block = tl.num_programs(1) - 1 - tl.program_id(1) if CAUSAL else tl.program_id(1)
    base = tl.program_id(0) // HEADS * SEQUENCE * ROW + tl.program_id(0) % HEADS * WIDTH
    rows, columns, within = block * BLOCK_Q + tl.arange(0, BLOCK_Q), tl.arange(0, BLOCK_KV), tl.arange(0, WIDTH)
    mine = base + rows[:, None] * ROW + within[None, :]
    query = tl.load(q + mine)
    keys, values = k + base + columns[None, :] * ROW + within[:, None], v + base + columns[:, None] * ROW + within[None, :]
    largest = tl.full((BLOCK_Q,), -1e30, tl.float32)
    weight = tl.zeros((BLOCK_Q,), tl.float32)
    total = tl.zeros((BLOCK_Q, WIDTH), tl.float32)
    end = (block + 1) * BLOCK_Q if CAUSAL else SEQUENCE
    for first in range(0, end, BLOCK_KV):
        scores = tl.dot(query, tl.load(keys + first * ROW)) * 1.4426950408889634
        if CAUSAL:
            scores = tl.where(rows[:, None] >= first + columns[None, :], scores, -1e30)
        above = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.exp2(scores - above[:, None])
        correction = tl.exp2(largest - above)
        weight = weight * correction + tl.sum(weights, 1)
        total = tl.dot(weights.to(tl.float16), tl.load(values + first * ROW), total * correction[:, None])
        largest = above
    tl.store(out + mine, (total / weight[:, None]).to(tl.float16))


def _compiled(kernel, pointers, constants, warps, stages):
    """A call of the kernel: call(grid, tensors). None if a block would need more shared memory than an A100 has."""
    signature = {name: "*fp16" for name in pointers} | {name: "constexpr" for name in constants}
    source = ASTSource(kernel, signature, constants, {(i,): [["tt.divisibility", 16]] for i in range(len(pointers))})
    made = triton.compile(source, target=TARGET, options={"num_warps": warps, "num_stages": stages})
    if made.metadata.shared > MOST_SHARED:
        return None
    ptx = made.asm["ptx"]
    entry, parameters = re.search(r"\.entry\s+(\w+)\(([^)]*)\)", ptx).groups()
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    driver("cuModuleLoadData", ctypes.byref(module), ptx.encode() + b"\0")
    driver("cuModuleGetFunction", ctypes.byref(function), module, entry.encode())
    driver("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, made.metadata.shared)
    scratch = parameters.count(".param") - len(pointers)  # pointers to scratch memory, which these kernels do not use

    def call(grid, tensors):
        import torch
        values = [ctypes.c_uint64(tensor.data_ptr()) for tensor in tensors] + [ctypes.c_uint64(0)] * scratch
        addresses = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
        driver("cuLaunchKernel", function, *grid, 32 * warps, 1, 1, made.metadata.shared,
               ctypes.c_void_p(torch.cuda.current_stream().cuda_stream), addresses, None)

    return call


def matmul(a, b, out):
    (m, k), n = a.shape, b.shape[1]
    tiles = ((128, 128, 32, 4), (128, 128, 64, 4), (128, 128, 64, 8), (128, 256, 32, 8), (256, 128, 32, 8), (128, 256, 64, 8),
             (64, 256, 32, 4), (128, 64, 64, 4))
    for (tile_m, tile_n, tile_k, warps), stages in itertools.product(tiles, (3, 4)):
        if m % tile_m == 0 and n % tile_n == 0 and k % tile_k == 0:
            constants = dict(M=m, N=n, K=k, TILE_M=tile_m, TILE_N=tile_n, TILE_K=tile_k, GROUP=8)
            if call := _compiled(product, ("a", "b", "out"), constants, warps, stages):
                grid = (m // tile_m * (n // tile_n), 1, 1)
                yield (f"Triton for sm_80, {tile_m}x{tile_n}x{tile_k}, {warps} warps, {stages} stages",
                       lambda call=call, grid=grid: call(grid, (a, b, out)))


def attention(q, k, v, out, causal):
    batch, sequence, heads, width = q.shape
    blocks = ((64, 32, 4), (64, 64, 4), (128, 32, 4), (128, 64, 4), (128, 64, 8), (128, 128, 8))
    for (block_q, block_kv, warps), stages in itertools.product(blocks, (2, 3)):
        constants = dict(SEQUENCE=sequence, HEADS=heads, WIDTH=width, CAUSAL=causal, BLOCK_Q=block_q, BLOCK_KV=block_kv)
        if call := _compiled(attend, ("q", "k", "v", "out"), constants, warps, stages):
            grid = (batch * heads, sequence // block_q, 1)
            yield (f"Triton for sm_80, {block_q} rows by {block_kv}, {warps} warps, {stages} stages",
                   lambda call=call, grid=grid: call(grid, (q, k, v, out)))
