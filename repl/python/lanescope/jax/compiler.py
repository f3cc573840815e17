"""Compiles JAX's modules in this process to PTX and a launch description, and maps JAX's arguments to its buffers.

    compiled = Compiler().compile(module_text)
    compiled.buffer_of       {0: 0, 2: 1}: JAX's argument 2 is buffer 1; an unused argument has no buffer"""
import dataclasses
import hashlib
import json
import re

from .._errors import Error
from .findings import module_lines

MODULE = "module.mlir"  # the name of the module's text in the compiler


class CompileError(Exception):
    """The module cannot be compiled. The message has the compiler's messages."""


@dataclasses.dataclass(frozen=True)
class Compiled:
    module: object  # the object for _native.run_gpu_module
    ptx: str
    launch: dict  # the launch description (docs/launch.md)
    kernel: str
    arch: str
    outputs: list  # the numbers of the buffers that the kernel writes
    text: str  # the module's text
    lines: list  # module_lines of findings.py for this text; empty if its locations are not known

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
    """The number of JAX's argument that a buffer holds. The buffer of argument 3 has the name `argument3`."""
    return int(buffer["name"].removeprefix("argument"))


class Compiler:
    def __init__(self):
        self.known = {}

    def compile(self, module, located=""):
        """Compiles a module, each module only once. `module`: the text. `located`: the text with locations. Raises
        CompileError on errors."""
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
    """The module in which pairs of arguments are one array: with {4: 1}, argument 4 has the memory of argument 1.
    JAX numbers inputs before outputs, and passes the kernel the same pointer for both. The module contains one read
    of each argument, and one cast of it to a reference."""
    for number, of in aliases.items():
        module, pointers = re.subn(rf"(llvm\.getelementptr %arg1\[){number}\]", rf"\g<1>{of}]", module)
        module, casts = re.subn(rf"(mosaic_gpu\.from_kernel_arg_idx = ){number} : i32", rf"\g<1>{of} : i32", module)
        if pointers != casts:  # both are 0 if the kernel does not use the argument
            raise CompileError(f"the module's argument {number} is to be in the place of argument {of}, and is not read as JAX reads arguments")
    return module
