#!/usr/bin/env python3
"""Opens the web pages in Firefox: layouts, traces and the element are drawn, a link opens, keys select, a kernel runs and
is debugged, and the console answers.

    tests/web/firefox.py build/wasm/page .

Chromium has the whole stories (page.py, traces.py, kernels.py, snippets.py). Ends with 77 if there is no Firefox or no page.
"""

import functools
import http.server
import pathlib
import shutil
import sys
import tempfile
import threading
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent / "viz")]
from marionette import Firefox  # noqa: E402: found through the line above
from page import Files, check, failures  # noqa: E402


def until(browser, script, what):
    began = time.monotonic()
    while not browser.run(script):
        if time.monotonic() - began > 60:
            sys.exit(f"firefox.py: after 60 s it is not true that {what}")
        time.sleep(0.05)


def main():
    site, _ = sys.argv[1:3]
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if not program or not pathlib.Path(site, "snippets.wasm").is_file():
        print("firefox.py: skipped: Firefox or the page is missing")
        sys.exit(77)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    press = "arguments[0].forEach(key => document.getElementById(arguments[1]).dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })))"
    with tempfile.TemporaryDirectory() as folder:
        browser = Firefox(program, folder)
        try:
            browser.call("POST", "/url", {"url": address})
            until(browser, "return document.querySelector('canvas[data-drawn]')?.dataset.drawn", "the layout is drawn")
            until(browser, "return document.body.dataset.ready", "the page is ready")
            browser.run(press, ["ArrowRight", "ArrowDown", "ArrowRight", "ArrowRight"], "picture-array")
            check("arrows select a cell", browser.run("return document.getElementById('words').textContent").startswith("element (1, 2) is held by warp 0, lane 5"))
            until(browser, "return location.hash.startsWith('#1=')", "the address has the state")
            browser.run("location.hash = 'hello'")
            until(browser, "return document.getElementById('said').textContent.includes('cannot be read')", "a wrong link is told")
            browser.call("POST", "/url", {"url": address + "traces.html"})
            until(browser, "return document.body.dataset.ready", "the page is ready")
            browser.run("const list = document.getElementById('samples'); list.value = 'traces/emulated_matmul.json.gz'; list.dispatchEvent(new Event('change'))")
            until(browser, "return document.getElementById('timeline').dataset.drawn", "the trace is drawn")
            browser.run(press, ["ArrowRight"], "timeline")
            until(browser, "return document.getElementById('details').textContent.includes('warpgroup 0')", "an arrow selects a slice")
            check("the regions are counted", "2 tracks, 50 slices" in browser.run("return document.getElementById('scope').textContent"))
            browser.call("POST", "/url", {"url": address + "embed.html"})
            until(browser, "return [...document.querySelectorAll('lanescope-layout')].every(one => one.shadowRoot?.querySelector('canvas[data-drawn]'))", "the elements are drawn")
            browser.call("POST", "/url", {"url": address + "kernels.html"})
            until(browser, "return document.body.dataset.ready", "the page is ready")
            browser.run("const list = document.getElementById('samples'); list.value = '1'; list.dispatchEvent(new Event('change'))")
            until(browser, "return document.body.dataset.ran", "the kernel has run")
            check("the fault is found", browser.run("return document.getElementById('verdict').textContent").startswith("1 fault"))
            browser.run("document.getElementById('debug').click()")
            until(browser, "return document.getElementById('stopWords').textContent.startsWith('the moment before a fault')", "the debugger stands before the fault")
            until(browser, "return document.body.dataset.linked === document.body.dataset.stepped", "the address has the kernel")
            link = browser.run("return location.href")
            browser.call("POST", "/url", {"url": "about:blank"})
            browser.call("POST", "/url", {"url": link})
            until(browser, "return document.getElementById('stopWords')?.textContent.startsWith('the moment before a fault')", "the link leads there again")
            browser.call("POST", "/url", {"url": address + "snippets.html"})
            until(browser, "return document.body.dataset.ready", "the page is ready")
            browser.run("const text = document.getElementById('text'); text.value = 'owners(WGMMA, (64, 8), (9, 2))'; text.form.requestSubmit()")
            until(browser, "return document.body.dataset.ran", "the entry has run")
            check("the console answers", "warp" in browser.run("return document.getElementById('log').textContent"))
        finally:
            browser.close()
            server.shutdown()
    if failures:
        sys.exit(f"firefox.py: {len(failures)} checks failed")
    print("firefox.py: all checks passed")


if __name__ == "__main__":
    main()
