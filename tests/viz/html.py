#!/usr/bin/env python3
"""Opens an exported page in headless Chromium, and in Firefox if it is installed. Points, clicks and types in it, and
checks which elements light up.

    tests/viz/html.py EXPORTER

EXPORTER is the program `viz_html` (tests/viz/HtmlPage.cpp): `viz_html FILE.html` writes four linked pictures of one 64
x 8 array: registers, threads, shared memory, a relayout. Needs only the standard library: it uses the W3C WebDriver
protocol with chromedriver, and Marionette with Firefox (marionette.py). """
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from marionette import Firefox  # noqa: E402: found through the line above

PACKAGES = "chromium and chromium-driver"
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def find(*names):
    for name in names:
        for place in (shutil.which(name), f"/usr/lib/chromium/{name}", f"/usr/bin/{name}"):
            if place and pathlib.Path(place).exists():
                return place
    sys.exit(f"html.py: none of {', '.join(names)} is installed; this test needs the Debian packages {PACKAGES}")


class Hands:
    """A person's actions, as WebDriver's actions."""

    def mouse(self, x, y, click):
        steps = [{"type": "pointerMove", "x": int(x), "y": int(y), "duration": 0}]
        if click:
            steps += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": steps}]})

    def type(self, *keys):
        steps = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": steps}]})


class FirefoxHands(Hands, Firefox):
    name = "Firefox"

    def problems(self):
        return []  # Marionette has no log of the page's console, but a page that fails never becomes ready


class Browser(Hands):
    """A session of chromedriver. It reaches no host but `hosts`."""

    name = "Chromium"

    def __init__(self, chromium, driver, folder, hosts=""):
        self.log = open(pathlib.Path(folder) / "chromedriver.log", "wb")
        self.process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=self.log)
        self.session = None
        self.base = f"http://127.0.0.1:{self.port()}"
        options = {
            "binary": chromium,
            "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                "--window-size=1400,1000", f"--host-resolver-rules=MAP * ~NOTFOUND{f', EXCLUDE {hosts}' if hosts else ''}", f"--user-data-dir={folder}/profile",
            ],
        }
        capabilities = {"alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}
        self.session = self.call("POST", "/session", {"capabilities": capabilities}, root=True)["sessionId"]

    def port(self):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            line = self.process.stdout.readline().decode()
            if "successfully on port" in line:
                return int(line.rstrip().rstrip(".").rsplit(" ", 1)[1])
            if not line and self.process.poll() is not None:
                break
        sys.exit("html.py: chromedriver did not start")

    def call(self, method, path, body=None, root=False):
        url = self.base + (path if root else f"/session/{self.session}{path}")
        data = None if method == "GET" or method == "DELETE" else json.dumps(body or {}).encode()
        request = urllib.request.Request(url, data=data, method=method, headers={"Content-Type": "application/json"})
        try:
            with DIRECT.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as problem:
            sys.exit(f"html.py: {method} {path}: {problem.read().decode()[:600]}")

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def problems(self):
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})]

    def close(self):
        if self.session:
            self.call("DELETE", "")
        self.process.terminate()
        self.process.wait(20)
        self.log.close()


ESCAPE, RIGHT, DOWN, TAB, HOME = "\ue00c", "\ue014", "\ue015", "\ue004", "\ue011"

STATE = """
const boxes = f => Array.from(document.querySelectorAll('figure')[f].querySelectorAll('.b'));
const of = name => [0, 1, 2].map(f => boxes(f).flatMap((b, i) => b.classList.contains(name) ? [i] : []));
const root = document.querySelector('lanescope-layout').shadowRoot;
return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done({
  at: of('at'), on: of('on'), tips: [...root.querySelectorAll('.tip')].filter(tip => !tip.hidden).length, hint: root.querySelector('.words').textContent }))));
"""
CENTRE = """
const box = document.querySelectorAll('figure')[arguments[0]].querySelectorAll('.b')[arguments[1]];
box.scrollIntoView({ block: 'center', inline: 'center' });
const r = box.getBoundingClientRect();
return [r.x + r.width / 2, r.y + r.height / 2];
"""

failures = []


def check(what, got, want):
    if got != want:
        failures.append(what)
        print(f"FAILED: {what}\n  got  {got}\n  want {want}")


def main():
    exporter = sys.argv[1]
    chromium, driver = find("chromium", "chromium-browser", "google-chrome"), find("chromedriver")
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        # The expected content of the page, in another form from the exporter: the array's owners as plain lists.
        expected = json.loads(subprocess.run([exporter, str(page)], check=True, capture_output=True, text=True).stdout)
        firefox = shutil.which("firefox-esr") or shutil.which("firefox")
        for make in [lambda: Browser(chromium, driver, folder)] + [lambda: FirefoxHands(firefox, folder)] * bool(firefox):
            browser = make()
            try:
                exercise(browser, page, expected)
            finally:
                browser.close()
        if not firefox:
            print("html.py: Firefox is not installed (Debian: firefox-esr), so the page was not tried there")
    if failures:
        sys.exit(f"html.py: {len(failures)} checks failed")
    print("html.py: all checks passed")


