#!/usr/bin/env python3
"""Drives the web page with traces in Chromium: opened, pointed at, explained, by keys alone, compared, linked, and given
files that are malformed, hostile or large.

    tests/web/traces.py LANESCOPE build/wasm/page . [--large] [--only=NAME]

The module's texts are compared with those of `lanescope trace` for all traces of tests/golden and samples. --large also
opens a trace of a million events, one of 200 MB and a file that expands to more than 1 GiB, and prints how long that takes. Ends with 77 if there is no browser
or no page.
"""

import base64
import functools
import gzip
import http.server
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from page import DOWN, ENTER, ESCAPE, HOME, RIGHT, TAB, Files, Page, axe, check, choose, chromium, failures, given_back, resident  # noqa: E402

MATMUL, BLACKWELL = "traces/emulated_matmul.json.gz", "traces/emulated_blackwell.json.gz"


class Traces(Page):
    """The page with traces, as a user meets it."""

    def open(self, fragment=""):
        self.browser.call("POST", "/url", {"url": "about:blank"})
        self.browser.call("POST", "/url", {"url": self.address + "traces.html" + fragment})
        self.until("return document.body.dataset.ready === 'yes'", "the page is ready")

    def drawn(self):
        """Waits until the timeline is drawn with all of its words."""
        self.until("return document.getElementById('timeline').dataset.drawn && document.getElementById('reading').hidden "
                   "&& !document.getElementById('timeline').hidden && !/counting/.test(document.getElementById('scope').textContent)", "the trace is drawn")
        self.settle()

    def sample(self, name):
        self.browser.run("const list = document.getElementById('samples'); list.value = arguments[0]; list.dispatchEvent(new Event('change'))", name)
        self.until("return document.getElementById('title').textContent === arguments[0]", f"{name} is open", name.split("/")[1])
        self.drawn()

    def drop(self, name, content, shown=True):
        """Drops a file with these bytes on the page."""
        self.browser.run("""
            const bytes = Uint8Array.from(atob(arguments[1]), letter => letter.charCodeAt(0)), given = new DataTransfer();
            document.getElementById('stopped').textContent = '';
            given.items.add(new File([bytes], arguments[0]));
            dispatchEvent(new DragEvent('drop', { dataTransfer: given, bubbles: true, cancelable: true }));""", name, base64.b64encode(content).decode())
        self.until("return document.getElementById('stopped').textContent !== '' || document.getElementById('title').textContent === arguments[0]", f"{name} is opened or refused", name)
        self.until("return document.getElementById('reading').hidden", f"{name} is read")
        if shown:
            self.drawn()

    def label(self, name):
        """The middle of the first bar with this name, in the window."""
        return self.browser.run("""
            const canvas = document.getElementById('timeline'), box = canvas.getBoundingClientRect();
            const [x, y] = JSON.parse(canvas.dataset.labels).find(([, , name]) => name === arguments[0]);
            return [box.x + x, box.y + y];""", name)

    def selected(self):
        return self.text("details")


def opened(page):
    """A trace is drawn; pointing, clicking and the switches show what the window shows."""
    page.open()
    check("without a trace, the page says what to do", "Drop a trace here" in page.text("empty"))
    page.sample(MATMUL)
    check("the regions are counted", "2 tracks, 50 slices, 9.61 µs" in page.text("scope"))
    page.browser.mouse(*page.label("multiply"), click=False)
    page.settle()
    check("pointing says what a slice is", "multiply" in page.selected() and "SM 0, block (0, 0, 0) warpgroup 0" in page.selected())
    page.browser.mouse(*page.label("multiply"), click=True)
    page.settle()
    check("a click explains it", "Why it took so long" in page.text("chain") and "`" not in page.text("chain"))
    page.browser.run("document.querySelector('#chain button').click()")
    page.settle()
    check("a link of the chain leads there", page.text("detailsTitle"), "Selected slice")
    page.browser.run("document.getElementById('path').click()")
    page.settle()
    check("the critical path is listed", "back from what finished last" in page.text("pathPart"))
    page.browser.run("document.getElementById('occupancy').click()")
    page.settle()
    check("blocks are counted", "processors" in page.text("occupancyPart"))
    page.sample(BLACKWELL)
    page.browser.run("document.getElementById('compare').click()")
    page.settle()
    check("the trace before is compared", "Before: emulated_matmul.json.gz" in page.text("comparison"))
    colours = page.browser.run("""
        const canvas = document.getElementById('timeline');
        return new Set(new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size""")
    check("the timeline is drawn", colours > 10)


