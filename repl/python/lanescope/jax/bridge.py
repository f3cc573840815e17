"""Kernels and their calls, without JAX: takes a module and arrays, returns arrays, reports findings, keeps calls.

    bridge = Bridge(Options())
    kernel = bridge.kernel(Module(...), inputs=2, results=[2], aliases={})
    [out] = bridge.call(kernel, [x, y], [("f32", (64, 128))])"""
import dataclasses
import itertools
import sys

from . import arrays, capture, findings
from .compiler import Compiler, CompileError, alias
from .devices import Emulator, Remote
from .worker import Worker


class KernelError(Exception):
    """A kernel cannot be compiled or run, or has a fault. The message has the details."""


@dataclasses.dataclass(frozen=True)
class Module:
    """A kernel as JAX lowered it, as MLIR texts."""
    name: str
    text: str  # the compiled text
    located: str = ""  # `text` with locations
    before: str = ""  # the module before layout inference; empty in Lane semantics, as `after` is
    after: str = ""
    lowered: str = ""  # the code of each thread, which JAX passes to its C++ compiler


@dataclasses.dataclass(frozen=True)
class Kernel:
    module: Module
    results: tuple  # for each result of the call, the number of the module's argument that is the result
    aliases: dict  # number of an argument -> number of the argument that shares its memory


def aliased(kernel):
    """The module as it was run, with all of its texts."""
    texts = {name: alias(getattr(kernel.module, name), kernel.aliases) for name in ("text", "located", "before", "after", "lowered")}
    return dataclasses.replace(kernel.module, **texts)


class Bridge:
    def __init__(self, options):
        self.options = options
        self.compiler = Compiler()
        self.device = Remote(Worker(options.worker_command())) if options.worker or options.device == "gpu" else Emulator()
        self.capture = capture.Folder(options.capture) if options.capture else None
        self.count, self.faults = itertools.count(), 0

    def call(self, kernel, inputs, outputs):
        """Runs a call. `inputs`: JAX's operands in order, as arrays.Array. `outputs`: (dtype, shape) of each result.
        Returns the results.

        A result that the kernel does not write holds the content of the input that shares its memory, otherwise
        zeros."""
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
        ran = self.device.run(compiled, contents, wanted, self.options)
        found, failed = ran.findings, ran.failed()
        self.tell(kernel.module.name, ran)
        if failed:
            self.faults += 1
            if isinstance(self.device, Emulator) and not (self.options.fast or self.options.stop):
                ran = self.device.run(compiled, contents, wanted, self.options, again=True)
                found, failed = ran.findings, ran.failed()
        if self.capture:
            self.capture.keep(number, aliased(kernel), compiled, contents, ran.outputs, [buffer_of.get(place) for place in places])
        if failed:
            raise KernelError(findings.summary(kernel.module.name, found))
        results = []
        for place, (dtype, shape) in zip(places, outputs):
            if place in buffer_of:
                results.append(arrays.Array(dtype, tuple(shape), ran.outputs[buffer_of[place]].data))
            else:
                results.append(inputs[place] if place < len(inputs) else arrays.zeros(dtype, shape))
        return results

    def tell(self, name, ran):
        print(ran.printed, end="")
        told = [each for each in ran.findings if each.severity == "error" or not self.options.quiet]
        findings.tell(name, told, sys.stderr)

    def compile(self, kernel):
        try:
            return self.compiler.compile(alias(kernel.module.text, kernel.aliases), kernel.module.located)
        except CompileError as problem:
            raise KernelError(f"kernel `{kernel.module.name}` cannot be compiled:\n{problem}") from None

    @staticmethod
    def fitting(kernel, argument, array, buffer):
        """The array with the buffer's dtype. The two may differ, because integers of the module have no sign."""
        if array.shape != tuple(buffer["shape"]) or arrays.BITS[array.dtype] != arrays.BITS[buffer["dtype"]]:
            raise KernelError(f"argument {argument} of kernel `{kernel.module.name}` is {buffer['dtype']} of shape "
                              f"{tuple(buffer['shape'])}, not {array.dtype} of shape {array.shape}")
        return dataclasses.replace(array, dtype=buffer["dtype"])

    def close(self):
        self.device.close()
