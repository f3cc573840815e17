#!/usr/bin/env python3
"""Drives the web page (viz/web) in headless Chromium, and compares the module with the program.

    tests/web/page.py PROGRAM FOLDER REPOSITORY [--all] [--screenshots DIR]

FOLDER holds the page with `lanescope.wasm` (build/wasm/page). If the module is not built, the test is skipped (exit 77):
`cmake --preset wasm && cmake --build --preset wasm`. --all compares 310 layouts instead of 60."""
import base64
import functools
import gzip
import http.server
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from layouts import layouts  # noqa: E402: found through the line above

# Notes when the first picture is drawn, in milliseconds after the address was opened.
FIRST_PICTURE = """
    new MutationObserver((changes, observer) => {
      if (!document.querySelector('canvas[data-drawn]')) return;
      window.firstPicture = performance.now();
      observer.disconnect();
    }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-drawn'] });"""
ENTER, ESCAPE, TAB, HOME, LEFT, UP, RIGHT, DOWN = "\ue007", "\ue00c", "\ue004", "\ue011", "\ue012", "\ue013", "\ue014", "\ue015"
failures = []


def check(what, got, want=True):
    if got != want:
        failures.append(what)
        print(f"FAILED: {what}\n  got  {str(got)[:600]}\n  want {str(want)[:600]}")


