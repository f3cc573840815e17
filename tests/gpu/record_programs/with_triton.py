"""Triton's kernels: elementwise, reductions, products, descriptors."""
import torch
import triton
import triton.language as tl

torch.manual_seed(0)


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n) + tl.load(y + at, at < n), at < n)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + at, at < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * columns + at, e / tl.sum(e, 0), at < columns)


@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows, columns, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for at in range(0, K, BK):
        total += tl.dot(tl.load(a + rows[:, None] * K + (at + k)[None, :]), tl.load(b + (at + k)[:, None] * N + columns[None, :]))
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(c.dtype.element_ty))


@triton.jit
def histogram(x, counts, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(counts + tl.load(x + at, at < n, other=0), 1, at < n)


for kind in (torch.float32, torch.float16, torch.bfloat16):
    for n in (1000, 4096):
        x, y = (torch.randn(n, device="cuda").to(kind) for _ in range(2))
        out = torch.empty_like(x)
        for block in (128, 256, 1024):
            add[(triton.cdiv(n, block),)](x, y, out, n, BLOCK=block)
    for columns in (33, 64, 200):
        x = torch.randn(8, columns, device="cuda").to(torch.float32)
        out = torch.empty_like(x)
        softmax[(8,)](x, out, columns, BLOCK=triton.next_power_of_2(columns))
        print(f"{out.sum().item():.3f}")
for kind in (torch.float16, torch.bfloat16):
    for m, n, k in ((64, 64, 64), (128, 128, 128), (128, 64, 192)):
        a, b = torch.randn(m, k, device="cuda").to(kind), torch.randn(k, n, device="cuda").to(kind)
        c = torch.empty(m, n, device="cuda", dtype=kind)
        for bm, bn in ((64, 64), (32, 32)):
            product[(m // bm, n // bn)](a, b, c, m, n, k, BM=bm, BN=bn, BK=32)
        print(f"{c.float().abs().sum().item():.0f}")
x = torch.randint(0, 16, (2000,), device="cuda", dtype=torch.int32)
counts = torch.zeros(16, device="cuda", dtype=torch.int32)
histogram[(8,)](x, counts, 2000, BLOCK=256)
print(counts.tolist())
