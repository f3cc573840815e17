#!/usr/bin/env python3
"""Tests the package in a notebook: cells run in a real Jupyter kernel, and the test checks their output.

Usage: notebook.py REPOSITORY [PAGE.html], with the package on PYTHONPATH; writes the pictures for inspection to
PAGE.html.
Exit status 77 if Jupyter's client or kernel is missing (Debian: python3-nbclient, python3-ipykernel)."""

import json
import os
import pathlib
import sys
import tempfile

try:
    import ipykernel  # noqa: F401
    import nbformat
    from nbclient import NotebookClient
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

CELLS = [
    "%load_ext lanescope\nimport lanescope as ls, numpy, warnings\nls.configure(device='emulator')\nwarnings.simplefilter('ignore', ls.NoteWarning)",
    "ls.WGMMA",
    "ls.show(ls.layout('(8,4):(4,1)'))",
    "%%lanescope\nx = 3",
    "%%lanescope\nprint(x + 1)",
    """@ls.kernel(grid=(1,))
def double(x: ls.GMEM((128,), ls.f32), out: ls.Out((128,), ls.f32)):
    with ls.region("double"):
        out[...] = x[...] * 2
result = ls.run(double, numpy.ones(128, "f4"), profile=True)
float(result.outputs[0].sum())""",
    "result.trace",
    """@ls.kernel(grid=(1,))
def wrong(x: ls.GMEM((128,), ls.f32), out: ls.Out((64,), ls.f32)):
    out[...] = x[...] * 2
wrong(numpy.ones(128, "f4"))""",
    "%%lanescope x\n1",
]


def run():
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    with tempfile.TemporaryDirectory() as folder:
        spec = pathlib.Path(folder, "kernels", "here", "kernel.json")
        spec.parent.mkdir(parents=True)
        spec.write_text(json.dumps({"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
                                    "display_name": "here", "language": "python"}))  # fmt: skip
        os.environ["JUPYTER_PATH"] = folder
        NotebookClient(notebook, kernel_name="here", timeout=300, allow_errors=True).execute()
    return [cell.outputs for cell in notebook.cells]


def main():
    outputs = run()
    pictures = [each.data["text/html"] for cell in outputs for each in cell if "text/html" in each.get("data", {})]
    if len(sys.argv) > 2:
        pathlib.Path(sys.argv[2]).write_text("<meta charset=utf-8>" + "\n".join(pictures))
    assert outputs[0] == [] and outputs[3] == [], outputs[0]
    assert outputs[1][0].data["text/plain"].startswith("TiledLayout("), outputs[1]
    assert len(pictures) == 3 and all(each.startswith("<iframe") for each in pictures), len(pictures)
    assert outputs[4][0].text == "4\n", outputs[4]
    assert outputs[5][-1].data["text/plain"] == "256.0", outputs[5]
    error = outputs[7][-1]
    assert error.ename == "ArgumentValueError" and ":3:" in error.evalue and "out[...] = x[...] * 2" in error.evalue, error
    assert "takes no arguments" in "".join(each.get("text", "") for each in outputs[8]), outputs[8]
    print(f"{len(CELLS)} cells run, 3 pictures shown")


main()