def chromium(root, folder):
    spec = importlib.util.spec_from_file_location("pages_in_chromium", pathlib.Path(root, "tests/viz/html.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Browser(module.find("chromium", "chromium-browser", "google-chrome"), module.find("chromedriver"), folder, hosts="127.0.0.1")


def resident(browser):
    """The MiB that the browser's processes hold, without those that they share."""
    parents, out = {}, 0
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parents[int(process.name)] = int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            pass  # it has ended
    for process in parents:
        above = process
        while above in parents and above != browser.process.pid:
            above = parents[above]
        if above == browser.process.pid:
            try:
                status = pathlib.Path(f"/proc/{process}/status").read_text()
                out += sum(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon:"))
            except OSError:
                pass
    return out >> 10


def given_back(page, before, what):
    """The browser holds about as much memory as before, once it has collected its garbage."""
    began = time.monotonic()
    while (now := resident(page.browser)) > before + 150 and time.monotonic() - began < 30:
        page.browser.call("POST", "/goog/cdp/execute", {"cmd": "HeapProfiler.collectGarbage", "params": {}})
        time.sleep(0.2)
    check(f"the memory of {what} is given back ({before} MiB before, now {now})", now <= before + 150)


def choose(page, *paths):
    """Chooses files in the page's file field, as a user does."""
    field = page.browser.call("POST", "/element", {"using": "css selector", "value": "#file"})
    page.browser.call("POST", f"/element/{next(iter(field.values()))}/value", {"text": "\n".join(map(str, paths))})


class Files(http.server.SimpleHTTPRequestHandler):
    """The page's folder on 127.0.0.1."""
    asked = []

    def log_message(self, *_):
        Files.asked.append(self.path)

    def copyfile(self, source, out):
        try:
            super().copyfile(source, out)
        except (BrokenPipeError, ConnectionResetError):  # the browser has left the page
            self.close_connection = True


class Page:
    """The page in the browser, as a user meets it."""

    def __init__(self, browser, address):
        self.browser, self.address = browser, address

    def open(self, fragment=""):
        self.browser.call("POST", "/url", {"url": "about:blank"})
        self.browser.call("POST", "/url", {"url": self.address + fragment})
        self.until("return document.body.dataset.ready === 'yes'", "the page is ready")
        self.settle()

    def until(self, script, what, *arguments):
        began = time.monotonic()
        while not self.browser.run(script, *arguments):
            if time.monotonic() - began > 60:
                sys.exit(f"page.py: after 60 s it is not true that {what}; the page says: {self.said()!r}, {self.text('stopped')!r}")
            time.sleep(0.02)

    def wait(self, script, *arguments):
        """Runs a script with `await`."""
        return self.browser.run(f"return (async () => {{ {script} }})()", *arguments)

    def fragment(self, state):
        """The link's fragment for a state, as JSON text."""
        return self.wait("return (await import(location.origin + '/link.js')).fragmentOf(JSON.parse(arguments[0]))", state)

    def settle(self):
        """Waits until the typed text is read and the pictures are drawn."""
        self.browser.run("return new Promise(done => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => done(1))), 250))")

    def said(self):
        return self.text("said")

    def text(self, name):
        return self.browser.run("return document.getElementById(arguments[0]).textContent", name)

    def words(self):
        return self.browser.run("return [...document.querySelectorAll('#words p')].map(p => p.textContent)")

    def type(self, field, value):
        self.browser.run("const field = document.getElementById(arguments[0]); field.focus(); field.value = arguments[1];"
                         "field.dispatchEvent(new Event(field.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true })); field.blur()", field, value)
        self.settle()

    def click(self, name):
        """Clicks with the mouse; browsers let a page copy only then."""
        self.browser.mouse(*self.browser.run("const box = document.getElementById(arguments[0]).getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]", name), click=True)
        self.settle()

    def open_pictures(self):
        return self.browser.run("return [...document.querySelectorAll('.picture canvas')].map(c => c.id.slice(8))")

    def show(self, *names):
        """Opens these pictures and closes the others, by their buttons."""
        for name in names:
            self.browser.run("const b = document.querySelector(`#show [data-pane=${arguments[0]}]`);"
                             "if (b.getAttribute('aria-pressed') === 'false') b.click()", name)
        for name in self.open_pictures():
            if name not in names:
                self.browser.run("document.querySelector(`#show [data-pane=${arguments[0]}]`).click()", name)
        self.settle()

    def cell(self, picture, row, column, rows, columns):
        """The middle of a cell in the window, for a picture that shows all of its cells."""
        return self.browser.run("""
            const canvas = document.getElementById('picture-' + arguments[0]);
            canvas.scrollIntoView({ block: 'center' });
            const box = canvas.getBoundingClientRect(), [left, top, width, height] = JSON.parse(canvas.dataset.ground);
            return [box.left + left + width * (arguments[2] + 0.5) / arguments[4], box.top + top + height * (arguments[1] + 0.5) / arguments[3]];
            """, picture, row, column, rows, columns)

    def colours(self, picture):
        """The number of different colours in a picture."""
        return self.browser.run("""
            const canvas = document.getElementById('picture-' + arguments[0]);
            const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
            return new Set(pixels).size;""", picture)


def views(page):
    """Each picture is opened and drawn."""
    page.open()
    page.type("compare", "WGMMA_TRANSPOSED")
    names = ["array", "threads", "tmem", "smem", "f2", "second", "flow", "diff"]
    page.type("shape", "128x32")
    for name in names:
        page.show(name)
        check(f"{name} is drawn", page.colours(name) > 3)
    check("the comparison is said in words", "Not equal" in page.text("compared"))
    page.show("array", "threads", "smem", "tmem")
    check("four pictures are open", page.open_pictures(), ["array", "threads", "tmem", "smem"])
    page.type("access", "ld.shared.b32")
    check("bank conflicts are counted", "wavefronts" in page.text("conflicts"))
    page.type("layout", "mma.m16n8k16.f16")
    check("an instruction opens its operands", page.open_pictures(), ["operands"])
    check("no problem", page.text("layout-problem"), "")


def pointer(page):
    """Pointing and clicking light the element in all pictures, and say where it is."""
    page.open()
    expected = "element (9, 2) is held by warp 0, lane 5 in register 1, position 0"
    page.browser.mouse(*page.cell("array", 9, 2, 64, 32), click=False)
    page.settle()
    check("pointing says who holds the element", page.words()[0], expected)
    page.browser.mouse(5, 5, click=False)
    page.settle()
    check("it goes with the pointer", page.words()[0] != expected)
    page.browser.mouse(*page.cell("array", 9, 2, 64, 32), click=True)
    page.browser.mouse(5, 5, click=False)
    page.settle()
    check("a click keeps it", page.words()[0], expected)
    check("its arithmetic is shown", "lane" in page.text("steps"))
    before = page.colours("threads")
    check("it is lit among the threads", before > 3)
    # In the picture of threads, lane 5 is row 5, and the third column is register 1, position 0.
    page.browser.mouse(*page.cell("threads", 5, 2, 128, 16), click=True)
    page.browser.mouse(5, 5, click=False)
    page.settle()
    check("a slot of a thread says its element", page.words()[0], "warp 0, lane 5, register 1, position 0 holds element (9, 2)")


def keyboard(page):
    """The whole story with keys alone: a layout, a picture, a cell, zoom, the link."""
    page.open()
    run = page.browser.run
    reached = []
    for _ in range(60):
        page.browser.type(TAB)
        reached.append(run("const at = document.activeElement; return at.id || at.dataset.pane || at.textContent"))
        if reached[-1] == "layout":
            break
    check("Tab reaches the layout", reached[-1], "layout")
    run("document.activeElement.select()")
    page.browser.type(*"WGMMA_TRANSPOSED")
    page.settle()
    for _ in range(60):
        page.browser.type(TAB)
        if run("return document.activeElement.id") == "picture-array":
            break
    check("Tab reaches the picture", run("return document.activeElement.id"), "picture-array")
    page.browser.type(RIGHT)
    page.settle()
    first = page.words()[0]
    check("an arrow selects a cell", first.startswith("element (0, 0) is held by warp 0, lane 0"))
    page.browser.type(DOWN, RIGHT, RIGHT)
    page.settle()
    check("arrows move it", page.words()[0].startswith("element (1, 2) is held by warp 0, lane 1 "))
    ground = "return document.getElementById('picture-array').dataset.ground"
    page.browser.type(HOME)
    page.settle()
    whole = run(ground)
    page.browser.type("+", "+")
    page.settle()
    check("+ zooms in", run(ground) != whole)
    page.browser.type(HOME)
    page.settle()
    check("Home shows all", run(ground), whole)
    page.browser.type("l")
    page.browser.type(HOME, ESCAPE)
    page.settle()
    check("Escape lets go", page.words()[0] != first and page.words()[0].startswith("Point at a cell"))
    page.browser.type(TAB)
    for _ in range(30):
        if run("return document.activeElement.id") == "picture-threads":
            break
        page.browser.type(TAB)
    check("Tab goes to the next picture", run("return document.activeElement.id"), "picture-threads")
    run("document.getElementById('help').focus()")
    page.browser.type(ENTER)
    check("Enter opens the help", run("return document.getElementById('about').open"))
    page.browser.type(ESCAPE)
    check("Escape closes it", run("return document.getElementById('about').open"), False)


def links(page):
    """A link gives the same page, and 200 random states survive the way through the address."""
    page.open()
    page.type("layout", "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>")
    page.type("shape", "32x32")
    page.show("array", "threads", "f2")
    page.browser.mouse(*page.cell("array", 3, 5, 32, 32), click=True)
    page.browser.mouse(5, 5, click=False)
    page.settle()
    want = (page.open_pictures(), page.words())
    # The page writes its state into the address a moment after a change.
    check("the address gets the state by itself", page.wait("""
        const { stateOf } = await import(location.origin + '/link.js');
        for (let i = 0; i < 500; i++) {
          const state = await stateOf(location.hash).catch(() => null);
          if (state && state.pin)
            return true;
          await new Promise(done => setTimeout(done, 20));
        }
        return false;"""))
    page.browser.call("POST", "/refresh", {})
    page.until("return document.body.dataset.ready === 'yes'", "the page is ready again")
    page.settle()
    check("the state stays when the page is loaded again", (page.open_pictures(), page.words()), want)
    page.browser.run("history.replaceState(null, '', location.pathname)")
    page.click("link")
    check("the copy is told", page.said(), "The link is copied, and in the address bar.")
    fragment = page.browser.run("return location.hash")
    check("the address has the state", fragment.startswith("#1="))
    page.click("view")
    check("the view is copied as text", "The view is copied" in page.said())
    page.open(fragment)
    check("the link gives the same page", (page.open_pictures(), page.words()), want)
    check("a link is short", len(fragment) < 500)
    problems = []
    for seed in range(20):  # ten states at a time, because a browser stops long scripts
        problems += page.wait("""
        const { fragmentOf, stateOf } = await import(location.origin + '/link.js');
        const { Module } = await import(location.origin + '/module.js');
        const module = await Module.load('lanescope.wasm');
        await module.start();
        let seed = arguments[0];
        const random = n => (seed = (seed * 1103515245 + 12345) % 2147483648, Math.floor(seed / 65536) % n), one = list => list[random(list.length)];
        module.call({ do: 'start', theme: 'light' });
        const problems = [];
        for (let i = 0; i < 10; i++) {
          module.call({ do: 'set', fields: {
            layout: one(['WGMMA', 'TCGEN05', '(8,4):(4,1)', 'local(2, 1).spatial(8, 4).local(1, 2)', 'mma.m16n8k16.f16', 'not a layout',
                         'S[(8,64):(64@m,1@m)]', '"quotes" \\\\ and\\nlines', 'ünïcödé ✓ <b>']),
            shape: one(['64x16', '128x32', '16x8', '8x4', '8x64', '0x3', '']), dtype: one(['f16', 'f32', 'i8', 'f4']),
            compare: one(['', '', 'WGMMA_TRANSPOSED', 'TCGEN05']), colourBy: one(['warp', 'lane', 'register', 'vector']),
            tiling: one(['auto', 'none', '8x32']), swizzle: one([0, 32, 64, 128]), transpose: random(2) === 1,
            stage: one(['before', 'after', 'both']), access: one(['', 'ld.shared.b32', 'ldmatrix.x4']), memory: one(['', 'shared', 'registers']) } });
          for (const pane of ['threads', 'smem', 'tmem', 'second', 'diff', 'flow', 'f2']) module.call({ do: 'open', pane, open: random(2) === 1 });
          if (random(2)) module.call({ do: 'arrow', pane: one(['array', 'smem']), rows: random(8), columns: random(4) });
          const state = module.call({ do: 'share' }), read = await stateOf(await fragmentOf(state));
          if (JSON.stringify(read) !== JSON.stringify(state)) problems.push(['address', state, read]);
          module.call({ do: 'set', fields: { layout: 'WGMMA', shape: '64x8', dtype: 'f32', compare: '' } });
          const answer = module.call({ do: 'load', state: read }), again = module.call({ do: 'share' });
          if (answer.error || JSON.stringify(again) !== JSON.stringify(state)) problems.push(['load', state, again, answer.error]);
        }
        return problems;""", seed)
    check("200 random states are the same after their link", problems, [])


def malformed(page):
    """A link that cannot be read is told, and the page stays alive."""
    page.open()
    good = page.fragment('{"layout": "WGMMA", "shape": "64x8", "dtype": "f32"}')
    states = ["null", "[]", "7", '"text"', "{}", '{"view": 7}', '{"view": "view("}', '{"layout": 3}', '{"layout": "WGMMA", "swizzle": 31}',
              '{"layout": "WGMMA", "colourBy": "<b>"}', '{"layout": "WGMMA", "access": "rm"}']
    made = [page.fragment(state) for state in states]
    bomb = page.wait("""
        const stream = new Blob(['{"layout": "' + 'x'.repeat(50000000) + '"}']).stream().pipeThrough(new CompressionStream('deflate-raw'));
        const letters = Array.from(new Uint8Array(await new Response(stream).arrayBuffer()), byte => String.fromCharCode(byte)).join('');
        return '#1=' + btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');""")
    links = ["#1=", "#1=AAAA", "#1=%25%25", "#2=" + good[3:], "#hello", "#1=" + good[3:-8], "#1=" + good[5:], good + "=", bomb, *made]
    for number, link in enumerate(links):
        if number < 3:
            page.open(link)  # as a link that is followed from elsewhere; the others are typed into the address
        else:
            page.browser.run("document.getElementById('said').textContent = ''; location.hash = arguments[0]", link)
            page.until("return document.getElementById('said').textContent !== ''", f"the link {link[:60]} is told")
        check(f"{link[:60]} is told", "This link cannot be read" in page.said())
        check(f"{link[:60]} leaves the page alive", page.open_pictures(), ["array", "threads"])
    odd = {"layout": "WGMMA", "shape": "64x8", "dtype": "f32", "panes": ["array", "nowhere", 3], "front": "diff", "pin": {"pane": "array", "row": 1e300, "column": -7},
           "zoom": {"array": [1e300, -1e300, 1e300], "threads": "all", "nowhere": [1, 2, 3]}, "slice": [1e300, "x"]}
    page.open(page.fragment(json.dumps(odd)))
    check("places that are not there are left out", (page.open_pictures(), page.text("stopped")), (["array"], ""))
    page.open(good)
    check("a good link still works", page.browser.run("return document.getElementById('shape').value"), "64x8")
    check("and says nothing", page.said(), "")


def hostile(page):
    """Names and texts are text, never markup, and nothing outside of the page is asked for."""
    page.open()
    evil = "<img src=x onerror=\"window.pwned=1\"><script>window.pwned=1</script>"
    for field in ["layout", "compare", "shape", "tmem", "tiling"]:
        page.show("array", "smem", "tmem")
        page.type(field, evil)
    check("the error quotes it as text", "<img" in page.text("layout-problem"))
    page.open()
    page.type("layout", f'#a"{evil} = #ttg.blocked<{{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}}>\n'
              "#b = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>")
    made = page.fragment(json.dumps({"layout": evil, "shape": "64x8", "dtype": "f32", "front": evil}))
    page.open(made)
    check("nothing became markup", page.browser.run("return [window.pwned ?? 0, document.querySelectorAll('img, main script').length]"), [0, 0])
    for text in ["(" * 70000, "x" * 200000, "(2,2):" * 3000, "\u0000\uffff"]:
        page.type("layout", text)
        check(f"{text[:8]!r}… has an error", page.text("layout-problem") != "")
    page.type("layout", "WGMMA")
    page.type("shape", "100000x100000")
    check("an array that is too large is told", "too large" in page.text("layout-problem") + page.text("shape-problem"))
    page.type("shape", "64x8")
    check("and the page goes on", page.text("layout-problem") + page.text("shape-problem"), "")
    resources = page.browser.run("return performance.getEntriesByType('resource').map(entry => new URL(entry.name).origin === location.origin)")
    check("nothing is loaded from elsewhere", all(resources))


def large(page):
    """4096 x 4096 elements: opened, zoomed to text, and asked for."""
    page.open()
    page.show("array")
    began = time.monotonic()
    page.type("shape", "4096x4096")
    print(f"4096 x 4096: {time.monotonic() - began:.1f} s to its picture")
    check("it is drawn", page.colours("array") > 3)
    page.browser.run("document.getElementById('picture-array').focus()")
    page.browser.type(RIGHT, "l")
    page.settle()
    check("a cell is described", page.words()[0].startswith("element ("))
    took = page.wait("""
        const { Module } = await import(location.origin + '/module.js');
        const module = await Module.load('lanescope.wasm');
        await module.start();
        module.call({ do: 'start', theme: 'light' });
        const style = { scale: 1, glyph: 0.6, lit: 4294967295, litShare: 0.1, hatch: 1610612736, empty: 4294506486 }, times = [];
        for (const layout of ['WGMMA', 'WGMMA_TRANSPOSED', 'TCGEN05', 'WGMMA_UPCAST_2X', 'WGMMA']) {
          const began = performance.now();
          module.call({ do: 'set', fields: { layout, shape: '128x128', dtype: 'f16' } });
          module.call({ do: 'frame', pane: 'array', width: 700, height: 700, style, have: -1 });
          module.call({ do: 'frame', pane: 'threads', width: 700, height: 700, style, have: -1 });
          times.push(performance.now() - began);
        }
        return times;""")
    print(f"a change of a layout for 128 x 128 to the frames of two pictures: {sorted(took)[len(took) // 2]:.0f} ms (of {[round(t) for t in took]})")


def same_cells(page, program, folder, count):
    """The module's cells are those of the program, byte for byte."""
    page.open()
    page.wait("""
        const { Module } = await import(location.origin + '/module.js');
        window.compared = await Module.load('lanescope.wasm');
        await window.compared.start();
        window.compared.call({ do: 'start', theme: 'light' });""")
    panes = {"grid": "array", "lanes": "threads", "smem": "smem", "tmem": "tmem", "f2": "f2"}
    for layout, options in layouts()[:count]:
        command, fields = [program, "show", layout, "-o", f"{folder}/native.json"], {"layout": layout, "access": "", "compare": ""}
        for name, value in options.items():
            text = "x".join(map(str, value)) if isinstance(value, tuple) else str(value)
            command += ["--transpose"] if name == "transpose" else [f"--{name}", text]
            if name in ("shape", "dtype", "memory", "tiling"):
                fields[name] = text
        fields |= {"memory": options.get("memory", ""), "tiling": fields.get("tiling", "none"), "swizzle": options.get("swizzle", 0),
                   "transpose": options.get("transpose", False)}
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode:
            check(f"the program draws {layout} {options}", ran.stderr, "")
            continue
        answer = page.browser.run("window.compared.call({ do: 'set', fields: arguments[0] });"
                                  "return window.compared.call({ do: 'export', pane: arguments[1], format: 'json' })", fields, panes[options["view"]])
        check(f"{layout} {options} is the same in the module", answer.get("text", answer), pathlib.Path(folder, "native.json").read_text())
    print(f"{len(layouts()[:count])} layouts compared with the program")


def sizes(site):
    """The modules as a server compresses them: 3 MB without the emulator, 6 MB with it."""
    packed = {path.stem: len(gzip.compress(path.read_bytes(), 9)) for path in sorted(pathlib.Path(site).glob("*.wasm"))}
    without = sum(packed.values()) - packed.get("kernels", 0)
    print(f"compressed: {', '.join(f'{name} {size / 1e6:.2f} MB' for name, size in packed.items())}; {without / 1e6:.2f} MB without the emulator")
    check("the modules without the emulator have at most 3 MB", without <= 3_000_000)
    check("all modules have at most 6 MB", sum(packed.values()) <= 6_000_000)


def axe(page, what):
    """axe-core finds nothing serious. `./dev test` fetches it where npm can."""
    source = pathlib.Path(page.root, "build/npm/node_modules/axe-core/axe.min.js")
    if not source.is_file():
        return print("axe-core is not there (npm install --prefix build/npm axe-core), so its rules are not checked")
    page.browser.run(source.read_text() + "; window.axe = axe;")
    found = page.wait("const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });"
                      "return violations.filter(one => ['serious', 'critical'].includes(one.impact)).map(one => [one.id, one.nodes.slice(0, 3).map(node => node.html.slice(0, 120))])")
    check(f"axe-core finds nothing serious ({what})", found, [])


def accessible(page):
    """Names for all controls, contrast of all texts in both themes, and no sideways scrolling on a telephone."""
    media = lambda theme: page.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {
        "features": [{"name": "prefers-color-scheme", "value": theme}]}})
    for theme in ["dark", "light"]:
        media(theme)
        page.open()
        low = page.browser.run("""
            const style = getComputedStyle(document.documentElement), channel = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
            const light = name => { const c = style.getPropertyValue('--' + name).trim();
              const [r, g, b] = [1, 3, 5].map(at => channel(parseInt(c.slice(at, at + 2), 16))); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
            const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
            const low = [];
            for (const ground of ['ground', 'panel', 'field'])
              for (const ink of ['ink', 'faint', 'good', 'warning', 'bad']) if (contrast(ink, ground) < 4.5) low.push([ink, ground, contrast(ink, ground)]);
            for (const [ink, ground] of [['ink', 'raised'], ['ink', 'rule'], ['accentInk', 'accent']]) if (contrast(ink, ground) < 4.5) low.push([ink, ground, contrast(ink, ground)]);
            for (const ground of ['ground', 'panel']) if (contrast('edge', ground) < 3) low.push(['edge', ground, contrast('edge', ground)]);
            return low;""")
        check(f"texts have a contrast of 4.5, borders of controls 3 ({theme})", low, [])
        axe(page, f"layouts, {theme}")
    page.show("array", "smem", "tmem", "f2")
    nameless = page.browser.run("""
        return [...document.querySelectorAll('button, select, input, textarea, canvas')].filter(control =>
          !(control.getAttribute('aria-label') || control.textContent.trim() && control.tagName === 'BUTTON' || control.labels?.length)).map(control => control.outerHTML)""")
    check("each control has a name", nameless, [])
    check("each id is unique", page.browser.run("const ids = [...document.querySelectorAll('[id]')].map(e => e.id); return ids.length - new Set(ids).size"), 0)
    for width in [390, 768, 1280, 2560]:
        page.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 800}})
        page.settle()
        check(f"nothing is wider than {width} pixels", page.browser.run("return document.documentElement.scrollWidth"), width)
    page.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.clearDeviceMetricsOverride", "params": {}})


