"""Matrix products: pipelined, tuned, split, of narrow types, grouped, in clusters."""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, M, N, K, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACTIVATION: tl.constexpr = ""):
    rows = (tl.program_id(0) * BM + tl.arange(0, BM)) % M
    columns = (tl.program_id(1) * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a_at = a + rows[:, None] * am + k[None, :] * ak
    b_at = b + k[:, None] * bk + columns[None, :] * bn
    sums = tl.zeros((BM, BN), tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        left = tl.load(a_at, mask=k[None, :] < K - step * BK, other=0.0)
        right = tl.load(b_at, mask=k[:, None] < K - step * BK, other=0.0)
        sums = tl.dot(left, right, sums)
        a_at += BK * ak
        b_at += BK * bk
    if ACTIVATION == "relu":
        sums = tl.maximum(sums, 0.0)
    row, column = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    tl.store(c + row[:, None] * cm + column[None, :] * cn, sums.to(c.dtype.element_ty), (row[:, None] < M) & (column[None, :] < N))


def launch(kernel, a, b, c, **options):
    (M, K), N = a.shape, b.shape[1]
    grid = lambda meta: (triton.cdiv(M, meta["BM"]), triton.cdiv(N, meta["BN"]))  # noqa: E731
    return kernel[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(), **options)


def check(dtype, **options):
    a, b = torch.randn(100, 160).to(dtype), torch.randn(160, 72).to(dtype)
    c = torch.empty(100, 72, dtype=torch.float32)
    launch(matmul, a, b, c, **options)
    torch.testing.assert_close(c, a.float() @ b.float(), rtol=2e-2, atol=2e-2)


def case_matmul_f16():
    check(torch.float16, BM=64, BN=64, BK=32, num_stages=3)


def case_matmul_bf16_of_eight_warps():
    check(torch.bfloat16, BM=128, BN=64, BK=64, num_warps=8, num_stages=4)


def case_matmul_tf32():
    check(torch.float32, BM=64, BN=32, BK=32)


def case_matmul_f8():
    check(torch.float8_e5m2, BM=64, BN=64, BK=64)


def case_matmul_i8():
    a, b = torch.randint(-9, 9, (64, 96), dtype=torch.int8), torch.randint(-9, 9, (96, 64), dtype=torch.int8)
    c = torch.empty(64, 64, dtype=torch.int32)
    launch(integers, a, b, c, BM=64, BN=64, BK=32)
    assert torch.equal(c, a.int() @ b.int())


@triton.jit
def integers(a, b, c, M, N, K, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows, columns, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    sums = tl.zeros((BM, BN), tl.int32)
    for step in range(0, K, BK):
        left = tl.load(a + rows[:, None] * am + (step + k)[None, :] * ak)
        sums = tl.dot(left, tl.load(b + (step + k)[:, None] * bk + columns[None, :] * bn), sums, out_dtype=tl.int32)
    tl.store(c + rows[:, None] * cm + columns[None, :] * cn, sums)


def case_matmul_in_a_cluster():
    check(torch.float16, BM=128, BN=64, BK=32, num_ctas=2)


case_matmul_in_a_cluster.least = 90

tuned = triton.autotune(
    [
        triton.Config({"BM": 128, "BN": 128, "BK": 128}, num_stages=8, num_warps=8),  # does not fit into shared memory
        triton.Config({"BM": 64, "BN": 64, "BK": 32}, num_stages=3, num_warps=4),
        triton.Config({"BM": 32, "BN": 32, "BK": 32}, num_stages=2, num_warps=2),
    ],
    key=["M", "N", "K"],
)(matmul)


def case_autotuned():
    a, b = torch.randn(100, 160).half(), torch.randn(160, 72).half()
    c = torch.empty(100, 72)
    launch(tuned, a, b, c, ACTIVATION="relu")
    torch.testing.assert_close(c, (a.float() @ b.float()).relu(), rtol=2e-2, atol=2e-2)
    assert tuned.best_config.kwargs["BM"] == 64, tuned.best_config


@triton.jit
def split_k(a, b, c, M, N, K, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    sums = tl.zeros((BM, BN), tl.float32)
    for step in range(tl.program_id(2) * BK, K, BK * SPLIT):
        k = step + tl.arange(0, BK)
        left = tl.load(a + rows[:, None] * am + k[None, :] * ak)
        sums += tl.dot(left, tl.load(b + k[:, None] * bk + columns[None, :] * bn))
    tl.atomic_add(c + rows[:, None] * cm + columns[None, :] * cn, sums)


def case_split_k():
    a, b, c = torch.randn(64, 256).half(), torch.randn(256, 64).half(), torch.zeros(64, 64)
    split_k[(2, 1, 4)](a, b, c, 64, 64, 256, *a.stride(), *b.stride(), *c.stride(), BM=32, BN=64, BK=32, SPLIT=4)
    torch.testing.assert_close(c, a.float() @ b.float(), rtol=2e-2, atol=2e-2)


@triton.jit
def grouped(addresses, sizes, groups, N: tl.constexpr):
    for group in range(tl.program_id(0), groups, tl.num_programs(0)):
        a = tl.load(addresses + group * 3).to(tl.pointer_type(tl.float16))
        b = tl.load(addresses + group * 3 + 1).to(tl.pointer_type(tl.float16))
        c = tl.load(addresses + group * 3 + 2).to(tl.pointer_type(tl.float32))
        i, k = tl.arange(0, N), tl.arange(0, 32)
        sums = tl.zeros((N, N), tl.float32)
        K = tl.load(sizes + group)
        for step in range(0, K, 32):
            left = tl.load(a + i[:, None] * K + (step + k)[None, :])
            sums += tl.dot(left, tl.load(b + (step + k)[:, None] * N + i[None, :]))
        tl.store(c + i[:, None] * N + i[None, :], sums)


def case_grouped_by_addresses():
    sizes = [64, 32, 128]
    tensors = [(torch.randn(32, k).half(), torch.randn(k, 32).half(), torch.empty(32, 32)) for k in sizes]
    addresses = torch.tensor([each.data_ptr() for group in tensors for each in group])
    before = addresses.clone()
    grouped[(2,)](addresses, torch.tensor(sizes), len(sizes), N=32)
    for a, b, c in tensors:
        torch.testing.assert_close(c, a.float() @ b.float(), rtol=2e-2, atol=2e-2)
    assert torch.equal(addresses, before)


@triton.jit
def scaled(a, a_scale, b, b_scale, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows, columns, k, s = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K), tl.arange(0, K // 32)
    left, right = tl.load(a + rows[:, None] * K + k[None, :]), tl.load(b + k[:, None] * N + columns[None, :])
    left_scale = tl.load(a_scale + rows[:, None] * (K // 32) + s[None, :])
    right_scale = tl.load(b_scale + columns[:, None] * (K // 32) + s[None, :])
    tl.store(c + rows[:, None] * N + columns[None, :], tl.dot_scaled(left, left_scale, "e5m2", right, right_scale, "e5m2"))


def case_scaled_product():
    M, N, K = 128, 64, 128
    a, b = torch.randn(M, K).to(torch.float8_e5m2), torch.randn(K, N).to(torch.float8_e5m2)
    a_scale, b_scale = (torch.randint(124, 130, (size, K // 32), dtype=torch.uint8) for size in (M, N))
    c = torch.empty(M, N)
    scaled[(1,)](a, a_scale, b, b_scale, c, M, N, K)
    power = lambda scale: torch.exp2(scale.float() - 127).repeat_interleave(32, 1)  # noqa: E731
    expected = (a.float() * power(a_scale)) @ (b.float() * power(b_scale).T)
    torch.testing.assert_close(c, expected, rtol=2e-2, atol=2e-1)
