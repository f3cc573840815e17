"""JAX's modules compiled in this process: PTX, a launch description, and which of its buffers is which of JAX's arguments.

    compiled = Compiler().compile(module_text)
    compiled.buffer_of       {0: 0, 2: 1}: JAX's argument 2 is buffer 1; one that the kernel does not use has none"""
import dataclasses
import hashlib
import json
import re

from .._errors import Error
from .findings import module_lines

MODULE = "module.mlir"  # what the compiler calls the text


class CompileError(Exception):
    """The compiler's messages."""


@dataclasses.dataclass(frozen=True)
class Compiled:
    module: object  # for _native.run_gpu_module
    ptx: str
    launch: dict  # docs/launch.md
    kernel: str
    arch: str
    outputs: list  # the numbers of the buffers that the kernel writes
    text: str  # of the module
    lines: list  # findings.module_lines of it; none where its locations are not known

    @property
    def buffers(self):
        """The launch's buffers in order, each a dict."""
        return buffers_of(self.launch)

    @property
    def buffer_of(self):
        return {argument_number(each): index for index, each in enumerate(self.buffers)}


def buffers_of(launch):
    return [each for param in launch["params"] for each in ([param] if param["kind"] == "buffer" else param.get("buffers", []))]


def argument_number(buffer):
    """Lanescope calls the buffer of JAX's argument 3 `argument3`."""
    return int(buffer["name"].removeprefix("argument"))


class Compiler:
    def __init__(self):
        self.known = {}

    def compile(self, module, located=""):
        """`module`: the text; `located`: the same with locations. Each is compiled once. CompileError where it cannot be."""
        key = hashlib.sha256(f"{module}\0{located}".encode()).hexdigest()
        if key not in self.known:
            self.known[key] = self.compile_anew(module, located)
        return self.known[key]

    @staticmethod
    def compile_anew(module, located):
        from .. import _native

        lines = module_lines(located)
        if len(lines) != len(module.splitlines()):
            lines = []
        try:
            handle, info = _native.gpu_module(MODULE, module, lines)
        except Error as problem:
            raise CompileError("\n".join(each.text for each in problem.findings)) from None
        return Compiled(handle, info["ptx"], json.loads(info["launch"]), info["kernel"], info["arch"], info["outputs"], module, lines)


def alias(module, aliases):
    """The module with pairs of arguments that are one array: for {4: 1}, argument 4 is where argument 1 is. JAX numbers
    inputs before outputs, and hands the kernel the same pointer for both. Each is read once and cast to a reference once."""
    for number, of in aliases.items():
        module, pointers = re.subn(rf"(llvm\.getelementptr %arg1\[){number}\]", rf"\g<1>{of}]", module)
        module, casts = re.subn(rf"(mosaic_gpu\.from_kernel_arg_idx = ){number} : i32", rf"\g<1>{of} : i32", module)
        if pointers != casts:  # none of both: the kernel does not use it
            raise CompileError(f"the module's argument {number} is to be in the place of argument {of}, and is not read as JAX reads arguments")
    return module