def embedded(page):
    """<lanescope-layout> draws layouts in any page, follows its attributes, and says what is wrong."""
    run = page.browser.run
    page.browser.call("POST", "/url", {"url": page.address + "embed.html"})
    page.until("return [...document.querySelectorAll('lanescope-layout')].every(one => one.shadowRoot.querySelector('canvas[data-drawn]'))", "the elements are drawn")
    words = "return document.querySelectorAll('lanescope-layout')[arguments[0]].shadowRoot.querySelector('.words').textContent"
    check("an instruction's conflicts are counted", "wavefronts" in run(words, 1))
    run("document.querySelector('lanescope-layout').shadowRoot.querySelector('canvas').focus()")
    page.browser.type(RIGHT, DOWN)
    page.settle()
    check("arrows select a cell", run(words, 0).startswith("element (1, 0) is held by warp 0, lane 4"))
    run("window.told = ''; document.querySelector('lanescope-layout').addEventListener('lanescope-select', event => { window.told = event.detail.words[0]; })")
    page.browser.type(RIGHT)
    page.settle()
    check("the page is told", run("return window.told").startswith("element (1, 1)"))
    change = "const one = document.querySelector('lanescope-layout'); for (const [name, value] of Object.entries(arguments[0])) one.setAttribute(name, value)"
    canvases = "return [...document.querySelector('lanescope-layout').shadowRoot.querySelectorAll('canvas')].map(canvas => canvas.id)"
    run(change, {"layout": "TCGEN05", "shape": "128x32", "pictures": "array"})
    page.settle()
    check("an attribute changes the pictures", run(canvases), ["picture-array"])
    run(change, {"layout": "<img src=x onerror=window.pwned=1>"})
    page.settle()
    check("an error is told as text", ("<img" in run(words, 0) or "layout" in run(words, 0), run("return window.pwned ?? 0")), (True, 0))
    run(change, {"link": page.fragment('{"layout": "WGMMA", "shape": "64x8", "dtype": "f32", "panes": ["array", "f2"]}')})
    page.settle()
    check("a link gives the layout", run(canvases), ["picture-array", "picture-f2"])
    run(change, {"link": "#1=AAAA"})
    page.settle()
    check("a damaged link is told", "damaged" in run(words, 0))
    run("document.querySelector('lanescope-layout').remove()")
    page.settle()
    check("an element can go", run("return document.querySelectorAll('lanescope-layout').length"), 2)