def keyboard(page):
    """The whole story with keys alone."""
    page.open()
    page.sample(MATMUL)
    run = page.browser.run
    run("document.getElementById('search').focus()")
    page.browser.type(*"wgmma")
    page.browser.type(ENTER)
    page.settle()
    check("Enter goes to the next region that was searched", "wgmma" in page.selected())
    page.browser.type(ESCAPE)
    check("Escape goes to the timeline", run("return document.activeElement.id"), "timeline")
    page.browser.type(ESCAPE)
    page.settle()
    check("there, it selects nothing", page.selected().startswith("Point at a slice"))
    page.browser.type(RIGHT)
    page.settle()
    first = page.selected()
    check("an arrow selects a slice", "SM 0, block (0, 0, 0) warpgroup 0" in first)
    page.browser.type(RIGHT)
    page.settle()
    check("the next one is another", page.selected() != first)
    page.browser.type(DOWN)
    page.settle()
    check("an arrow goes to the row below", page.selected() != first)
    view = "return document.getElementById('timeline').dataset.labels"
    before = run(view)
    page.browser.type("f")
    page.settle()
    check("F zooms to the slice", run(view) != before)
    page.browser.type("r")
    page.settle()
    check("R counts its time alone", page.text("regionsTitle"), "Regions in the selected stretch")
    page.browser.type(HOME, "p", "b")
    page.settle()
    check("P and B switch", run("return ['path', 'occupancy'].map(id => document.getElementById(id).getAttribute('aria-pressed'))"), ["true", "true"])
    for _ in range(40):
        page.browser.type(TAB)
        if run("return document.activeElement.className") == "plain":
            break
    check("Tab reaches the reasons", run("return document.activeElement.className"), "plain")
    page.browser.type(ENTER)
    page.settle()
    check("Enter goes to the cause, and back to the timeline", run("return document.activeElement.id"), "timeline")


def links(page):
    """A link gives the same page, with the trace if it is small."""
    page.open()
    page.drop("mine.json.gz", pathlib.Path(page.root, "samples", BLACKWELL).read_bytes())
    page.browser.run("document.getElementById('timeline').focus()")
    page.browser.type(RIGHT, DOWN, "f", "p")
    page.settle()
    page.browser.run("document.getElementById('said').textContent = ''")
    page.click("link")
    page.until("return document.getElementById('said').textContent !== ''", "the copy is told")
    check("the copy is told", page.said(), "The link is copied, and in the address bar.")
    fragment, want = page.browser.run("return location.hash"), (page.selected(), page.text("pathPart"), page.text("scope"))
    check("the link is short", len(fragment) < 6000)
    page.open(fragment)
    page.drawn()
    check("the link gives the same page", (page.selected(), page.text("pathPart"), page.text("scope")), want)
    check("with the trace's name", page.text("title"), "mine.json.gz")
    # Without the trace, the view waits for the file.
    view = page.wait("return JSON.stringify((await (await import(location.origin + '/link.js')).stateOf(location.hash)).view)")
    page.open(page.fragment(json.dumps({"view": json.loads(view), "traces": [{"name": "mine.json.gz"}]})))
    check("a link without its trace says so", "Open that file" in page.said())
    page.drop("mine.json.gz", pathlib.Path(page.root, "samples", BLACKWELL).read_bytes())
    check("the file then gets the link's view", page.selected(), want[0])
    states = ["null", "[]", "{}", '{"traces": 7}', '{"traces": []}', '{"traces": [{}, {}, {}]}']
    for link in ["#1=", "#1=AAAA", "#2=AAAA", "#hello", *map(page.fragment, states)]:
        page.browser.run("document.getElementById('said').textContent = ''; location.hash = arguments[0]", link)
        page.until("return document.getElementById('said').textContent !== ''", f"the link {link[:40]} is told")
        check(f"{link[:40]} is told", "This link cannot be read" in page.said())
    odd = {"traces": [{"sample": "../../etc/passwd"}], "view": {"view": [1e300, "x"], "selected": [9e99, -3], "range": [None, 1], "scroll": "far"}}
    page.open(page.fragment(json.dumps(odd)))
    check("a sample is only a file of the page", "Open that file" in page.said())
    odd["traces"] = [{"sample": MATMUL}]
    page.open(page.fragment(json.dumps(odd)))
    page.drawn()
    check("odd values of a view are left out", page.selected().startswith("Point at a slice"))


