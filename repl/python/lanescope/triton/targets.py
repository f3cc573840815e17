"""The GPUs that kernels are compiled for, with the properties that Triton asks its driver for."""

import dataclasses
import re

from .. import _native


@dataclasses.dataclass(frozen=True)
class Target:
    capability: int  # 90 for sm_90a
    multiprocessors: int
    shared: int  # bytes of shared memory that a block may have


_KIB = 1024
# For each compute capability, the multiprocessors of a usual GPU, and the largest shared memory of a block (CUDA C++
# Programming Guide, "Technical Specifications per Compute Capability").
_KNOWN = {
    75: (40, 64), 80: (108, 163), 86: (84, 99), 87: (16, 163), 89: (128, 99), 90: (132, 227), 100: (148, 227), 103: (148, 227),
    110: (20, 227), 120: (170, 99), 121: (48, 99),
}  # fmt: skip


def target(arch):
    """The target for an architecture such as "sm_90a". None means the architecture of `lanescope.configure`. Triton
    itself adds the "a" from sm_90 on."""
    if arch is None:
        arch = _native.configure()["arch"]
    found = re.fullmatch(r"sm_?(\d+)([af]?)", str(arch))
    if not found or int(found[1]) not in _KNOWN:
        raise ValueError(f"{arch!r} is none of {', '.join(map(_name, _KNOWN))}")
    capability = int(found[1])
    if found[2] == "f" or (found[2] == "a") > (capability >= 90):
        raise ValueError(f"Triton compiles for {_name(capability)}, not for {arch}")
    multiprocessors, shared = _KNOWN[capability]
    return Target(capability, multiprocessors, shared * _KIB)


def _name(capability):
    return f"sm_{capability}{'a' if capability >= 90 else ''}"
