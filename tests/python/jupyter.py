#!/usr/bin/env python3
"""Tests the package in a real Jupyter in Chromium: the output of cells is drawn, reacts to the pointer, and is readable
in light and dark.

Usage: jupyter.py REPOSITORY [FOLDER], with the package on PYTHONPATH; writes screenshots for inspection into FOLDER.
Exit status 77 if Jupyter or Chromium is missing (Debian: jupyter-notebook, python3-ipykernel, chromium,
chromium-driver)."""

import base64
import importlib.util
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
CELLS = [
    "%load_ext lanescope\nimport lanescope as ls, numpy, warnings\nls.configure(device='emulator')\nwarnings.simplefilter('ignore')",
    "ls.WGMMA",
    "ls.show(ls.WGMMA, (64, 64), view='diff', against=ls.WGMMA_TRANSPOSED)",
    """@ls.kernel(grid=(1,), scratch=[ls.SMEM((128,), ls.f32), ls.Barrier()])
def hasty(x: ls.GMEM((128,), ls.f32), out: ls.Out((128,), ls.f32), tile, loaded):
    ls.copy_gmem_to_smem(x, tile, loaded)
    with ls.region("double"):
        out[...] = tile[...] * 2
ls.show(hasty)""",
    "ls.check(hasty, numpy.ones(128, 'f4'))",
    """@ls.kernel(grid=(1,))
def double(x: ls.GMEM((128,), ls.f32), out: ls.Out((128,), ls.f32)):
    with ls.region("double"):
        out[...] = x[...] * 2
ls.run(double, numpy.ones(128, "f4"), profile=True).trace""",
    "double",
    "%%lanescope\nshow(layout('(8,4):(4,1)'))",
]
FRAMES = [1, 2, 3, 5, 6, 7]  # the cells that show a page in a frame
TABLES = [4]
WHERE = """
const cell = Jupyter.notebook.get_cell(arguments[0]);
const found = cell.element[0].querySelector('.output_area ' + arguments[1]);
if (found) found.scrollIntoView({ block: 'center' });
return found;
"""
BUSY = "return !window.Jupyter || !Jupyter.notebook || !Jupyter.notebook.kernel || !Jupyter.notebook.kernel.is_connected()"
WAITING = "return Jupyter.notebook.get_cells().filter(c => c.input_prompt_number === '*' || c.input_prompt_number == null).length"


def browser_of(root, folder):
    spec = importlib.util.spec_from_file_location("pages_in_chromium", pathlib.Path(root, "tests/viz/html.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Browser(module.find("chromium", "chromium-browser", "google-chrome"), module.find("chromedriver"), folder, hosts="127.0.0.1")


def serve(folder, log):
    """(process, address) of Jupyter with the notebook in the folder."""
    import nbformat

    spec = folder / "kernels" / "here" / "kernel.json"
    spec.parent.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec.write_text(json.dumps({"argv": command, "display_name": "here", "language": "python"}))
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "here", "display_name": "here", "language": "python"}})
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    (folder / "work").mkdir()
    nbformat.write(notebook, folder / "work" / "cells.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = dict(os.environ, JUPYTER_PATH=str(folder), HOME=str(folder), JUPYTER_CONFIG_DIR=str(folder / "config"), JUPYTER_RUNTIME_DIR=str(folder / "run"))
    process = subprocess.Popen(["jupyter-notebook", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}", "--NotebookApp.token=",
                                "--NotebookApp.password=", f"--notebook-dir={folder / 'work'}"], env=environment, stdout=log, stderr=log)  # fmt: skip
    return process, f"http://127.0.0.1:{port}/notebooks/cells.ipynb"


def until(what, ready, seconds=120):
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not after {seconds} s")
        time.sleep(0.2)


