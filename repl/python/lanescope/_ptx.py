"""Runs PTX of any origin: from a file, from a compiler, or from CUDA C++ through nvcc."""

import pathlib
import shutil
import subprocess
import tempfile

from . import _builtins, _native
from ._errors import Error, Fault, Finding, remark


class Launched:
    """The result of a launch. `arrays` are the array arguments as the kernel left them, in order; a large one that it
    did not write is the argument itself. `findings` are hazards and notes. `note` is the emulator's line about exact
    and approximate instructions."""

    def __init__(self, answer):
        self.arrays = answer["arrays"]
        self.findings = [Finding(each) for each in answer["findings"]]
        self.note = answer["note"]

    def __repr__(self):
        return f"<launched: {self.note}>"


class Ptx:
    """A PTX module. `str()` gives its text."""

    def __init__(self, text, path="<ptx>"):
        self.text = text
        self.path = path

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"<PTX {self.path}, {len(self.text.splitlines())} lines>"

    def launch(self, grid, block, *arguments, entry="", cluster=1, dynamic_smem=0, cooperative=False):
        """Runs an entry on the emulator with all checks. `grid`, `block` and `cluster` are ints or (x, y, z).

        Arguments are arrays, numbers, and bytes for structs that are passed by value. A writable NumPy array receives
        the elements that the kernel left in it, as on a GPU. Raises `Fault` if the kernel goes wrong."""
        answer = Launched(
            _native.launch_ptx(
                self.path, self.text, entry, _sizes(grid), _sizes(block), _sizes(cluster), dynamic_smem, cooperative,
                arguments,
            )
        )  # fmt: skip
        given = [each for each in arguments if not isinstance(each, (bool, int, float, bytes))]
        answer.arrays = [own if left is None else left for own, left in zip(given, answer.arrays)]
        faults = [each for each in answer.findings if each.severity == "error"]
        for each in answer.findings:
            if each.severity != "error":
                remark(each)
        if faults:
            raise Fault(faults)
        _write_back(arguments, answer.arrays)
        return answer


def _sizes(value):
    sizes = (value,) if isinstance(value, int) else tuple(value)
    if not 1 <= len(sizes) <= 3 or any(not isinstance(size, int) or size < 1 for size in sizes):
        raise ValueError(f"a grid, block or cluster is one to three positive ints, not {value!r}")
    return (*sizes, 1, 1)[:3]


def _write_back(arguments, arrays):
    left = iter(arrays)
    for argument in arguments:
        if isinstance(argument, (int, float, bytes)):
            continue
        array = next(left, None)
        if array is not argument and getattr(getattr(argument, "flags", None), "writeable", False):
            argument[...] = array


def ptx(source, *arguments, **named):
    """`ptx(text)` and `ptx(path)` make a module that can be launched. `ptx(kernel, …)` makes one from a kernel's
    PTX."""
    if isinstance(source, pathlib.Path) or (isinstance(source, str) and "\n" not in source and source.endswith(".ptx")):
        return Ptx(pathlib.Path(source).read_text(), str(source))
    if isinstance(source, str):
        return Ptx(source)
    return Ptx(str(_builtins.get("ptx")(source, *arguments, **named)))


def cuda(source, arch="sm_90a", options=()):
    """Compiles CUDA C++ to PTX with the `nvcc` on PATH. `source` is a text, or a path that ends in `.cu`."""
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if nvcc is None:
        raise FileNotFoundError("there is no `nvcc` on PATH: compile elsewhere, and pass the PTX to `ptx(…)`")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(source) if str(source).endswith(".cu") else pathlib.Path(folder, "kernel.cu")
        if path.parent == pathlib.Path(folder):
            path.write_text(f'#line 1 "<cuda>"\n{source}')
        out = pathlib.Path(folder, "kernel.ptx")
        command = [nvcc, "-ptx", f"-arch={arch}", "-lineinfo", *options, "-o", str(out), str(path)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Error([Finding(dict(severity="error", kind="nvcc", message=done.stderr, text=done.stderr, place=None, notes=[]))])
        return Ptx(out.read_text(), str(path) if path.parent != pathlib.Path(folder) else "<cuda>")
