"""Keeps calls as packages, which `lanescope open`, `check`, the window and `lanescope-worker run` read.

    DIR/scale_0.lspkg/before.mlir   JAX's module before layout inference, with locations; none in Lane semantics
                      after.mlir    after it
                      lowered.mlir  as each thread's code
                      kernel.ptx, launch.json, meta.json, argument0.npy …: the call itself
                      expected/     the outputs
                      results.json  the file in expected/ of each of JAX's results; null: not written"""
import copy
import json
import pathlib
import re

from . import arrays
from .compiler import buffers_of


def launch_text(launch):
    return json.dumps(launch, indent=1) + "\n"


def plain_name(name):
    """The name of a kernel in a form that a file's name can contain."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)[:100]


def output_file(buffer):
    return f"{buffer['name']}.out.npy"


class Folder:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.path.mkdir(parents=True, exist_ok=True)

    def keep(self, number, module, compiled, inputs, outputs, results):
        """`inputs`: an array for each of the launch's buffers. `outputs`: the output arrays by the numbers of their
        buffers; none after a fault. `results`: for each of JAX's results the number of its buffer, or None."""
        folder = self.path / f"{plain_name(module.name)}_{number}.lspkg"
        save_package(folder, compiled, inputs, outputs)
        texts = {"before.mlir": module.before, "after.mlir": module.after, "lowered.mlir": module.lowered,
                 "results.json": json.dumps([output_file(compiled.buffers[index]) if index in outputs else None for index in results]) + "\n"}
        for name, text in texts.items():
            if text:
                (folder / name).write_text(text)


def save_package(folder, compiled, inputs, outputs):
    """Writes a package as `lanescope compile --emit package` does."""
    (folder / "expected").mkdir(parents=True, exist_ok=True)
    launch = copy.deepcopy(compiled.launch)
    for index, (buffer, array) in enumerate(zip(buffers_of(launch), inputs)):
        buffer.pop("data", None), buffer.pop("out", None)
        if not arrays.all_zero(array):
            buffer["data"] = f"{buffer['name']}.npy"
            arrays.save_npy(folder / buffer["data"], array)
        if index in outputs:
            buffer["out"] = output_file(buffer)
            arrays.save_npy(folder / "expected" / buffer["out"], outputs[index])
    meta = {"format": 1, "kernel": compiled.kernel, "arch": compiled.arch, "outputs": sorted(outputs)}
    for name, content in (("kernel.ptx", compiled.ptx), ("launch.json", launch_text(launch)), ("meta.json", json.dumps(meta, indent=1) + "\n")):
        (folder / name).write_text(content)
