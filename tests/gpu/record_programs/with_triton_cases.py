"""The kernels of triton_programs/ on the GPU. Usage: with_triton_cases.py MODULE"""
import importlib
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "triton_programs"))
torch.set_default_device("cuda")
compare = torch.testing.assert_close


def shown(actual, expected, **options):
    print(f"  {actual.double().sum().item():.3g}")
    return compare(actual, expected, **options)


torch.testing.assert_close = shown
module = importlib.import_module(sys.argv[1])
for name, case in list(vars(module).items()):
    if not name.startswith("case_") or "autotuned" in name or getattr(case, "only", 90) != 90 or getattr(case, "least", 0) > 90:
        continue
    torch.manual_seed(0)
    try:
        case()
        torch.cuda.synchronize()
        print(name, "right")
    except Exception as error:
        print(name, type(error).__name__)
        print(name, error, file=sys.stderr)