def stopped(page):
    """If the module stops, the page says so, and goes on with the state before."""
    breaking = """
        const instantiate = WebAssembly.instantiate;
        WebAssembly.instantiate = async (...given) => {
          const { exports } = await instantiate(...given);
          const ask = (at, bytes) => {
            if (window.breaks > 0) { window.breaks--; throw new WebAssembly.RuntimeError('unreachable'); }
            return exports.lanescope_call(at, bytes);
          };
          return { exports: { ...exports, lanescope_call: ask } };
        };"""
    added = page.browser.call("POST", "/goog/cdp/execute", {"cmd": "Page.addScriptToEvaluateOnNewDocument", "params": {"source": breaking}})
    page.open()
    page.type("shape", "64x16")
    page.browser.run("window.breaks = 1")
    page.type("layout", "WGMMA_TRANSPOSED")
    check("the page says that the program stopped", "as it was before your last change" in page.text("stopped"))
    check("the state is the one before", page.browser.run("return [document.getElementById('layout').value, document.getElementById('shape').value]"), ["WGMMA", "64x16"])
    check("the pictures are drawn", page.colours("array") > 3)
    page.type("layout", "WGMMA_TRANSPOSED")
    check("the page goes on", page.browser.run("return [document.getElementById('layout').value, document.getElementById('stopped').hidden]"), ["WGMMA_TRANSPOSED", True])
    page.browser.run("window.breaks = 1")
    page.type("shape", "64x32")
    check("a module that stops again soon starts from the beginning", "with its first picture" in page.text("stopped"))
    check("and its picture is drawn", page.colours("array") > 3)
    page.browser.call("POST", "/goog/cdp/execute", {"cmd": "Page.removeScriptToEvaluateOnNewDocument", "params": {"identifier": added["identifier"]}})
    page.open()


