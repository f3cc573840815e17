"""Triton's backend for NVIDIA's GPUs, up to PTX. Its last stage, `ptxas`, is left out and need not be installed."""

import sys

_PTX_VERSION = 86  # used if no ptxas has a version
_NEWER = {103: 88, 110: 90, 121: 88}  # the first PTX version that has each of these targets


class _Unset:
    ptx_version = None


def _version(module, capability):
    """The PTX version that Triton writes. It is that of Triton's ptxas if Triton has one."""
    for arguments in ((_Unset, capability), (_Unset,)):
        try:
            return module.get_ptx_version_from_options(*arguments)
        except TypeError:
            continue  # Triton 3.2 has one ptxas for all targets
        except (RuntimeError, OSError, AttributeError):
            break
    return _NEWER.get(capability, _PTX_VERSION)


def emulated(nvidia):
    """Makes a subclass of Triton's backend for NVIDIA's GPUs."""

    class EmulatedBackend(nvidia):
        def __init__(self, target):
            super().__init__(target)
            self.binary_ext = "ptx"

        def parse_options(self, opts):
            if opts.get("ptx_version") is None:
                opts = {**opts, "ptx_version": _version(sys.modules[nvidia.__module__], self.target.arch)}
            return super().parse_options(opts)

        def add_stages(self, stages, *arguments):
            super().add_stages(stages, *arguments)
            stages.pop("cubin", None)

        def hash(self):  # part of the cache's keys: distinguishes kernels without a cubin from kernels for a GPU
            return f"lanescope-{self.target.arch}"

    return EmulatedBackend