def exercise(browser, page, expected):
    began = time.monotonic()
    browser.call("POST", "/url", {"url": page.as_uri()})
    while browser.run("return document.querySelector('lanescope-layout').dataset.ready") != "yes":
        if time.monotonic() - began > 30:
            sys.exit("html.py: the page has not drawn its pictures after 30 s")
        time.sleep(0.02)
    check("a page of four pictures is small", page.stat().st_size < 300_000, True)
    check("it is compressed", browser.run("return document.getElementById('packed') !== null"), True)
    idle = browser.run(STATE)
    print(f"{browser.name}: opened {page.stat().st_size // 1024} KiB in {time.monotonic() - began:.2f} s")
    check("nothing is lit at first", (idle["at"], idle["on"]), ([[], [], []], [[], [], []]))

    # Element (9, 2): box 74 of the array; its thread's elements and slots; its bytes.
    element = expected["element"]
    browser.mouse(*browser.run(CENTRE, 0, element), click=False)
    state = browser.run(STATE)
    check("pointing tells the owner", state["hint"], expected["words"])
    check("the tooltip is there", state["tips"], 1)
    check("the array's cell is marked", state["at"][0], [element])
    check("its slot is marked among the threads", state["at"][1], expected["slots"])
    check("its bytes are marked in shared memory, before and after", state["at"][2], expected["bytes"])
    check("all that its thread holds is lit in the array", state["on"][0], expected["held"])
    check("all of its thread's slots are lit", state["on"][1], expected["heldSlots"])
    check("all that its thread holds is lit in shared memory", state["on"][2], expected["heldBytes"])

    browser.mouse(*browser.run(CENTRE, 0, element), click=True)
    browser.mouse(5, 5, click=False)
    check("a click keeps the selection", browser.run(STATE)["at"], state["at"])
    browser.type(ESCAPE)
    check("Escape lets go", browser.run(STATE)["at"], [[], [], []])

    # In the other direction, a slot in the threads' picture marks the element in the array.
    browser.mouse(*browser.run(CENTRE, 1, expected["slots"][0]), click=True)
    check("a slot marks its element", browser.run(STATE)["at"][0], [element])
    browser.type(ESCAPE)

    # In the picture of moves, an arrow goes from the element's old place to its new place, for a pointer in any
    # picture.
    def rows():
        browser.run(STATE)  # the arrows are there with the next frame
        ways = browser.run("return Array.from(document.querySelectorAll('.way')).map(w => w.getAttribute('d'))")
        return [[int(float(y) // expected["rowHeight"]) for y in re.findall(r"[ML]\S+ ([\d.]+)", way)[:2]] for way in ways]

    check("no arrow at first", rows(), [])
    browser.mouse(*browser.run(CENTRE, 0, expected["moving"]), click=False)
    check("an arrow from thread to thread", rows(), [expected["threads"]])
    browser.mouse(5, 5, click=False)
    check("it goes with the pointer", rows(), [])

    # The keyboard: focus the array, select its first cell, go right and down.
    browser.run("document.querySelector('figure .body').focus()")
    browser.type(RIGHT)
    first = browser.run(STATE)
    browser.type(RIGHT, DOWN)
    moved = browser.run(STATE)
    check("an arrow selects the first cell", first["at"][0], [0])
    check("arrows move by a column and a row", moved["at"][0][0] - first["at"][0][0], 1 + expected["columns"])
    check("what is selected is told", moved["hint"] not in ("", idle["hint"]), True)
    browser.type(ESCAPE)

    # Sizes: larger, back to that of the labels, all of it.
    width = "return document.querySelector('figure svg').getBoundingClientRect().width"
    drawn = browser.run(width)
    browser.type("+")
    check("+ makes the picture larger", round(browser.run(width) / drawn, 2), 1.25)
    browser.type("l")
    check("L gives the size of the labels", browser.run(width), drawn)
    browser.type(HOME)
    check("Home shows all of it", browser.run("const f = document.querySelector('figure'); return f.scrollWidth <= f.clientWidth"), True)

    # The four buttons of the next picture are before it.
    browser.run("document.querySelector('figure .body').focus()")
    browser.type(*[TAB] * 5)
    check("Tab goes to the next picture", browser.run("return Array.from(document.querySelectorAll('.body')).indexOf(document.activeElement)"), 1)
    check("the drawings take no module", browser.run("return document.querySelectorAll('lanescope-layout canvas').length"), 0)

    loaded = browser.run("return performance.getEntriesByType('resource').map(e => e.name)")
    check("nothing is loaded from elsewhere", loaded, [])
    check("no errors in the console", browser.problems(), [])


if __name__ == "__main__":
    main()
