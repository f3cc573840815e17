#!/usr/bin/env python3
"""Drives the web page's console in Chromium: entries, pictures, completion, help, links, keys alone, stops, and texts that
are malformed or hostile.

    tests/web/snippets.py LANESCOPE build/wasm/page . [--only=NAME] [--screenshots DIR]

Values are compared with those of the REPL. Ends with 77 if there is no browser or no page.
"""

import base64
import functools
import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from page import DOWN, ENTER, Files, Page, axe, check, chromium, failures  # noqa: E402

TAB, ESCAPE, UP = "\ue004", "\ue00c", "\ue013"
EVIL = "<img src=x onerror=window.pwned=1>"
ENTRIES = ["1 + 2 ** 70", "owners(WGMMA, (64, 8), (9, 2))", "[x * x for x in range(5)]", "def f(a, b=2):\n  return a * b\n\nf(21)", "f", "element_map(WGMMA, (64, 8))",
           "repr(composition(cute(\"(4,8):(8,1)\"), cute(\"4:2\")))", "equal(WGMMA, WGMMA_8BIT)", "print(f\"{3.14159:.2f}\")", "\"µ\" * 3", "{\"a\": (1, 2)}", "notation(WGMMA, \"mlir\", (64, 8))",
           "relayout(WGMMA, WGMMA_8BIT, (64, 64), f16)"]


class Console(Page):
    """The page with the console, as a user meets it."""

    def open(self, fragment=""):
        self.browser.call("POST", "/url", {"url": "about:blank"})
        self.browser.call("POST", "/url", {"url": self.address + "snippets.html" + fragment})
        self.until("return document.body.dataset.ready === 'yes'", "the page is ready")

    def enter(self, words):
        """Runs an entry as the button does. Returns the texts of its parts."""
        before = self.browser.run("return document.body.dataset.ran ?? '0'")
        self.browser.run("const text = document.getElementById('text'); text.value = arguments[0]; text.form.requestSubmit()", words)
        self.until("return (document.body.dataset.ran ?? '0') !== arguments[0]", f"`{words[:40]}` has run", before)
        return self.parts()

    def parts(self):
        return self.browser.run("return [...document.querySelectorAll('#log article:last-of-type > *')].slice(1).map(part => part.textContent)")


def values(page, program, root):
    """Values are written as the program writes them."""
    page.open()
    for entry in ENTRIES:
        ours = "\n".join(page.enter(entry))
        if "\n" in entry:
            check(f"{entry}", ours, "42")
            continue
        setup = "def f(a, b=2):\n  return a * b\n\n" if entry == "f" else ""
        ran = subprocess.run([program], input=setup + entry + "\n", capture_output=True, text=True, cwd=root, env={"PATH": "/usr/bin:/bin", "TERM": "dumb", "COLUMNS": "100"})
        words = lambda text: " ".join(re.sub(r"<\w+>", "<entry>", text).split())
        check(f"{entry}: the program writes the same", words(ours) in words(ran.stdout + ran.stderr) and len(words(ours)) > 0)


def samples(page):
    """All samples run."""
    page.open()
    count = page.browser.run("return document.getElementById('samples').options.length - 1")
    check("there are samples", count > 2)
    for number in range(count):
        before = page.browser.run("return document.body.dataset.ran ?? '0'")
        page.browser.run("const list = document.getElementById('samples'); list.value = arguments[0]; list.dispatchEvent(new Event('change'))", str(number))
        page.until("return (document.body.dataset.ran ?? '0') !== arguments[0]", "the sample has run", before)
        check(f"sample {number} has no error", page.browser.run("return document.querySelectorAll('#log .problem').length"), 0)
        check(f"sample {number} writes something", len(page.parts()) > 0)


def pictures(page):
    """show() draws with the element, and leads to the page with layouts."""
    page.open()
    page.enter("show(WGMMA, (64, 16))")
    page.until("return document.querySelector('lanescope-layout')?.shadowRoot.querySelector('canvas[data-drawn]')", "the picture is drawn")
    run = page.browser.run
    check("as text, too", "warp" in run("return document.querySelector('#log details').textContent"))
    address = run("return document.querySelector('#log a').href")
    for _ in range(9):
        page.enter("show(WGMMA, (64, 8))")
    check("older pictures are text", run("return [document.querySelectorAll('lanescope-layout').length, document.querySelectorAll('#log details[open]').length]"), [8, 2])
    page.browser.call("POST", "/url", {"url": address})
    page.until("return document.body.dataset.ready === 'yes'", "the page with layouts is ready")
    check("the link opens in Layouts", run("return document.getElementById('layout').value"), "WGMMA")


