"""TPUs and their SparseCores: `pltpu.get_tpu_info()`, `plsc.get_sparse_core_info()`."""

import dataclasses
import enum

from .. import standin
from . import dtypes as dt
from . import missing

__getattr__ = missing("jax._src.pallas.mosaic.tpu_info")


class ChipVersion(enum.Enum):
    TPU_V5P = "v5p"
    TPU_V6E = "v6e"
    TPU_7 = "7"
    TPU_7X = "7x"
    TPU_8I = "8i"
    TPU_8T = "8t"

    def __str__(self):
        return self.value

    num_physical_tensor_cores_per_chip = property(lambda self: _CHIPS[self.value][5])
    is_lite = property(lambda self: self is ChipVersion.TPU_V6E)
    supports_megacore = property(lambda self: self is ChipVersion.TPU_V5P)


class Tiling(enum.Enum):
    """The order of arrays in memory: a TensorCore's tiles, or row by row."""

    COMPACT = "compact"
    SPARSE_CORE = "sparse_core"


@dataclasses.dataclass(frozen=True, kw_only=True)
class SparseCoreInfo:
    """The SparseCores of a chip: `num_cores` cores, each with `num_subcores` vector subcores."""

    num_cores: int
    num_subcores: int
    num_lanes: int
    vmem_capacity_bytes: int
    dma_granule_size_bytes: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class TpuInfo:
    """A chip: its SparseCores, and the sizes of its memories for one TensorCore."""

    chip_version: ChipVersion
    generation: int
    num_cores: int
    num_lanes: int = 128
    num_sublanes: int = 8
    vmem_capacity_bytes: int
    cmem_capacity_bytes: int = 0
    smem_capacity_bytes: int = 1 << 20
    hbm_capacity_bytes: int
    mem_bw_bytes_per_second: int
    sparse_core: SparseCoreInfo | None = None

    def get_sublane_tiling(self, dtype):
        """The number of rows that a tile in HBM has, for elements of a dtype."""
        bits = dt.itemsize_bits(dtype)
        return self.num_sublanes * (1 if self.generation < 7 and bits in (16, 32) else 32 // bits)

    def __getattr__(self, name):
        return missing("pltpu.TpuInfo")(name)


# The entries are: SparseCores, vector subcores per SparseCore, lanes, KiB of VMEM per subcore, bytes per copy granule;
# TensorCores, MiB of VMEM per TensorCore; bytes of HBM and bytes per second of the chip; sublanes. Source:
# jax/_src/tpu_info.py.
_CHIPS = {
    "v5p": (4, 16, 8, 512, 32, 2, 64, 103e9, 2.46e12, 8), "v6e": (2, 16, 8, 256, 32, 1, 128, 34.4e9, 1.64e12, 8),
    "7": (2, 16, 16, 512, 32, 2, 64, 206e9, 7.40e12, 8), "7x": (2, 16, 16, 512, 32, 2, 64, 206e9, 7.40e12, 8),
    "8i": (1, 4, 16, 512, 64, 2, 192, 309e9, 8.60e12, 8), "8t": (2, 16, 16, 256, 64, 1, 128, 231e9, 6.4e12, 16),
}  # fmt: skip


def chip():
    """The chip that kernels are compiled for."""
    return standin.chip


def get_tpu_info_for_chip(chip_version, num_cores=1):
    """The `TpuInfo` of a chip."""
    name = str(chip_version)
    if name not in _CHIPS:
        raise ValueError(f"Unsupported TPU chip version: {chip_version}")
    cores, subcores, lanes, kib, granule, tensor_cores, mib, hbm, bandwidth, sublanes = _CHIPS[name]
    core = SparseCoreInfo(num_cores=cores, num_subcores=subcores, num_lanes=lanes, vmem_capacity_bytes=kib << 10,
                          dma_granule_size_bytes=granule)  # fmt: skip
    return TpuInfo(chip_version=ChipVersion(name), generation=int(name.removeprefix("v")[0]), num_cores=num_cores, num_sublanes=sublanes,
                   vmem_capacity_bytes=mib << 20, hbm_capacity_bytes=int(hbm // tensor_cores),
                   mem_bw_bytes_per_second=int(bandwidth // tensor_cores), sparse_core=core)  # fmt: skip


def get_tpu_info():
    """The `TpuInfo` of the chip that kernels are compiled for."""
    return get_tpu_info_for_chip(chip())


def get_sparse_core_info():
    """The SparseCores of the chip that kernels are compiled for."""
    return get_tpu_info().sparse_core


def is_tpu_device():
    """True, because SparseCore kernels run on an emulated TPU."""
    return True
