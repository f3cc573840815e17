"""Hooks the bridge into JAX (0.11): replaces the lowering of Mosaic GPU kernels on the platform `cpu`.

JAX lowers a kernel to an MLIR module in Python and would pass it to a custom call of its CUDA plugin. This module
passes the MLIR module to a Python callback instead. It also keeps the module's text before and after layout
inference, as MOSAIC_GPU_DUMP_TO would write it."""
import atexit
import itertools

import numpy as np

from . import arrays, gpus, sparsecore
from .bridge import Bridge, Kernel, Module

NUMBER = "mosaic_gpu.lanescope_number"  # attribute of modules that have passed layout inference


def install(options):
    import jax

    bridge = Bridge(options)
    atexit.register(bridge.close)
    gpus.pretend(jax, options.gpu, options.tpu)
    sparsecore.pretend(options.tpu or sparsecore.LATEST, jax.devices("cpu")[0].device_kind)
    Hooks(bridge).install()
    return bridge


class Hooks:
    def __init__(self, bridge):
        from jax.experimental.mosaic import gpu

        self.bridge, self.core = bridge, gpu.core
        self.sparse_cores = sparsecore.SparseCores(bridge)
        self.inferred, self.numbers = {}, itertools.count()
        self.usual = {}  # JAX's own lowering of a primitive, for calls that Lanescope does not run

    def install(self):
        from jax._src import dispatch
        from jax._src.interpreters import mlir
        from jax._src.pallas import pallas_call

        core = self.core
        core._infer_arch = lambda: gpus.GPUS[self.bridge.options.gpu].arch
        self.infer_layout = core.layout_inference.infer_layout
        core.layout_inference.infer_layout = self.keep_texts
        core._mosaic_gpu_lowering_rule = self.lower_kernel
        rules = {core.mosaic_gpu_p: self.lower_kernel, pallas_call.pallas_call_p: self.lower_pallas_call}
        try:
            from jax._src.pallas import mpmd  # JAX 0.10 and older lack this module

            rules[mpmd.mpmd_map_p] = self.lower_mpmd_map
        except ImportError:
            pass
        for primitive, rule in rules.items():
            if primitive in mlir._lowerings:
                self.usual[primitive] = mlir._lowerings[primitive].rule
            mlir.register_lowering(primitive, rule, platform="cpu", cacheable=False)
            dispatch.prim_requires_devices_during_lowering.add(primitive)

    # --- modules

    def keep_texts(self, module, *args, **kwargs):
        before = str(module), located_text(module)
        result = self.infer_layout(module, *args, **kwargs)
        number = next(self.numbers)
        self.inferred[number] = *before, located_text(module)
        from jaxlib.mlir import ir

        module.operation.attributes[NUMBER] = ir.IntegerAttr.get(ir.IntegerType.get_signless(32, module.context), number)
        return result

    def module_of(self, module):
        from jaxlib.mlir import ir

        attributes = module.operation.attributes
        name = ir.StringAttr(attributes["sym_name"]).value
        text, located = str(module), located_text(module)
        if NUMBER not in attributes:  # the kernel has Lane semantics, for which there is no layout inference
            return Module(name, text, located, lowered=located)
        before, before_located, after = self.inferred[ir.IntegerAttr(attributes[NUMBER]).value]
        if self.bridge.options.lowering == "jax":
            return Module(name, text, located, before_located, after, located)
        return Module(name, before, before_located, before_located, after, located)

    # --- lowering rules

    def lower_kernel(self, ctx, *args, module, out_types, inout_types, input_output_aliases=(), **_):
        from jax._src import callback

        kept = self.module_of(module)
        if self.core._has_communication(module):
            raise NotImplementedError(f"kernel `{kept.name}` talks to other GPUs; Lanescope runs kernels of one")
        inputs, results = len(ctx.avals_in), len(ctx.avals_out)
        # Arguments: inputs, arguments that are changed in place, outputs. Results: outputs, arguments that are changed
        # in place.
        if inout_types:
            numbers = (*range(inputs, inputs + len(out_types)), *range(inputs - len(inout_types), inputs))
            aliases = {}
        else:
            numbers = tuple(range(inputs, inputs + results))
            aliases = {inputs + result: argument for argument, result in input_output_aliases}
        kernel = Kernel(kept, numbers, aliases)
        outputs = [(np.dtype(each.dtype), each.shape) for each in ctx.avals_out]

        def run(*operands):
            made = self.bridge.call(kernel, [from_numpy(each) for each in operands], [(arrays.NAMES[dtype.name], shape) for dtype, shape in outputs])
            return tuple(np.frombuffer(array.data, dtype).reshape(shape) for array, (dtype, shape) in zip(made, outputs))

        values, *_ = callback.emit_python_callback(
            ctx, run, None, list(args), ctx.avals_in, ctx.avals_out, has_side_effect=False, returns_token=False)
        return values

    def lower_pallas_call(self, ctx, *args, **params):
        from jax._src.pallas import pallas_call
        from jax._src.pallas.mosaic_gpu import core as gpu_core
        from jax._src.pallas.mosaic_gpu import pallas_call_registration

        compiler_params = params.get("compiler_params")
        if params.get("interpret"):
            return self.usual[pallas_call.pallas_call_p](ctx, *args, **params)
        if compiler_params is not None and not isinstance(compiler_params, gpu_core.CompilerParams):
            raise NotImplementedError(f"a kernel with {type(compiler_params).__module__}.{type(compiler_params).__name__} is not for "
                                      "Mosaic GPU; Lanescope runs those of jax.experimental.pallas.mosaic_gpu")
        if not hasattr(pallas_call_registration, "pallas_call_lowering"):
            raise NotImplementedError("in this JAX `pl.pallas_call` is for Triton on GPUs, which Lanescope does not run; `plgpu.kernel` is for Mosaic GPU")
        return pallas_call_registration.pallas_call_lowering(ctx, *args, **params)

    def lower_mpmd_map(self, ctx, *args, **params):
        from jax._src.pallas import mpmd
        from jax._src.pallas.mosaic_gpu import core as gpu_core

        if not params.get("interpret") and sparsecore.is_sparsecore(params["meshes"]):
            return mpmd._mpmd_map_tpu_lowering(ctx, *args, **params)
        if params.get("interpret") or not all(isinstance(mesh, gpu_core.Mesh) for mesh in params["meshes"]):
            return self.usual[mpmd.mpmd_map_p](ctx, *args, **params)
        return mpmd._mpmd_map_mgpu_lowering(ctx, *args, **params)


def located_text(module):
    return module.operation.get_asm(enable_debug_info=True)


def from_numpy(operand):
    operand = np.asarray(operand)
    if operand.dtype.name not in arrays.NAMES:
        raise NotImplementedError(f"arrays of {operand.dtype.name} are not handed to kernels")
    data = np.ascontiguousarray(operand).reshape(-1).view(np.uint8)  # copies only if not contiguous
    return arrays.Array(arrays.NAMES[operand.dtype.name], operand.shape, memoryview(data))