def errors(page):
    """What is wrong is said in words, and the names stay."""
    page.open()
    page.enter("x = [1]")
    for entry, words in [("x[0] = 2; nothing", "nothing"), ("1 +", "expected"), ("zeros((100000, 100000), f32)", ""), ("import jax.numpy", ""), ("def f(:", ""), ("owners(WGMMA, (7, 7), (0, 0))", ""),
                         ("load('x.npy')", "a page reads no files"), ("\x00", ""), ("f(" * 3000, ""), ("[" * 5000 + "]" * 5000, "")]:
        parts = page.enter(entry)
        check(f"{entry[:40]!r} is told", len(parts) > 0 and words in parts[-1])
    check("the names stay", page.enter("x"), ["[1]"])
    page.enter(f"print({EVIL!r}); {EVIL!r}")
    page.enter(f"show({EVIL!r})")
    check("texts are text, never markup", page.browser.run("return [window.pwned ?? 0, document.querySelectorAll('#log img').length]"), [0, 0])
    check("and are shown", EVIL in page.browser.run("return document.getElementById('log').textContent"))
    parts = page.enter("for i in range(400000):\n  print('a long line of text')\n")
    check("too much output is cut off", "more than the page shows" in parts[-1])


def stopping(page):
    """An entry that does not end is stopped, by the user or by its limit, and the page goes on."""
    page.open()
    run = page.browser.run
    run("const text = document.getElementById('text'); text.value = arguments[0]; text.form.requestSubmit()", "for i in range(10**9):\n  for j in range(10**9):\n    zeros((1000, 1000), f32)\n")
    page.until("return !document.getElementById('reading').hidden", "the run is told")
    run("document.getElementById('stop').click()")
    page.until("return document.getElementById('log').textContent.includes('Stopped.')", "the stop is told")
    check("the console goes on", page.enter("1 + 1"), ["2"])


def completion(page):
    """Candidates come while typing and with Tab; help stands beside them."""
    page.open()
    run = page.browser.run
    page.until("return document.getElementById('aboutWords').textContent.includes('owners')", "the names are listed")
    run("document.getElementById('text').focus()")
    for key in "owne":
        page.browser.type(key)
    page.until("return !document.getElementById('candidates').hidden", "candidates come while typing")
    page.browser.type(TAB)
    page.until("return document.getElementById('text').value === 'owners('", "Tab completes the word")
    for key in "WGMMA_U":
        page.browser.type(key)
    page.until("return document.querySelectorAll('#candidates li').length > 1", "several candidates come")
    page.browser.type(DOWN)
    page.until("return document.querySelector('#candidates [aria-selected=true]')", "an arrow chooses one")
    chosen = run("return document.querySelector('#candidates [aria-selected=true]').textContent")
    page.until("return document.getElementById('aboutName').textContent === arguments[0]", "help on it stands beside", chosen)
    page.browser.type(ENTER)
    check("Enter takes it", run("return document.getElementById('text').value"), "owners(" + chosen)
    page.browser.type(" ")
    page.browser.type("W")
    page.until("return !document.getElementById('candidates').hidden", "candidates come again")
    page.browser.type(ESCAPE)
    check("Escape closes them", run("return document.getElementById('candidates').hidden"))


def keyboard(page):
    """The whole story with keys alone."""
    page.open()
    run = page.browser.run
    check("the entry has the keyboard", run("return document.activeElement.id"), "text")
    def type_(words):
        for key in words:
            page.browser.type(key)
    ran = lambda: run("return document.body.dataset.ran ?? '0'")
    type_("7 * 6")
    page.browser.type(ENTER)
    page.until("return document.querySelector('#log article')?.textContent.includes('42')", "Enter runs it")
    type_("def f(x):")
    page.browser.type(ENTER)
    page.until("return document.getElementById('text').value === 'def f(x):\\n'", "an incomplete entry gets another line")
    type_(" return x")
    page.browser.type(ENTER)
    page.until("return document.getElementById('text').value.endsWith('x\\n')", "a block goes on")
    page.browser.type(ENTER)
    page.until("return document.getElementById('text').value === ''", "a blank line ends it")
    page.until("return document.body.dataset.ran === '2'", "it runs")
    page.browser.type(UP)
    check("the entry before comes back", run("return document.getElementById('text').value").startswith("def f(x):"))