def malformed(page):
    """Files that are no traces are refused in words, and the page goes on."""
    page.open()
    evil = "<img src=x onerror=window.pwned=1>"
    event = {"name": evil, "ph": "X", "ts": 1, "dur": 5, "pid": 1, "tid": 1, "args": {"line": evil, "detail": evil}}
    names = [{"name": name, "ph": "M", "pid": 1, "tid": 1, "args": {"name": evil}} for name in ("process_name", "thread_name")]
    whole = pathlib.Path(page.root, "samples", MATMUL).read_bytes()
    for name, content, words in [
            ("empty.json", b"", "a trace is a JSON object"), ("text.json", b"hello", "a trace is a JSON object"), ("number.json", b"[1, 2", "is not opened"),
            ("deep.json", b"[" * 200000, "is not opened"), ("cut.json.gz", whole[:700], "damaged or cut off"), ("bad.json.gz", whole[:300] + b"xyz" + whole[303:], "is not opened"),
            ("noise.json", random.Random(1).randbytes(5000), "is not opened"), ("none.json", b'{"traceEvents": []}', "no slices"),
            (evil + ".json", b"{", "is not opened")]:
        page.drop(name, content, shown=False)
        check(f"{name} is refused in words", words in page.text("stopped"))
    page.drop("hostile.json", json.dumps({"traceEvents": [*names, event]}).encode())
    check("names are text, never markup", page.browser.run("return [window.pwned ?? 0, document.querySelectorAll('main img').length]"), [0, 0])
    check("and are shown", evil in page.text("regions"))
    page.browser.run("document.getElementById('timeline').focus()")
    page.browser.type(RIGHT)
    page.settle()
    check("also of a selected slice", evil in page.selected())
    check("nothing became markup", page.browser.run("return window.pwned ?? 0"), 0)


def oversized(page, folder):
    """Files of 200 MB that are no traces are refused in words. The page goes on with the trace that it has, and holds no more memory."""
    page.open()
    page.sample(MATMUL)
    title, before = page.text("title"), resident(page.browser)
    nothing, spaces, bomb = (pathlib.Path(folder, name) for name in ["nothing.json", "spaces.json", "bomb.json.gz"])
    with open(nothing, "wb") as file:
        file.truncate(200 << 20)
    with open(spaces, "wb") as file:
        file.write(b'{"traceEvents": [')
        for _ in range(200):
            file.write(b" " * (1 << 20))
    cases = [(nothing, "a trace is a JSON object"), (spaces, "is not opened")]
    if "--large" in sys.argv:
        with gzip.open(bomb, "wb", compresslevel=1) as file:
            for _ in range(1100):
                file.write(bytes(1 << 20))
        cases.append((bomb, "more than the 1024 MiB"))
    for path, words in cases:
        page.browser.run("document.getElementById('stopped').textContent = ''")
        choose(page, path)
        page.until("return document.getElementById('stopped').textContent", f"{path.name} is refused")
        check(f"{path.name} is refused in words", words in page.text("stopped"))
        page.until("return document.getElementById('reading').hidden", "the page waits for nothing")
        check(f"{path.name}: the trace before stays", page.text("title"), title)
        given_back(page, before, path.name)
        path.unlink()
    page.browser.run("document.getElementById('timeline').focus()")
    page.browser.type(RIGHT)
    page.settle()
    check("and it answers", page.selected() != "")


def same_texts(page, program, root):
    """The module says of each golden trace what the program says, byte for byte."""
    page.open()
    page.browser.run("""
        window.ready = (async () => {
          const { Module } = await import(location.origin + '/module.js');
          window.compared = await Module.load('traces.wasm');
        })();""")
    page.wait("await window.ready;")
    traces = [*sorted(pathlib.Path(root, "tests/golden/traces").glob("*.json")), *sorted(pathlib.Path(root, "samples/traces").glob("*.gz")),
              pathlib.Path(root, "tests/golden/mosaic_matmul_trace.json.gz")]
    for trace in traces:
        name = str(trace.relative_to(root))
        content = gzip.decompress(trace.read_bytes()) if trace.suffix == ".gz" else trace.read_bytes()
        given = page.wait("""
            const module = window.compared;
            await module.start();
            const bytes = Uint8Array.from(atob(arguments[1]), letter => letter.charCodeAt(0));
            module.file(bytes.length).set(bytes);
            const open = module.call({ do: 'open', name: arguments[0] });
            if (open.error) return [open.error.text, '', ''];
            const text = what => module.call({ do: 'text', what }).text;
            return [open.trace.warnings.map(warning => warning.text).join(''), text('summary'), text('explain.json')];
            """, name, base64.b64encode(content).decode())
        for what, option in [(1, ["--summary"]), (2, ["--explain", "--json"])]:
            ran = subprocess.run([program, "trace", name, *option], capture_output=True, text=True, cwd=root)
            check(f"{name}: messages", given[0], ran.stderr)
            check(f"{name}: {option}", given[what], ran.stdout)
    print(f"{len(traces)} traces compared with the program")