def offline(page, server):
    """A page that was open once opens without a network."""
    page.open()
    page.wait("await navigator.serviceWorker.ready")
    page.until("return navigator.serviceWorker.controller !== null", "the worker keeps the page's files")
    server.shutdown()
    server.server_close()
    page.open()
    check("the page opens without a network", page.colours("array") > 3)


def look(page, folder):
    """Pictures of the page in both themes at three widths, to be looked at."""
    folder.mkdir(parents=True, exist_ok=True)
    page.open()
    samples = page.wait("return (await fetch('samples.json')).json()")
    for theme in ["light", "dark"]:
        page.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"features": [{"name": "prefers-color-scheme", "value": theme}]}})
        for width, height in [(390, 844), (1280, 800), (2560, 1440)]:
            page.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
                "width": width, "height": height, "deviceScaleFactor": 2 if width < 500 else 1, "mobile": width < 500}})
            for number in [-1, *range(len(samples))]:
                if number >= 0 and (theme == "dark") != (number % 2 == 0) and width != 1280:
                    continue
                page.open() if number < 0 else page.browser.run("const s = document.getElementById('samples'); s.value = String(arguments[0]); s.dispatchEvent(new Event('change'))", number)
                page.settle()
                page.browser.run("const c = document.querySelector('.picture canvas'); c.focus(); for (const key of ['ArrowRight', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight']) c.dispatchEvent(new KeyboardEvent('keydown', { key })); scrollTo(0, 0)")
                page.settle()
                picture = page.browser.call("POST", "/goog/cdp/execute", {"cmd": "Page.captureScreenshot", "params": {"captureBeyondViewport": width < 500}})["data"]
                (folder / f"{theme}-{width}-{number + 1}.png").write_bytes(base64.b64decode(picture))


