"""The problems that speed.py times, by name, with their inputs, PyTorch's result, and other libraries that solve them.

  matmul-4096x4096x4096-f16 (M x N x K)       cuBLAS (PyTorch), Pallas' hopper_matmul_mgpu in its own tuning space
  matmul-8192x8192x8192-f8e4m3fn              cuBLASLt (torch._scaled_mm), with and without fast accumulation
  attention-2x4096x16x128[-causal]            cuDNN and flash attention (PyTorch), Pallas' attention_mgpu
  attention_backward-2x4096x16x128[-causal]   the backward pass of the two (PyTorch): dq, dk, dv
  softmax|layer_norm|rms_norm-65536x1024-f32  PyTorch, torch.compile, a copy
  transpose-8192x8192-f16                     a copy

Needs PyTorch on a GPU. The Pallas peers need JAX.
"""
import itertools

import torch
import torch.nn.functional as functional

DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f8e4m3fn": torch.float8_e4m3fn}


class Problem:
    """`inputs` and `out` are our arrays. `work` is the amount of work, in `unit`s per microsecond's rate."""
    tolerance = 2e-2

    def tensors(self):
        """The tensors of each of our kernels, in the order of the launches."""
        return [self.inputs + [self.out]]

    def error(self):
        """The largest error of `out`, relative to 1 + the size of the right value."""
        wanted = self.reference().float()
        return ((self.out.float() - wanted).abs() / (1 + wanted.abs())).max().item()


class Matmul(Problem):
    unit = "TFLOP/s"

    def __init__(self, sizes, dtype):
        self.m, self.n, self.k = sizes
        self.work, kind = 2 * self.m * self.n * self.k / 1e6, DTYPES[dtype]
        self.narrow = kind.itemsize == 1
        b_shape = (self.n, self.k) if self.narrow else (self.k, self.n)
        self.a, self.b = (torch.randn(shape, device="cuda").to(kind) for shape in ((self.m, self.k), b_shape))
        self.one = torch.ones(1, device="cuda")
        self.out = torch.empty(self.m, self.n, device="cuda", dtype=torch.bfloat16 if self.narrow else kind)
        self.inputs = [self.a, self.b] + [self.one] * self.narrow

    def scaled(self, fast):
        return torch._scaled_mm(self.a, self.b.t(), scale_a=self.one, scale_b=self.one, out_dtype=torch.bfloat16,
                                use_fast_accum=fast)

    def reference(self):
        return self.scaled(True) if self.narrow else self.a @ self.b

    def peers(self):
        if self.narrow:
            yield "cuBLASLt, fast accumulation", lambda: self.scaled(True)
            yield "cuBLASLt", lambda: self.scaled(False)
            return
        other = torch.empty_like(self.out)
        yield "cuBLAS", lambda: torch.matmul(self.a, self.b, out=other)
        yield from self.pallas()

    def pallas(self):
        import jax
        from jax.experimental.pallas.ops.gpu import hopper_matmul_mgpu as module
        dims = module.MatmulDimension
        a, b = jax.dlpack.from_dlpack(self.a), jax.dlpack.from_dlpack(self.b)
        for warpgroups, minor, width in itertools.product((dims.N, dims.M), (dims.M, dims.N), (8, 16)):
            config = module.TuningConfig(tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=4, grid_minor_dim=minor,
                                         grid_tile_width=width, wg_dimension=warpgroups)
            run = jax.jit(lambda a, b, config=config: module.matmul(a, b, None, config=config)).lower(a, b).compile()
            name = f"Pallas, warpgroups along {warpgroups.name}, minor {minor.name}, width {width}"
            yield name, lambda run=run: run(a, b)


class Attention(Problem):
    unit = "TFLOP/s"

    def __init__(self, shape, causal):
        batch, sequence, heads, width = shape
        self.causal = causal
        self.work = 4 * batch * heads * sequence * sequence * width / 1e6 / (2 if causal else 1)
        self.inputs = [torch.randn(shape, device="cuda", dtype=torch.float16) for _ in range(3)]
        for small in self.inputs[:2]:
            small *= 0.3
        self.out = torch.empty_like(self.inputs[0])

    def attend(self, q, k, v):
        # Without a scale, as in Pallas's attention_mgpu.
        return functional.scaled_dot_product_attention(q, k, v, scale=1.0, is_causal=self.causal)

    def reference(self):
        return self.attend(*(x.transpose(1, 2) for x in self.inputs)).transpose(1, 2)

    def peers(self):
        from torch.nn.attention import SDPBackend, sdpa_kernel
        views = [x.transpose(1, 2) for x in self.inputs]
        layouts = {"as ours": views, "heads outermost": [x.contiguous() for x in views]}
        for name, backend in (("cuDNN", SDPBackend.CUDNN_ATTENTION), ("flash attention", SDPBackend.FLASH_ATTENTION)):
            for layout, arrays in layouts.items():
                def call(backend=backend, arrays=arrays):
                    with sdpa_kernel(backend):
                        return self.attend(*arrays)
                yield f"{name}, {layout}", call
        yield from self.pallas()

    def pallas(self):
        import jax
        from jax.experimental.pallas.ops.gpu import attention_mgpu as module
        arrays = [jax.dlpack.from_dlpack(x) for x in self.inputs]
        width = self.inputs[0].shape[-1]
        for block_q, block_kv, steps in ((64, 128, 2), (128, 128, 2)) + ((64, 256, 2),) * (width == 64):
            config = module.TuningConfig(block_q=block_q, block_kv=block_kv, max_concurrent_steps=steps,
                                         causal=self.causal)
            run = jax.jit(lambda q, k, v, config=config: module.attention(q, k, v, config)).lower(*arrays).compile()
            yield f"Pallas, block_q {block_q}, block_kv {block_kv}", lambda run=run: run(*arrays)


