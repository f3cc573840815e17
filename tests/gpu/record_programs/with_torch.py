"""torch.compile, forward and backward, and eager operations. Usage: with_torch.py networks|elementwise|reductions|indices"""
import sys
import time

import torch
import torch.nn.functional as F

torch.manual_seed(0)
torch.backends.cuda.matmul.allow_tf32 = False
FLOATS, WIDE = (torch.float32, torch.float16, torch.bfloat16), (torch.float32, torch.float64)


def random(shape, kind):
    if kind.is_floating_point:
        return torch.randn(shape, device="cuda", dtype=torch.float32).to(kind)
    return torch.randint(0, 2 if kind == torch.bool else 50, shape, device="cuda").to(kind)


def show(name, results):
    parts = results if isinstance(results, (tuple, list)) else (results,)
    print(name, *(f"{part.detach().double().sum().item():.4g}" for part in parts))


def each(name, function, kinds, shapes, arguments=2):
    """Compiles the function for each type and shape, and shows its results."""
    for kind in kinds:
        for shape in shapes:
            torch._dynamo.reset()  # so that each shape has kernels of its own
            show(f"{name} {kind} {tuple(shape)}", torch.compile(function, dynamic=False)(*(random(shape, kind) for _ in range(arguments))))


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.second = torch.nn.Linear(64, 96), torch.nn.LayerNorm(96), torch.nn.Linear(96, 32)

    def forward(self, x):
        return torch.softmax(self.second(F.gelu(self.norm(self.first(x)))), -1)


class Convolution(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.second = torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.Conv2d(8, 4, 3, stride=2)

    def forward(self, x):
        return F.max_pool2d(self.second(F.silu(self.norm(self.first(x)))), 2).flatten(1)


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out, self.norm = torch.nn.Linear(32, 96), torch.nn.Linear(32, 32), torch.nn.RMSNorm(32)

    def forward(self, x):
        q, k, v = (part.view(*x.shape[:2], 2, 16).transpose(1, 2) for part in self.qkv(self.norm(x)).chunk(3, -1))
        scores = (q @ k.transpose(-1, -2)) * 0.25
        scores = scores.masked_fill(torch.ones(x.shape[1], x.shape[1], device=x.device).triu(1).bool(), float("-inf"))
        return x + self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))


def networks():
    for model, shapes in ((Network(), ((16, 64), (48, 64))), (Convolution(), ((2, 3, 16, 16), (1, 3, 20, 12))), (Attention(), ((2, 24, 32), (1, 40, 32)))):
        model = model.cuda()
        optimizer = torch.optim.AdamW(model.parameters(), 1e-2, fused=False, foreach=False, capturable=True)
        for shape in shapes:
            torch._dynamo.reset()
            compiled = torch.compile(model, dynamic=False)
            x = random(shape, torch.float32).requires_grad_()
            loss = (compiled(x) ** 2).sum() + x.sin().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            show(f"{type(model).__name__} {shape}", (loss, x.grad))
    for kind in (torch.float16, torch.bfloat16):
        torch._dynamo.reset()
        model = Network().cuda().to(kind)
        x = random((16, 64), kind).requires_grad_()
        torch.compile(model, dynamic=False)(x).float().square().sum().backward()
        show(f"Network {kind}", x.grad)
    for lossOf in (F.mse_loss, F.smooth_l1_loss, F.binary_cross_entropy_with_logits):
        torch._dynamo.reset()
        x, y = random((24, 10), torch.float32).requires_grad_(), random((24, 10), torch.float32).sigmoid()
        torch.compile(lossOf, dynamic=False)(x, y).backward()
        show(lossOf.__name__, x.grad)
    torch._dynamo.reset()
    x, y = random((24, 10), torch.float32).requires_grad_(), torch.randint(0, 10, (24,), device="cuda")
    torch.compile(F.cross_entropy, dynamic=False)(x, y).backward()
    show("cross_entropy", x.grad)