class Notebook:
    def __init__(self, browser, folder):
        self.browser, self.folder = browser, folder

    def shown(self, cell, what):
        """Scrolls to the element that a cell shows, and returns it."""
        return self.browser.run(WHERE, cell, what)

    def inside(self, cell, script):
        """The result of a script inside a cell's page, after the page is drawn."""
        frame = self.shown(cell, "iframe")
        assert frame, f"cell {cell} shows no page"
        self.browser.call("POST", "/frame", {"id": frame})
        try:
            until(f"the page of cell {cell}", lambda: self.browser.run("return document.querySelectorAll('figure .b, pre.shown div').length > 0"), 30)
            return self.browser.run(script)
        finally:
            self.browser.call("POST", "/frame", {"id": None})

    def scheme(self, name):
        media = {"features": [{"name": "prefers-color-scheme", "value": name}]}
        self.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": media})

    def picture(self, name):
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / f"{name}.png").write_bytes(base64.b64decode(self.browser.call("GET", "/screenshot")))


def look(notebook, scheme):
    """Checks each cell in a colour scheme."""
    notebook.scheme(scheme)
    contrast = []
    for cell in FRAMES:
        colours = notebook.inside(cell, "const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]")
        contrast.append(colours)
        assert colours[0] != colours[1], (cell, colours)
        notebook.picture(f"{scheme}_{cell}")
    for cell in TABLES:
        notebook.shown(cell, "table")
        notebook.picture(f"{scheme}_{cell}")
    return contrast


def exercise(notebook):
    browser = notebook.browser
    until("Jupyter's page", lambda: not browser.run(BUSY))
    browser.run("Jupyter.notebook.execute_all_cells()")
    failed = "return [...document.querySelectorAll('.output_error')].map(e => e.textContent)"
    until("the cells", lambda: browser.run(WAITING) == 0 or browser.run(failed))
    errors = browser.run(failed)
    assert not errors, errors
    light, dark = look(notebook, "light"), look(notebook, "dark")
    code = FRAMES.index(3)
    assert light[code] != dark[code], "a kernel's stages have one colour scheme"
    assert notebook.inside(1, "return document.querySelectorAll('figure .b').length") >= 64
    words = notebook.inside(1, """
const box = document.querySelectorAll('figure .b')[3];
box.dispatchEvent(new PointerEvent('pointermove', { bubbles: true }));
const element = document.querySelector('lanescope-layout');
return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() =>
  done([box.classList.contains('at'), element.shadowRoot.querySelector('.words').textContent]))));""")
    assert words[0] and words[1].startswith("element (0, 3) is held by"), words
    tabs = notebook.inside(3, "return [...document.querySelectorAll('nav button')].map(b => b.textContent)")
    assert tabs[0] == "snippet" and "ptx" in tabs and len(tabs) >= 4, tabs
    lit = notebook.inside(3, """
const line = [...document.querySelector('pre').querySelectorAll('div')].find(d => d.textContent.includes('out[...] ='));
line.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
return [...document.querySelectorAll('pre')].map(p => p.querySelectorAll('.lit').length);""")
    assert lit[0] == 1 and lit[-1] > 0, lit
    table = browser.run("return arguments[0].textContent", notebook.shown(4, "table"))
    assert "copy-not-awaited" in table and "out[...] = tile[...] * 2" in table, table
    print(f"{len(FRAMES)} pages and {len(TABLES)} table in Jupyter, light and dark; stages: {', '.join(tabs)}")


def main():
    if importlib.util.find_spec("nbformat") is None or not shutil.which("jupyter-notebook") or not shutil.which("chromedriver"):
        print("skipped: jupyter-notebook or chromium-driver is missing")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        log = open(folder / "jupyter.log", "w+")
        jupyter, address = serve(folder, log)
        browser = browser_of(sys.argv[1], name)
        try:
            until("Jupyter", lambda: "is running at" in (folder / "jupyter.log").read_text(), 60)
            browser.call("POST", "/url", {"url": address})
            exercise(Notebook(browser, pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None))
        finally:
            browser.close()
            jupyter.terminate()
            jupyter.wait(30)
    return 0


if __name__ == "__main__":
    sys.exit(main())