def linked(page):
    """The address holds the entries; links are opened, and wrong ones are told."""
    page.open()
    for entry in ["x = 6", "x * 7", "show(WGMMA, (64, 8))"]:
        page.enter(entry)
    page.until("return location.hash.startsWith('#1=')", "the address has the entries")
    fragment, shown = page.browser.run("return [location.hash, [...document.querySelectorAll('#log pre')].map(pre => pre.textContent)]")
    page.open(fragment)
    check("a link runs the entries again", page.browser.run("return [...document.querySelectorAll('#log pre')].map(pre => pre.textContent)"), shown)
    for state, words in [({"snippets": 7}, "no entries"), ({"snippets": [7]}, "no entries"), ({"view": "x"}, "no entries"), (None, "damaged"), ({"snippets": ["x"] * 501}, "no entries")]:
        page.open(page.fragment(json.dumps(state)))
        check(f"{str(state)[:40]} is told", words in page.text("said"))
    page.open(page.fragment(json.dumps({"snippets": [f"print({EVIL!r})", "nothing", "5"]})))
    check("a hostile link is text", page.browser.run("return [window.pwned ?? 0, document.querySelectorAll('#log img').length, document.querySelectorAll('#log article').length]"), [0, 0, 3])


def accessible(page, folder):
    """Names for all controls, no sideways scrolling on a telephone, both themes."""
    page.open()
    page.enter("owners(WGMMA, (64, 8), (9, 2))")
    page.enter("show(WGMMA, (64, 16))")
    page.until("return document.querySelector('lanescope-layout')?.shadowRoot.querySelector('canvas[data-drawn]')", "the picture is drawn")
    page.enter("nothing")
    nameless = page.browser.run("""
        return [...document.querySelectorAll('button, select, input:not([type=file]), textarea')].filter(control =>
          !(control.getAttribute('aria-label') || control.textContent.trim() && control.tagName === 'BUTTON' || control.labels?.length)).map(control => control.outerHTML)""")
    check("each control has a name", nameless, [])
    for theme in ["dark", "light"]:
        page.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"features": [{"name": "prefers-color-scheme", "value": theme}]}})
        page.settle()
        axe(page, f"snippets, {theme}")
        for width in [390, 768, 1280, 2560]:
            page.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 800}})
            page.settle()
            check(f"nothing is wider than {width} pixels", page.browser.run("return document.documentElement.scrollWidth"), width)
            page.until("""
                const words = document.getElementById('aboutWords'), context = document.createElement('canvas').getContext('2d');
                context.font = getComputedStyle(words).font;
                const fit = words.clientWidth / context.measureText('0').width;
                return words.textContent.split('\\n').filter(line => /^  \\w+(  \\w+)+$/.test(line)).every(line => line.length <= fit)""", f"the rows of names fit in {width} pixels")
            if folder:
                pathlib.Path(folder, f"snippets-{theme}-{width}.png").write_bytes(base64.b64decode(page.browser.call("GET", "/screenshot")))
        page.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.clearDeviceMetricsOverride", "params": {}})


def main():
    arguments = sys.argv[1:]
    folder = arguments[arguments.index("--screenshots") + 1] if "--screenshots" in arguments else ""
    program, site, root = [argument for argument in arguments if not argument.startswith("--") and argument != folder][:3]
    if not pathlib.Path(site, "snippets.wasm").is_file():
        print(f"snippets.py: skipped: {site} has no snippets.wasm; `cmake --preset wasm && cmake --build --preset wasm` makes it")
        sys.exit(77)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as profile:
        browser = chromium(root, profile)
        try:
            page = Console(browser, f"http://127.0.0.1:{server.server_port}/")
            page.root = root
            only = [argument[7:] for argument in arguments if argument.startswith("--only=")]
            stories = {"values": lambda page: values(page, program, root), "samples": samples, "pictures": pictures, "errors": errors, "stopping": stopping, "completion": completion,
                       "keyboard": keyboard, "linked": linked, "accessible": lambda page: accessible(page, folder)}
            for name, story in stories.items():
                if not only or name in only:
                    started = time.monotonic()
                    story(page)
                    print(f"{name}: {time.monotonic() - started:.0f} s", flush=True)
            check("no errors in the browser's console", browser.problems(), [])
        finally:
            browser.close()
            server.shutdown()
    if failures:
        sys.exit(f"snippets.py: {len(failures)} checks failed")
    print("snippets.py: all checks passed")


if __name__ == "__main__":
    main()