def elementwise():
    each("arithmetic", lambda x, y: (x * y + 1).relu() - x / (y.abs() + 1), FLOATS, ((32, 32), (17, 65)))
    each("exponentials", lambda x, y: torch.exp(-x * x) + torch.log1p(y.abs()) + torch.expm1(x * 0.1), FLOATS, ((33, 31),))
    each("trigonometry", lambda x, y: torch.sin(x) * torch.cos(y) + torch.atan2(x, y) + torch.tan(x * 0.1), WIDE, ((500,),))
    each("hyperbolic", lambda x, y: torch.tanh(x) + torch.sinh(y * 0.5) + torch.asinh(x), WIDE, ((70,),))
    each("special", lambda x, y: torch.erf(x) + torch.lgamma(y.abs() + 1) + torch.sigmoid(x) * torch.special.i0(y), (torch.float32,), ((128,),))
    each("roots", lambda x, y: torch.sqrt(x.abs()) + torch.rsqrt(y.abs() + 1) + x.abs().pow(1.5), FLOATS, ((257,),))
    each("rounding", lambda x, y: torch.floor(x * 4) + torch.ceil(y) + torch.round(x) + torch.trunc(y * 3) + torch.frac(x), FLOATS[:2], ((200,),))
    each("activations", lambda x, y: F.gelu(x) + F.silu(y) + F.hardswish(x) + F.elu(y) + F.softplus(x) + F.mish(y), FLOATS, ((64, 20),))
    each("choices", lambda x, y: torch.where(x > y, x, -y).clamp(-1, 1) + torch.maximum(x, y) + (x == y), FLOATS, ((40, 40),))
    each("integers", lambda x, y: (x * y + 3) // (y + 1) + x % (y + 2) - torch.maximum(x, y), (torch.int32, torch.int64, torch.int16), ((300,),))
    each("bits", lambda x, y: (x & y) ^ (x | 5) + (x << 2) - (y >> 1) + ~x, (torch.int32, torch.int64, torch.uint8), ((300,),))
    each("truth", lambda x, y: ((x & y) | ~x) ^ y, (torch.bool,), ((513,),))
    each("conversions", lambda x, y: (x.half().float() + y.bfloat16().float() + (x * 10).to(torch.int8).float()).double(), (torch.float32,), ((400,), (3, 129)))
    each("small floats", lambda x, y: x.to(torch.float8_e4m3fn).float() * y.to(torch.float8_e5m2).float(), (torch.float32,), ((256,),))
    each("complex", lambda x, y: torch.view_as_real(torch.complex(x, y) * torch.complex(y, x)), (torch.float32,), ((100,),))
    each("transposed", lambda x, y: x.t() * 2 + y.t().contiguous(), FLOATS[:2], ((33, 65), (64, 64)))
    each("random", lambda x, y: F.dropout(x, 0.5) + torch.rand_like(y) * torch.randn_like(x), (torch.float32,), ((40, 33),))


def reductions():
    each("sums", lambda x, y: (x.sum(0), y.sum(1), (x * y).sum()), FLOATS, ((32, 32), (17, 65)))
    each("extremes", lambda x, y: (x.amax(0), y.amin(1), x.argmax(1), y.argmin(0)), FLOATS, ((20, 33),))
    each("moments", lambda x, y: (x.var(1), y.std(0), x.mean(), y.norm()), WIDE, ((48, 20),))
    each("softmax", lambda x, y: (x.softmax(1), y.log_softmax(0), x.logsumexp(1)), FLOATS, ((24, 40), (5, 700)))
    each("norms", lambda x, y: (F.layer_norm(x, (x.shape[1],)), F.normalize(y, dim=1), x / x.square().mean(1, True).sqrt()), FLOATS, ((12, 96),))
    each("scans", lambda x, y: (x.cumsum(0), y.cumsum(1), x.cumprod(1)), (torch.float32, torch.int64), ((17, 33),))
    each("scans of logarithms", lambda x, y: (torch.logcumsumexp(x, 1), y.cummax(1)[0]), (torch.float32,), ((6, 50),))
    each("sorted", lambda x, y: (torch.sort(x, 1)[0], torch.sort(y, 1)[1], torch.sort(x, dim=1, stable=True)[1]), FLOATS, ((9, 30),))
    each("counts", lambda x, y: ((x > 0).sum(0), (y < 1).all(1), (x > 2).any(0), (x != 0).sum()), (torch.float32, torch.int32), ((30, 31),))
    each("products", lambda x, y: (x.prod(0), (y * 0.5).prod(1)), (torch.float32,), ((8, 12),))
    each("long", lambda x, y: (x.sum(), y.amax(), (x * y).mean()), (torch.float32,), ((10000,), (24, 1025)))
    each("groups", lambda x, y: F.group_norm(x.view(2, 8, -1), 4) + y.view(2, 8, -1), (torch.float32, torch.float16), ((16, 12),))


def indices():
    def gathered(x, at):
        return x[at], torch.gather(x, 1, at[:, None].expand(-1, 3) % x.shape[1]), x.index_select(0, at), torch.take_along_dim(x, at[:, None], 1)

    def scattered(x, at):
        out = torch.zeros_like(x)
        return out.index_add(0, at, x), torch.zeros_like(x).scatter_add(1, at[:, None].expand(-1, 2) % x.shape[1], x[:, :2]), out.index_put((at,), x)

    for kind in FLOATS:
        for rows in (20, 33):
            x, at = random((rows, 24), kind), torch.randperm(rows, device="cuda")  # rows that no other thread writes
            for function in (gathered, scattered):
                if kind != torch.float32 and function is scattered:
                    continue
                torch._dynamo.reset()
                show(f"{function.__name__} {kind} {rows}", torch.compile(function, dynamic=False)(x, at))
    for kind in FLOATS:
        torch._dynamo.reset()
        table, words = torch.nn.Parameter(random((50, 16), kind)), torch.randint(0, 50, (3, 9), device="cuda")
        torch.compile(F.embedding, dynamic=False)(words, table).float().square().sum().backward()
        show(f"embedding {kind}", table.grad)
    each("joined", lambda x, y: torch.cat((x, y * 2, x[:, :3]), 1), FLOATS, ((20, 12),))
    each("stacked", lambda x, y: torch.stack((x, y), 1).flip(0).roll(3, 2), (torch.float32,), ((20, 12),))
    each("padded", lambda x, y: F.pad(x, (1, 2, 3, 0)) + 1, (torch.float32, torch.float16), ((20, 12),), 2)
    each("reflected", lambda x, y: F.pad(x[None, None], (2, 2, 3, 3), mode="reflect"), (torch.float32,), ((20, 12),))
    each("triangles", lambda x, y: torch.tril(x) + torch.triu(y, 1) + torch.eye(x.shape[0], device="cuda"), (torch.float32,), ((24, 24),))
    each("pooled", lambda x, y: (F.avg_pool2d(x[None], 2), F.max_pool2d(y[None], 3, 2)), (torch.float32,), ((4, 16, 18),))
    each("resized", lambda x, y: (F.interpolate(x[None], scale_factor=2, mode="nearest"), F.interpolate(y[None], (9, 11), mode="bilinear")), (torch.float32,), ((3, 8, 10),))
    each("searched", lambda x, y: torch.searchsorted(torch.sort(x, 1)[0], y), (torch.float32,), ((4, 30),))
    each("repeated", lambda x, y: x.repeat(2, 3) + y.repeat_interleave(2, 0).repeat(1, 3), (torch.float32,), ((7, 11),))
    each("one hot", lambda x, y: F.one_hot(x, 50).sum(0) + torch.bucketize(y, torch.arange(0, 50, 5, device="cuda"))[:50], (torch.int64,), ((64,),))


def launches():
    """The time of a launch of an eager operation, on standard error: the least of several measurements."""
    x, count, least = torch.zeros(64, device="cuda"), 20000, 1e9
    for _ in range(8):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(count):
            x.add_(1)
        torch.cuda.synchronize()
        least = min(least, time.perf_counter() - begin)
    print(f"{least / count * 1e6:.4f} us a launch", file=sys.stderr)
    show("launches", x)


def training():
    """The time of a step of a training loop of small kernels, on standard error: the least of several measurements. The
    program's only output is that the loss fell, because sums by atomic operations have any order."""
    model = torch.nn.Sequential(*(layer for _ in range(6) for layer in (torch.nn.Linear(64, 64), torch.nn.LayerNorm(64), torch.nn.GELU()))).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    x, target = torch.randn(64, 64, device="cuda"), torch.randn(64, 64, device="cuda")

    def step():
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), target)
        loss.backward()
        optimizer.step()
        return loss

    first, count, least = step().item(), 200, 1e9
    for _ in range(8):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(count):
            step()
        torch.cuda.synchronize()
        least = min(least, time.perf_counter() - begin)
    print(f"{least / count * 1e6:.4f} us a step", file=sys.stderr)
    print("training", step().item() < first)


{"launches": launches, "training": training, "networks": networks, "elementwise": elementwise, "reductions": reductions, "indices": indices}[sys.argv[1]]()
