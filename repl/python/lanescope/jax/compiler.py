"""JAX's modules compiled by `lanescope`: PTX, a launch description, and which of its buffers is which of JAX's arguments.

    compiled = Compiler("lanescope").compile(module_text)
    compiled.buffer_of       {0: 0, 2: 1}: JAX's argument 2 is buffer 1; one that the kernel does not use has none"""
import dataclasses
import hashlib
import json
import pathlib
import re
import subprocess
import tempfile


class CompileError(Exception):
    """The compiler's messages."""


@dataclasses.dataclass(frozen=True)
class Compiled:
    ptx: str
    launch: dict  # docs/launch.md
    kernel: str
    arch: str
    written: frozenset  # the numbers of JAX's arguments that the kernel writes

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
    def __init__(self, program, arch=""):
        self.program, self.arch, self.known = program, arch, {}

    def compile(self, module):
        """`module`: the text; each is compiled once. CompileError where it cannot be."""
        key = hashlib.sha256(module.encode()).hexdigest()
        if key not in self.known:
            self.known[key] = self.compile_anew(module)
        return self.known[key]

    def compile_anew(self, module):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            file = folder / "module.mlir"
            file.write_text(module)
            command = [self.program, "compile", str(file), "--emit", "package", "--no-arrays", "-o", str(folder)]
            try:
                done = subprocess.run(command + (["--arch", self.arch] if self.arch else []), capture_output=True, text=True)
            except OSError as problem:
                raise CompileError(f"`{self.program}` cannot be started: {problem.strerror}; name it with --lanescope") from None
            packages = list(folder.glob("*.lspkg"))
            if done.returncode != 0 or not packages:
                raise CompileError(done.stderr.replace(f"{folder}/", "").strip() or f"`{self.program}` ended with {done.returncode}")
            return read_package(packages[0])


def read_package(folder):
    launch, meta = (json.loads((folder / name).read_text()) for name in ("launch.json", "meta.json"))
    named = buffers_of(launch)
    written = frozenset(argument_number(named[index]) for index in meta["outputs"])
    return Compiled((folder / "kernel.ptx").read_text(), launch, meta["kernel"], meta["arch"], written)


def alias(module, aliases):
    """The module with pairs of arguments that are one array: for {4: 1}, argument 4 is where argument 1 is. JAX numbers
    inputs before outputs, and hands the kernel the same pointer for both. Each is read once and cast to a reference once."""
    for number, of in aliases.items():
        module, pointers = re.subn(rf"(llvm\.getelementptr %arg1\[){number}\]", rf"\g<1>{of}]", module)
        module, casts = re.subn(rf"(mosaic_gpu\.from_kernel_arg_idx = ){number} : i32", rf"\g<1>{of} : i32", module)
        if pointers != casts:  # none of both: the kernel does not use it
            raise CompileError(f"the module's argument {number} is to be in the place of argument {of}, and is not read as JAX reads arguments")
    return module