class AttentionBackward(Problem):
    unit = "TFLOP/s"

    def __init__(self, shape, causal):
        batch, sequence, heads, width = shape
        self.causal, self.work = causal, 10 * batch * heads * sequence * sequence * width / 1e6 / (2 if causal else 1)
        self.inputs = [torch.randn(shape, device="cuda", dtype=torch.float16) for _ in range(3)]
        for small in self.inputs[:2]:
            small *= 0.3
        self.gradient = torch.randn(shape, device="cuda", dtype=torch.float16)
        result, log_sum, *_ = torch.ops.aten._scaled_dot_product_flash_attention(
            *(x.transpose(1, 2) for x in self.inputs), 0.0, causal, False, scale=1.0)
        self.result, self.log_sum = result.transpose(1, 2).contiguous(), log_sum.float().contiguous()
        self.rows = [torch.empty_like(self.log_sum) for _ in range(2)]  # written by our first kernel for each row
        self.sum = torch.empty_like(self.gradient, dtype=torch.float32)  # the sum dq
        self.outs = [torch.empty_like(x) for x in self.inputs]
        self.out = torch.empty(0, device="cuda")

    def tensors(self):
        dq, dk, dv = self.outs
        return [[self.result, self.gradient, self.log_sum, *self.rows, self.sum],
                [*self.inputs, self.gradient, *self.rows, self.sum, dk, dv], [self.sum, dq]]

    def backward(self, backend):
        """The backward pass alone, as a function. The forward pass runs once, here."""
        from torch.nn.attention import sdpa_kernel
        arrays = [x.clone().requires_grad_() for x in self.inputs]
        with sdpa_kernel(backend):
            made = functional.scaled_dot_product_attention(*(x.transpose(1, 2) for x in arrays), scale=1.0, is_causal=self.causal)
        given = self.gradient.transpose(1, 2)
        return lambda: torch.autograd.grad(made, arrays, given, retain_graph=True)

    def error(self):
        from torch.nn.attention import SDPBackend
        wanted = self.backward(SDPBackend.FLASH_ATTENTION)()
        return max(((mine.float() - right.float()).abs().max() / right.float().abs().max()).item()
                   for mine, right in zip(self.outs, wanted))

    def peers(self):
        from torch.nn.attention import SDPBackend
        for name, backend in (("cuDNN", SDPBackend.CUDNN_ATTENTION), ("flash attention", SDPBackend.FLASH_ATTENTION)):
            yield name, self.backward(backend)


class Rows(Problem):
    unit = "GB/s"

    def __init__(self, kind, shape, dtype):
        self.x = torch.randn(shape, device="cuda", dtype=DTYPES[dtype])
        gain, shift = (torch.randn(shape[1:], device="cuda", dtype=DTYPES[dtype]) for _ in range(2))
        self.function = {"softmax": lambda x: torch.softmax(x, -1),
                         "layer_norm": lambda x, g, s: functional.layer_norm(x, shape[1:], g, s, 1e-5),
                         "rms_norm": lambda x, g: functional.rms_norm(x, shape[1:], g, 1e-5)}[kind]
        self.inputs = {"softmax": [self.x], "layer_norm": [self.x, gain, shift], "rms_norm": [self.x, gain]}[kind]
        self.out = torch.empty_like(self.x)
        self.work = 2 * self.x.nbytes / 1e3
        self.tolerance = 1e-4 if dtype == "f32" else 2e-2

    def reference(self):
        return self.function(*self.inputs)

    def peers(self):
        yield "PyTorch", lambda: self.function(*self.inputs)
        torch._dynamo.reset()
        compiled = torch.compile(self.function)
        yield "torch.compile", lambda: compiled(*self.inputs)
        other = torch.empty_like(self.x)
        yield "copy", lambda: torch.mul(self.x, 1, out=other)  # a kernel, because CUPTI does not count a memcpy as one


class Transpose(Problem):
    unit = "GB/s"
    tolerance = 0

    def __init__(self, shape, dtype):
        self.x = torch.randn(shape, device="cuda").to(DTYPES[dtype])
        self.inputs, self.out = [self.x], torch.empty(shape[::-1], device="cuda", dtype=DTYPES[dtype])
        self.work = 2 * self.x.nbytes / 1e3

    def reference(self):
        return self.x.t()

    def peers(self):
        other = torch.empty_like(self.x)
        yield "copy", lambda: torch.mul(self.x, 1, out=other)


def problem(name):
    torch.manual_seed(0)
    kind, sizes, *rest = name.split("-")
    shape = tuple(map(int, sizes.split("x")))
    if kind == "matmul":
        return Matmul(shape, rest[0])
    if kind.startswith("attention"):
        return (Attention if kind == "attention" else AttentionBackward)(shape, "causal" in rest)
    return Transpose(shape, rest[0]) if kind == "transpose" else Rows(kind, shape, rest[0])