def main():
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    program, site, root = arguments[:3]
    if not pathlib.Path(site, "lanescope.wasm").is_file():
        print(f"page.py: skipped: {site} has no lanescope.wasm; `cmake --preset wasm && cmake --build --preset wasm` makes it")
        sys.exit(77)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sizes(site)
    with tempfile.TemporaryDirectory() as folder:
        browser = chromium(root, folder)
        try:
            page = Page(browser, f"http://127.0.0.1:{server.server_port}/")
            page.root = root
            if "--screenshots" in sys.argv:
                look(page, pathlib.Path(arguments[3]))
            else:
                added = browser.call("POST", "/goog/cdp/execute", {"cmd": "Page.addScriptToEvaluateOnNewDocument", "params": {"source": FIRST_PICTURE}})
                page.open()
                print(f"first picture {browser.run('return window.firstPicture') / 1000:.2f} s after the address was opened")
                browser.call("POST", "/goog/cdp/execute", {"cmd": "Page.removeScriptToEvaluateOnNewDocument", "params": {"identifier": added["identifier"]}})
                only = [argument[7:] for argument in sys.argv if argument.startswith("--only=")]
                for story in [views, pointer, keyboard, links, malformed, hostile, large, accessible, embedded, stopped]:
                    if not only or story.__name__ in only:
                        started = time.monotonic()
                        story(page)
                        print(f"{story.__name__}: {time.monotonic() - started:.0f} s", flush=True)
                if not only or "same_cells" in only:
                    same_cells(page, program, folder, None if "--all" in sys.argv else 60)
                # The advice about a canvas is on how this test reads its pixels.
                check("no errors in the browser's console", [problem for problem in browser.problems() if "willReadFrequently" not in problem], [])
                if not only or "offline" in only:
                    offline(page, server)
        finally:
            browser.close()
            server.shutdown()
    if failures:
        sys.exit(f"page.py: {len(failures)} checks failed")
    print("page.py: all checks passed")


if __name__ == "__main__":
    main()
