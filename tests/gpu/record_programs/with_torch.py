"""torch.compile, forward and backward, and eager operations."""
import torch

torch.manual_seed(0)
torch.backends.cuda.matmul.allow_tf32 = False


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.second = torch.nn.Linear(64, 96), torch.nn.LayerNorm(96), torch.nn.Linear(96, 32)

    def forward(self, x):
        return torch.softmax(self.second(torch.nn.functional.gelu(self.norm(self.first(x)))), -1)


model = Network().cuda()
compiled = torch.compile(model)
for rows in (16, 48):
    x = torch.randn(rows, 64, device="cuda")
    loss = (compiled(x) ** 2).sum() + x.sin().mean()
    loss.backward()
    print(f"{loss.item():.4f}")


@torch.compile
def pointwise(x, y):
    return (x * y).relu() + x.float().cumsum(0), torch.sum(x, 1), x.amax(0), torch.sort(y, 1)[0]


for kind in (torch.float32, torch.float16, torch.bfloat16):
    for shape in ((32, 32), (17, 65)):
        x, y = (torch.randn(shape, device="cuda").to(kind) for _ in range(2))
        print(f"{sum(part.float().sum().item() for part in pointwise(x, y)):.1f}")
