"""Finds the modules of the stand-in under JAX's names."""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import pathlib
import sys

from .. import _functions

MODULES = {  # JAX's name -> the file in this folder; None: a package that only contains others
    "jax": "top",
    "jax.numpy": "jnp",
    "jax.numpy.linalg": "linalg",
    "jax.lax": "lax",
    "jax.nn": "nn",
    "jax.nn.initializers": "initializers",
    "jax.random": "random",
    "jax.tree": "tree",
    "jax.tree_util": "tree",
    "jax.ops": "ops",
    "jax.core": "core",
    "jax.memory": "spaces",
    "jax.debug": "debug",
    "jax.dtypes": "dtypes",
    "jax.typing": "typing",
    "jax.scipy": None,
    "jax.scipy.special": "special",
    "jax.sharding": "sharding",
    "jax.experimental": None,
    "jax.experimental.mesh_utils": "mesh_utils",
    "jax.experimental.shard_map": "shards",
    "jax.experimental.multihost_utils": "multihost",
    "jax.experimental.pallas": "pallas",
    "jax.experimental.pallas.mosaic_gpu": "mosaic_gpu",
    "jax.experimental.pallas.tpu": "tpu",
    "jax.experimental.pallas.tpu_sc": "tpu_sc",
    "jax.experimental.pallas.ops": None,
    "jax.experimental.pallas.ops.gpu": None,
    "jax.experimental.mosaic": "opt_level",
    "jax.experimental.mosaic.gpu": "mosaic",
    "jax.experimental.mosaic.gpu.profiler": "profiler",
    "jax.extend": None,
    "jax.extend.backend": "backend",
    "jax._src": None,
    "jax._src.api": "transforms",
    "jax._src.core": "core",
    "jax._src.dtypes": "dtypes",
    "jax._src.lax": "lax",
    "jax._src.tree_util": "tree",
    "jax._src.util": "util",
    "jax._src.test_util": "test_util",
    "jax._src.lib": None,
    "jax._src.lib.cuda_versions": "cuda_versions",
    "jax._src.pallas": None,
    "jax._src.pallas.core": "grid",
    "jax._src.pallas.mpmd": "subcore_kernels",
    "jax._src.pallas.mosaic": None,
    "jax._src.pallas.mosaic.sc_core": "subcores",
    "jax._src.pallas.mosaic.tpu_info": "chips",
    "jax._src.state": None,
    "jax._src.state.discharge": "discharge",
}


# Names of JAX's own kernels; a file beside the program can stand for such a module.
_BESIDE = "jax.experimental.pallas.ops.gpu."


class Loader(importlib.abc.Loader):
    def create_module(self, spec):
        file = MODULES[spec.name]
        if file is None:
            return None
        module = importlib.import_module(f"{__package__}.{file}")
        self.own = module.__spec__
        return module

    def exec_module(self, module):
        if MODULES[module.__spec__.name] is None:
            from . import missing

            module.__path__ = []
            module.__getattr__ = missing(module.__spec__.name)
        else:
            module.__spec__ = self.own  # keeps the module's own spec, since the module only gets one more name
            module.__path__ = []  # makes it a package; the finder finds its submodules by name


class Finder(importlib.abc.MetaPathFinder):
    """Finds the stand-in's modules. It comes last, so that Python asks it only for modules that it has not found."""

    said = False

    def find_spec(self, name, path=None, target=None):
        if name.startswith(_BESIDE) and (beside := pathlib.Path(sys.path[0]) / f"{name.rpartition('.')[2]}.py").exists():
            return importlib.util.spec_from_file_location(name, beside)
        if name not in MODULES:
            if name.partition(".")[0] == "jax" and "jax" in sys.modules:
                from . import MESSAGE

                raise ModuleNotFoundError(f"No module named {name!r}: {MESSAGE}", name=name)
            return None
        if not self.said:
            if importlib.util.find_spec("numpy") is None:
                raise ModuleNotFoundError(f"No module named {name!r}; Lanescope's stand-in for JAX needs NumPy: `pip install numpy`", name=name)
            self.said = True
            _functions.read_sources(False)
            print(
                "lanescope: this Python has no JAX: `import jax` is Lanescope's stand-in; kernels run here, and what it "
                "lacks says so",
                file=sys.stderr,
            )
        return importlib.machinery.ModuleSpec(name, Loader(), is_package=True)


def install():
    if not any(isinstance(each, Finder) for each in sys.meta_path):
        sys.meta_path.append(Finder())
