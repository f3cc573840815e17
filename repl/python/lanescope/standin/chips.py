"""TPUs and their SparseCores: `pltpu.get_tpu_info()`, `plsc.get_sparse_core_info()`."""

import dataclasses
import enum

from .. import standin
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


class Tiling(enum.Enum):
    """How arrays lie in memory: in a TensorCore's tiles, or row by row."""

    COMPACT = "compact"
    SPARSE_CORE = "sparse_core"


@dataclasses.dataclass(frozen=True, kw_only=True)
class SparseCoreInfo:
    """What a chip's SparseCores have: `num_cores` of them, each of `num_subcores` vector subcores."""

    num_cores: int
    num_subcores: int
    num_lanes: int
    vmem_capacity_bytes: int
    dma_granule_size_bytes: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class TpuInfo:
    """What is known of a chip here: its SparseCores. Sizes of the TensorCore are attributes that are not here."""

    chip_version: ChipVersion
    generation: int
    num_lanes: int = 128
    num_sublanes: int = 8
    sparse_core: SparseCoreInfo | None = None

    def __getattr__(self, name):
        return missing("pltpu.TpuInfo")(name)


_CHIPS = {  # SparseCores, vector subcores of each, lanes, KiB of VMEM of each, bytes that a copy moves at once
    "v5p": (4, 16, 8, 512, 32), "v6e": (2, 16, 8, 256, 32), "7": (2, 16, 16, 512, 64), "7x": (2, 16, 16, 512, 64),
    "8i": (1, 4, 16, 512, 64), "8t": (2, 16, 16, 256, 64),
}  # fmt: skip


def chip():
    """The chip that kernels are made for."""
    return standin.chip


def get_tpu_info_for_chip(chip_version, num_cores=1):
    """What a chip has."""
    name = str(chip_version)
    cores, subcores, lanes, kib, granule = _CHIPS[name]
    generation = int(name.removeprefix("v")[0])
    core = SparseCoreInfo(num_cores=cores, num_subcores=subcores, num_lanes=lanes, vmem_capacity_bytes=kib << 10,
                          dma_granule_size_bytes=granule)  # fmt: skip
    return TpuInfo(chip_version=ChipVersion(name), generation=generation, sparse_core=core)


def get_tpu_info():
    """What the chip has that kernels are made for."""
    return get_tpu_info_for_chip(chip())


def get_sparse_core_info():
    """What the chip's SparseCores have."""
    return get_tpu_info().sparse_core


def is_tpu_device():
    """Whether there is a TPU: SparseCores' kernels run on the emulator of one."""
    return True
