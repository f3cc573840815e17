"""Kernels of neural networks: attention, layer normalisation with its gradients."""

import torch
import triton
import triton.language as tl


@triton.jit
def attention(q, k, v, out, N, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    head = tl.program_id(1).to(tl.int64) * N * D
    rows, columns, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    query = tl.load(q + head + rows[:, None] * D + d[None, :])
    most, total = tl.full((BM,), -float("inf"), tl.float32), tl.zeros((BM,), tl.float32)
    sums = tl.zeros((BM, D), tl.float32)
    end = (tl.program_id(0) + 1) * BM if CAUSAL else N
    for start in range(0, end, BN):
        at = start + columns
        scores = tl.dot(query, tl.load(k + head + at[None, :] * D + d[:, None])) * (scale * 1.44269504)
        if CAUSAL:
            scores = tl.where(rows[:, None] >= at[None, :], scores, -float("inf"))
        larger = tl.maximum(most, tl.max(scores, 1))
        powers, decay = tl.exp2(scores - larger[:, None]), tl.exp2(most - larger)
        sums = tl.dot(powers.to(v.dtype.element_ty), tl.load(v + head + at[:, None] * D + d[None, :]), sums * decay[:, None])
        total, most = total * decay + tl.sum(powers, 1), larger
    tl.store(out + head + rows[:, None] * D + d[None, :], (sums / total[:, None]).to(out.dtype.element_ty))


def check_attention(causal, dtype, **options):
    q, k, v = (torch.randn(1, 2, 128, 64).to(dtype) for _ in range(3))
    out = torch.empty_like(q)
    attention[(2, 2)](q, k, v, out, 128, 0.125, D=64, BM=64, BN=32, CAUSAL=causal, **options)
    expected = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=causal)
    torch.testing.assert_close(out.float(), expected, rtol=2e-2, atol=2e-2)


def case_attention():
    check_attention(False, torch.float16, num_stages=2)


def case_causal_attention():
    check_attention(True, torch.bfloat16, num_stages=3)


@triton.jit
def layer_norm(x, out, weight, bias, means, scales, N, eps, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * N + i, i < N, other=0.0)
    mean = tl.sum(values, 0) / N
    away = tl.where(i < N, values - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(away * away, 0) / N + eps)
    tl.store(means + row, mean)
    tl.store(scales + row, scale)
    tl.store(out + row * N + i, away * scale * tl.load(weight + i, i < N) + tl.load(bias + i, i < N), i < N)


@triton.jit
def layer_norm_gradient(dx, dy, dw, db, x, weight, means, scales, locks, N, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    inside, group = i < N, row % GROUPS
    away = (tl.load(x + row * N + i, inside, other=0.0) - tl.load(means + row)) * tl.load(scales + row)
    away = tl.where(inside, away, 0.0)
    given = tl.load(dy + row * N + i, inside, other=0.0)
    weighted = tl.load(weight + i, inside, other=0.0) * given
    both = (away * tl.sum(away * weighted, 0) + tl.sum(weighted, 0)) / N
    tl.store(dx + row * N + i, (weighted - both) * tl.load(scales + row), inside)
    while tl.atomic_cas(locks + group, 0, 1) == 1:
        pass
    first = tl.load(locks + GROUPS + group) == 0
    at = group * N + i
    tl.store(dw + at, given * away + tl.where(first, 0.0, tl.load(dw + at, inside, other=0.0)), inside)
    tl.store(db + at, given + tl.where(first, 0.0, tl.load(db + at, inside, other=0.0)), inside)
    tl.atomic_xchg(locks + GROUPS + group, 1)
    tl.debug_barrier()
    tl.atomic_xchg(locks + group, 0)


def case_layer_norm_and_gradients():
    rows, N, groups = 12, 300, 4
    x, weight, bias, dy = torch.randn(rows, N), torch.rand(N), torch.rand(N), torch.randn(rows, N)
    out, means, scales = torch.empty_like(x), torch.empty(rows), torch.empty(rows)
    layer_norm[(rows,)](x, out, weight, bias, means, scales, N, 1e-5, BLOCK=512)
    leaves = [each.clone().requires_grad_() for each in (x, weight, bias)]
    expected = torch.nn.functional.layer_norm(leaves[0], (N,), leaves[1], leaves[2])
    expected.backward(dy)
    torch.testing.assert_close(out, expected.detach())
    dx, dw, db = torch.empty_like(x), torch.empty(groups, N), torch.empty(groups, N)
    locks = torch.zeros(2 * groups, dtype=torch.int32)
    layer_norm_gradient[(rows,)](dx, dy, dw, db, x, weight, means, scales, locks, N, GROUPS=groups, BLOCK=512)
    for got, leaf in zip((dx, dw.sum(0), db.sum(0)), leaves):
        torch.testing.assert_close(got, leaf.grad, rtol=1e-4, atol=1e-4)
