"""SparseCore kernels (`pl.kernel` over `plsc` meshes): JAX lowers them for a TPU that need not exist, and our emulator
of SparseCores (docs/sparsecore.md) runs them in this process.

JAX would pass the module of its `tpu` dialect to a custom call of the TPU's compiler. This module passes it to a Python
callback instead. Findings are reported at the lines of Python that the module's locations name."""
import sys

import numpy as np

from . import findings

CHIPS = {"v5p": "TPU v5", "v6e": "TPU v6 lite", "7x": "TPU7x"}  # values of `device_kind`
LATEST = "7x"


def pretend(chip, device_kind):
    """Makes JAX's queries about the TPU return the data of one chip, for any `device_kind`."""
    from jax._src import tpu_info
    from jax._src.pallas.mosaic import tpu_info as asked_by_lowering

    version = tpu_info.chip_version_from_device_kind(CHIPS[chip])
    tpu_info.registry[device_kind] = lambda: tpu_info._get_tpu_info_impl(version, 1)
    asked_by_lowering.is_tpu_device = lambda: True
    leave_out_options()


def leave_out_options():
    """Drops options of the TPU's compiler from `jax.jit(compiler_options=…)`, because the CPU's compiler refuses
    them."""
    from jax._src import compiler

    usual = compiler.get_compile_options

    def get_compile_options(*arguments, env_options_overrides=None, **named):
        kept = {name: value for name, value in (env_options_overrides or {}).items() if not name.startswith("xla_tpu_")}
        return usual(*arguments, env_options_overrides=kept or None, **named)

    compiler.get_compile_options = get_compile_options


def is_sparsecore(meshes):
    from jax._src.pallas.mosaic import sc_core

    return all(isinstance(mesh, (sc_core.ScalarSubcoreMesh, sc_core.VectorSubcoreMesh)) for mesh in meshes)


class SparseCores:
    def __init__(self, bridge):
        from jax.experimental import mosaic

        self.bridge = bridge
        self.usual = mosaic.lower_module_to_custom_call
        mosaic.lower_module_to_custom_call = self.lower_module

    def lower_module(self, ctx, *operands, module, out_type, kernel_name, input_output_aliases, tiling, **rest):
        from jax._src import callback, tpu_custom_call

        if tpu_custom_call._get_device_type(module) != "sparsecore" or tuple(ctx.module_context.platforms) != ("cpu",):
            return self.usual(ctx, *operands, module=module, out_type=out_type, kernel_name=kernel_name,
                              input_output_aliases=input_output_aliases, tiling=tiling, **rest)
        outputs = [(np.dtype(each.dtype), tuple(each.shape)) for each in out_type]
        kernel = Kernel(kernel_name, str(module), module.operation.get_asm(enable_debug_info=True), outputs,
                        {result: operand for operand, result in input_output_aliases}, tiling is tpu_custom_call.Tiling.COMPACT)

        def run(*arrays):
            return tuple(self.call(kernel, [np.asarray(each) for each in arrays]))

        values, *_ = callback.emit_python_callback(
            ctx, run, None, list(operands), ctx.avals_in, ctx.avals_out, has_side_effect=False, returns_token=False)
        return values

    def call(self, kernel, inputs):
        options = self.bridge.options
        next(self.bridge.count)
        answer = kernel.run(inputs, options)
        strict = options.strict and not options.fast
        found = kernel.findings(answer)
        faulty = [each for each in found if each.severity == "error" or (strict and each.severity == "warning")]
        findings.tell(kernel.name, faulty if options.quiet else found, sys.stderr)
        if faulty:
            self.bridge.faults += 1
            if options.stop:
                from .bridge import KernelError

                raise KernelError(f"kernel `{kernel.name}` is at fault: {faulty[0].message} [{faulty[0].kind}]")
            answer = kernel.run(inputs, options, again=True)
        print(answer["printed"], end="")
        return kernel.results(inputs, answer)


class Kernel:
    """`outputs`: (dtype, shape) of each result. `aliases`: for a result, the number of the operand that shares its
    memory."""

    def __init__(self, name, text, located, outputs, aliases, tiles):
        self.name, self.text, self.outputs, self.aliases, self.tiles = name, text, outputs, aliases, tiles
        lines = findings.module_lines(located)
        self.file = f"{name}.mlir"
        self.lines = lines if len(lines) == len(text.splitlines()) else []

    def run(self, inputs, options, again=False):
        """`again`: this is a run without checks after a run that found faults."""
        from .. import _native

        shapes = [shape for _, shape in self.outputs]
        return _native.run_sparsecore(self.file, self.text, self.lines, inputs, shapes, self.tiles, options.seed, options.fast or again, not again,
                                      options.timeout)

    def findings(self, answer):
        return [findings.of_run(each, self.file, self.text, self.lines) for each in answer["findings"]]

    def results(self, inputs, answer):
        """The results of a call. A result that the kernel does not write holds the content of the operand that
        shares its memory, or zeros."""
        made = dict(zip(answer["operands"], answer["outputs"]))
        for number, (dtype, shape) in enumerate(self.outputs):
            place = self.aliases.get(number)
            array = made.get(len(inputs) + number, made.get(place))
            if array is None:
                array = inputs[place] if place is not None else np.zeros(shape, dtype)
            yield np.frombuffer(np.ascontiguousarray(array).tobytes(), dtype).reshape(shape)
