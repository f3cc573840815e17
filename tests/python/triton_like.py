"""The part of Triton 3.6 that `lanescope.triton` calls, for machines without Triton, with recorded PTX instead of its
compiler. `install()` makes the modules; `kernel(…)` returns the same as `@triton.jit`.

The names, signatures and orders of calls are those of triton/runtime/{jit,driver,autotuner}.py,
triton/compiler/compiler.py and triton/backends/nvidia/compiler.py. tests/gpu/triton_kernels.py runs the same tests with
Triton itself."""

import collections
import dataclasses
import sys
import types

_MODULES = (
    "triton", "triton.testing", "triton.backends", "triton.backends.compiler", "triton.backends.driver", "triton.backends.nvidia",
    "triton.backends.nvidia.compiler", "triton.compiler", "triton.compiler.compiler", "triton.runtime", "triton.runtime.jit", "triton.runtime.autotuner",
)  # fmt: skip


class OutOfResources(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class GPUTarget:
    backend: str
    arch: int
    warp_size: int


@dataclasses.dataclass(frozen=True)
class Backend:
    compiler: type
    driver: type


class BaseBackend:
    def __init__(self, target):
        self.target = target


class DriverBase:
    def __init__(self):
        pass


class CudaDriver(DriverBase):
    """There is no GPU, so a caller that asks for it has a bug."""

    @classmethod
    def is_active(cls):
        return False


class CUDABackend(BaseBackend):
    def __init__(self, target):
        super().__init__(target)
        self.binary_ext = "cubin"

    def parse_options(self, opts):
        return {"num_warps": 4, "num_ctas": 1, "ptx_version": None, **opts}

    def pack_metadata(self, metadata):
        return metadata.num_warps, metadata.num_ctas, metadata.shared

    def add_stages(self, stages, options, language):
        stages["ptx"] = lambda source, metadata: source.ptx
        stages["cubin"] = self._assemble

    def _assemble(self, source, metadata):
        raise RuntimeError("Cannot find ptxas")

    def hash(self):
        raise RuntimeError("Cannot find ptxas")


def get_ptx_version_from_options(options, arch):
    if options.ptx_version is None:
        raise RuntimeError("Cannot find ptxas")
    return options.ptx_version


class DriverConfig:
    def __init__(self):
        self._default = self._active = None

    @property
    def active(self):
        if self._active is None:
            raise RuntimeError("0 active drivers ([]). There should only be one.")
        return self._active

    def set_active(self, driver):
        self._active = driver


driver = DriverConfig()
backends = {"nvidia": Backend(CUDABackend, CudaDriver)}


def make_backend(target):
    return backends["nvidia"].compiler(target)


@dataclasses.dataclass
class Source:
    """The parts of Triton's ASTSource: types by name, including "constexpr"."""

    fn: object
    signature: dict
    constants: dict
    ptx: str


class CompiledKernel:
    def __init__(self, source, metadata, asm):
        self.metadata = collections.namedtuple("KernelMetadata", sorted(metadata))(**metadata)
        backend = make_backend(metadata["target"])
        self.packed_metadata = backend.pack_metadata(self.metadata)
        self.src, self.name, self.asm = source, metadata["name"], asm
        self.asm[backend.binary_ext] = self.kernel = asm[backend.binary_ext].encode()
        self.module = self.function = self._run = None

    def _init_handles(self):
        if self.module is not None:
            return
        device = driver.active.get_current_device()
        self._run = driver.active.launcher_cls(self.src, self.metadata)
        if self.metadata.shared > driver.active.utils.get_device_properties(device)["max_shared_mem"]:
            raise OutOfResources("shared memory")
        self.module, self.function, self.n_regs, self.n_spills, self.n_max_threads = driver.active.utils.load_binary(
            self.name, self.kernel, self.metadata.shared, device
        )

    @property
    def run(self):
        if self._run is None:
            self._init_handles()
        return self._run

    def launch_metadata(self, grid, stream, *arguments):
        return {"name": self.name, "grid": grid} if JITFunction.enter is not None else None


def compile(source, metadata, target, options):
    backend = make_backend(target)
    options = backend.parse_options(options)
    assert isinstance(backend.hash(), str) and options["ptx_version"] is not None
    stages, asm, made = {}, {}, source
    backend.add_stages(stages, options, 0)
    for name, stage in stages.items():
        made = asm[name] = stage(made, metadata)
    return CompiledKernel(source, {**metadata, "num_ctas": options["num_ctas"], "target": target}, asm)


class KernelInterface:
    def __getitem__(self, grid):
        return lambda *arguments, **named: self.run(*arguments, grid=grid, warmup=False, **named)


class JITFunction(KernelInterface):
    enter = leave = None  # knobs.runtime.launch_enter_hook, launch_exit_hook

    def __init__(self, name, types_of, ptx, metadata, constants):
        self.__name__, self.arg_names, self.types, self.ptx = name, list(types_of), types_of, ptx
        self.metadata, self.constants, self.device_caches, self.compiled = metadata, constants, collections.defaultdict(dict), 0

    def run(self, *arguments, grid, warmup, **named):
        device = driver.active.get_current_device()
        stream = driver.active.get_current_stream(device)
        bound = dict(zip(self.arg_names, arguments)) | {key: each for key, each in named.items() if key in self.arg_names}
        options = {key: each for key, each in named.items() if key not in self.arg_names}
        for name, each in bound.items():  # the values on which Triton specialises
            if self.types[name] not in ("constexpr",) and not isinstance(self.types[name], tuple):
                if not isinstance(each, (int, float, type(None))) and not hasattr(each, "block_shape"):
                    assert each.data_ptr() % 16 in range(16) and str(each.dtype), name
        cache, key = self.device_caches[device], str(options)
        if key not in cache:
            self.compiled += 1
            source = Source(self, dict(self.types), self.constants, self.ptx)
            cache[key] = compile(source, {**self.metadata, **{k: v for k, v in options.items() if k in self.metadata}}, driver.active.get_current_target(), options)
        kernel = cache[key]
        if not warmup:
            grid = grid(bound) if callable(grid) else grid
            x, y, z = (*grid, 1, 1)[:3]
            metadata = kernel.launch_metadata(grid, stream, *bound.values())
            kernel.run(x, y, z, stream, kernel.function, kernel.packed_metadata, metadata, JITFunction.enter, JITFunction.leave, *bound.values())
        return kernel


class Autotuner(KernelInterface):
    def __init__(self, fn, configs):
        self.fn, self.configs, self.cache = fn, configs, {}

    def _bench(self, *arguments, config, **named):
        try:
            return self.do_bench(lambda: self.fn.run(*arguments, **named, **config), quantiles=(0.5, 0.2, 0.8))
        except OutOfResources:
            return [float("inf")] * 3

    @property
    def do_bench(self):
        if not hasattr(self, "_do_bench"):
            self._do_bench = driver.active.get_benchmarker()
        return self._do_bench

    def prune_configs(self, named):
        return self.configs

    def run(self, *arguments, **named):
        key = len(arguments)
        if key not in self.cache:
            timings = [self._bench(*arguments, config=config, **named) for config in self.prune_configs(named)]
            self.timings = timings
            self.cache[key] = self.configs[min(range(len(timings)), key=lambda n: timings[n])]
        self.best_config = self.cache[key]
        return self.fn.run(*arguments, **named, **self.cache[key])


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    raise RuntimeError("there is no GPU")


def kernel(name, types_of, ptx, metadata=None, constants=None):
    """`types_of`: each argument's type in Triton's notation. `metadata`: the compiler's data about the kernel."""
    usual = {"name": name, "shared": 0, "num_warps": 4, "num_ctas": 1, "launch_cooperative_grid": False, "tensordesc_meta": [],
             "global_scratch_size": 0, "profile_scratch_size": 0}  # fmt: skip
    return JITFunction(name, types_of, ptx, {**usual, **(metadata or {})}, constants or {})


def install():
    if "triton" in sys.modules:
        return
    made = {name: types.ModuleType(name) for name in _MODULES}
    for name, module in made.items():
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(made[parent], child, module)
    here = globals()
    for name, words in {
        "triton.testing": ("do_bench",), "triton.backends": ("Backend", "backends"), "triton.backends.compiler": ("GPUTarget", "BaseBackend"),
        "triton.backends.driver": ("DriverBase",), "triton.backends.nvidia.compiler": ("CUDABackend", "get_ptx_version_from_options"),
        "triton.compiler": ("CompiledKernel",), "triton.runtime": ("driver", "JITFunction", "Autotuner"), "triton.runtime.jit": ("JITFunction",),
        "triton.runtime.autotuner": ("Autotuner",),
    }.items():  # fmt: skip
        for word in words:
            setattr(made[name], word, here[word])
    made["triton.testing"].do_bench_cudagraph = do_bench
    CUDABackend.__module__ = "triton.backends.nvidia.compiler"
    sys.modules.update(made)