def accessible(page):
    """Names for all controls, and no sideways scrolling on a telephone."""
    page.open()
    page.sample(MATMUL)
    nameless = page.browser.run("""
        return [...document.querySelectorAll('button, select, input:not([type=file]), canvas')].filter(control =>
          !(control.getAttribute('aria-label') || control.textContent.trim() && control.tagName === 'BUTTON' || control.labels?.length)).map(control => control.outerHTML)""")
    check("each control has a name", nameless, [])
    check("each id is unique", page.browser.run("const ids = [...document.querySelectorAll('[id]')].map(e => e.id); return ids.length - new Set(ids).size"), 0)
    page.browser.run("document.getElementById('path').click(); document.getElementById('occupancy').click()")
    page.settle()
    for theme in ["dark", "light"]:
        page.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"features": [{"name": "prefers-color-scheme", "value": theme}]}})
        page.settle()
        axe(page, f"traces, {theme}")
    for width in [390, 768, 1280, 2560]:
        page.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 800}})
        page.settle()
        check(f"nothing is wider than {width} pixels", page.browser.run("return document.documentElement.scrollWidth"), width)
    page.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.clearDeviceMetricsOverride", "params": {}})


def written(path, events, tracks=264):
    """A trace of this many complete events on these tracks."""
    choose = random.Random(1).choice
    with open(path, "w") as file:
        file.write('{"displayTimeUnit": "ns", "traceEvents": [\n')
        for track in range(tracks):
            ts = 0.0
            for n in range(events // tracks):
                length = choose([0.1, 0.4, 1.2, 0.7])
                file.write(f'{"," if track or n else ""}{{"name":"{choose(["wait", "multiply", "issue", "load", "store"])}","ph":"X","ts":{ts:.3f},"dur":{length},'
                           f'"pid":{track // 2 + 1},"tid":{track + 1},"args":{{"line":"k.py:{n % 40}"}}}}\n')
                ts += length + 0.05
        file.write("]}")


def large(page, folder):
    """A million events, and a file of 200 MB: usable, or refused in words."""
    for name, events in [("million.json", 1_000_000), ("larger.json", 2_300_000)]:
        written(pathlib.Path(folder, name), events)
        page.open()
        page.browser.run("document.getElementById('timeline').dataset.drawn = ''")
        size = pathlib.Path(folder, name).stat().st_size
        chosen = page.browser.call("POST", "/element", {"using": "css selector", "value": "#file"})
        page.browser.run("window.began = performance.now()")
        page.browser.call("POST", f"/element/{next(iter(chosen.values()))}/value", {"text": str(pathlib.Path(folder, name))})
        page.until("return document.getElementById('timeline').dataset.drawn || document.getElementById('stopped').textContent", f"{name} is opened or refused")
        took = page.browser.run("return performance.now() - window.began")
        said = page.text("stopped")
        print(f"{name}: {size >> 20} MiB, {'refused: ' + said if said else 'first frame'} after {took / 1000:.1f} s")
        if said:
            continue
        page.drawn()
        times = []
        for _ in range(10):
            page.browser.run("document.getElementById('in').click()")
            page.settle()
            times.append(float(page.browser.run("return document.getElementById('timeline').dataset.frameMs")))
        print(f"{name}: a frame takes {sorted(times)[5]:.0f} ms (of {times})")


def main():
    program, site, root = [argument for argument in sys.argv[1:] if not argument.startswith("--")][:3]
    if not pathlib.Path(site, "traces.wasm").is_file():
        print(f"traces.py: skipped: {site} has no traces.wasm; `cmake --preset wasm && cmake --build --preset wasm` makes it")
        sys.exit(77)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        browser = chromium(root, folder)
        try:
            page = Traces(browser, f"http://127.0.0.1:{server.server_port}/")
            page.root = root
            only = [argument[7:] for argument in sys.argv if argument.startswith("--only=")]
            stories = {"opened": opened, "keyboard": keyboard, "links": links, "malformed": malformed, "oversized": lambda page: oversized(page, folder), "accessible": accessible}
            for name, story in stories.items():
                if not only or name in only:
                    started = time.monotonic()
                    story(page)
                    print(f"{name}: {time.monotonic() - started:.0f} s", flush=True)
            if not only or "same_texts" in only:
                same_texts(page, program, root)
            if "--large" in sys.argv:
                large(page, folder)
            check("no errors in the browser's console", [problem for problem in browser.problems() if "willReadFrequently" not in problem], [])
        finally:
            browser.close()
            server.shutdown()
    if failures:
        sys.exit(f"traces.py: {len(failures)} checks failed")
    print("traces.py: all checks passed")


if __name__ == "__main__":
    main()
