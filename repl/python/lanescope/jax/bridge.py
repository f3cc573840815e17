"""Kernels and their calls, without JAX: a module and arrays in, arrays out; findings told, calls kept.

    bridge = Bridge(Options())
    kernel = bridge.kernel(Module(...), inputs=2, results=[2], aliases={})
    [out] = bridge.call(kernel, [x, y], [("f32", (64, 128))])"""
import dataclasses
import itertools
import sys

from . import arrays, capture, findings
from .compiler import Compiler, CompileError, alias
from .worker import Worker

ARCHITECTURES = {(9, 0): "sm_90a", (10, 0): "sm_100a", (10, 3): "sm_103a"}


class KernelError(Exception):
    """A kernel cannot be compiled or run, or is at fault; the message says all."""


@dataclasses.dataclass(frozen=True)
class Module:
    """A kernel as JAX lowered it, as texts of MLIR."""
    name: str
    text: str  # what is compiled
    located: str = ""  # `text` with locations
    before: str = ""  # layout inference; none of both in Lane semantics
    after: str = ""
    lowered: str = ""  # to each thread's code, what JAX hands to its C++ compiler


@dataclasses.dataclass(frozen=True)
class Kernel:
    module: Module
    results: tuple  # for each of the call's results, the number of the module's argument that it is
    aliases: dict  # number of an argument -> of the one in whose memory it is


def aliased(kernel):
    """The module as it was run, all of its texts."""
    texts = {name: alias(getattr(kernel.module, name), kernel.aliases) for name in ("text", "located", "before", "after", "lowered")}
    return dataclasses.replace(kernel.module, **texts)


class Bridge:
    def __init__(self, options):
        self.options = options
        self.compiler = Compiler(options.lanescope)
        self.worker = Worker(options.worker_command())
        self.unchecked = Worker(options.worker_command(checked=False))
        self.capture = capture.Folder(options.capture) if options.capture else None
        self.count, self.faults = itertools.count(), 0

    def call(self, kernel, inputs, outputs):
        """`inputs`: arrays.Array, JAX's operands in order; `outputs`: (dtype, shape) of each result. Returns its arrays.

        A result that the kernel leaves alone holds zeros, or what the input held in whose place it is."""
        number = next(self.count)
        compiled = self.compile(kernel)
        named = compiled.buffers
        contents = [arrays.zeros(each["dtype"], each["shape"]) for each in named]
        buffer_of = compiled.buffer_of
        for argument, array in enumerate(inputs):
            if argument in buffer_of:
                contents[buffer_of[argument]] = self.fitting(kernel, argument, array, named[buffer_of[argument]])
        places = [kernel.aliases.get(argument, argument) for argument in kernel.results]
        wanted = sorted({buffer_of[place] for place in places if place in buffer_of})
        reply = self.run(self.worker, kernel, compiled, contents, wanted)
        self.tell(kernel.module, compiled, reply)
        if reply.failed():
            self.faults += 1
            again = self.options.device == "emulator" and not (self.options.worker or self.options.fast or self.options.stop)
            if again:
                reply = self.run(self.unchecked, kernel, compiled, contents, wanted)
        returned = {index: arrays.from_device(named[index]["dtype"], named[index]["shape"], data)
                    for index, data in zip(wanted, reply.buffers)}
        if self.capture:
            self.capture.keep(number, aliased(kernel), compiled, contents, returned, [buffer_of.get(place) for place in places])
        if reply.failed():
            raise KernelError(findings.summary(kernel.module.name, reply.diagnostics))
        results = []
        for place, (dtype, shape) in zip(places, outputs):
            if place in buffer_of:
                results.append(arrays.Array(dtype, tuple(shape), returned[buffer_of[place]].data))
            else:
                results.append(inputs[place] if place < len(inputs) else arrays.zeros(dtype, shape))
        return results

    def tell(self, module, compiled, reply):
        print(reply.printed, end="")
        told = [each for each in reply.diagnostics if each.severity == "error" or not self.options.quiet]
        if told:
            findings.tell(module.name, findings.Places(module.text, module.located, compiled.ptx), told, sys.stderr)

    def compile(self, kernel):
        try:
            return self.compiler.compile(alias(kernel.module.text, kernel.aliases))
        except CompileError as problem:
            raise KernelError(f"kernel `{kernel.module.name}` cannot be compiled:\n{problem}") from None

    def run(self, worker, kernel, compiled, contents, wanted):
        launch = capture.launch_text(compiled.launch)
        buffers = [b"" if arrays.all_zero(array) else arrays.to_device(array) for array in contents]
        return worker.run(kernel.module.name, compiled.arch, compiled.ptx, launch, buffers, wanted, self.options.timeout)

    @staticmethod
    def fitting(kernel, argument, array, buffer):
        """The array with the buffer's type: integers of the module have no sign."""
        if array.shape != tuple(buffer["shape"]) or arrays.BITS[array.dtype] != arrays.BITS[buffer["dtype"]]:
            raise KernelError(f"argument {argument} of kernel `{kernel.module.name}` is {buffer['dtype']} of shape "
                              f"{tuple(buffer['shape'])}, not {array.dtype} of shape {array.shape}")
        return dataclasses.replace(array, dtype=buffer["dtype"])

    def close(self):
        self.worker.close()
        self.unchecked.close()
