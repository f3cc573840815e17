#!/usr/bin/env python3
"""Drives the web page with kernels in Chromium: opened, run and checked, stepped, by keys alone, stopped, and given files
that are malformed or hostile.

    tests/web/kernels.py LANESCOPE build/wasm/page . [--all] [--only=NAME] [--screenshots DIR]

The module's findings, counts of runs and arrays are compared with those of `lanescope check --format json` and
`lanescope emulate` for a sample of tests/golden/sync, or with --all for all of it. Ends with 77 if there is no browser or
no page.
"""

import base64
import functools
import http.server
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from page import DOWN, ENTER, HOME, Files, Page, axe, check, choose, chromium, failures, given_back, resident  # noqa: E402

END = "\ue010"
SAMPLED = 32  # kernels that are compared with the program, unless --all
CLEAN, FAULTY, CUDA = "0", "1", "2"  # the samples of viz/web/page/kernels.json

EVIL = "<img src=x onerror=window.pwned=1>"
ADD = """.version 8.0
.target sm_90
.address_size 64
.visible .entry add(.param .u64 p0) {
  .reg .b64 %d<4>; .reg .b32 %r<4>;
  ld.param.u64 %d0, [p0];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d1, %r0, 4;
  add.s64 %d2, %d0, %d1;
  st.global.b32 [%d2], %r0;
  ret;
}
"""
LOOP = ADD.replace("ret;", "L: ld.volatile.global.u32 %r1, [%d2]; add.u32 %r2, %r2, %r1; bra L;")


def launch(name="y", entry="add"):
    return json.dumps({"entry": entry, "grid": [1, 1, 1], "block": [32, 1, 1], "dynamic_smem": 0,
                       "params": [{"kind": "buffer", "dtype": "i32", "shape": [32], "out": "y.npy", "name": name}]})


def encoded(content):
    return base64.b64encode(content if isinstance(content, bytes) else content.encode()).decode()


class Kernels(Page):
    """The page with kernels, as a user meets it."""

    def open(self, fragment=""):
        self.browser.call("POST", "/url", {"url": "about:blank"})
        self.browser.call("POST", "/url", {"url": self.address + "kernels.html" + fragment})
        self.until("return document.body.dataset.ready === 'yes'", "the page is ready")

    def counted(self, what, act):
        """Does something, and waits until the page has done `what` once more."""
        before = self.browser.run("return document.body.dataset[arguments[0]] ?? '0'", what)
        act()
        self.until("return (document.body.dataset[arguments[0]] ?? '0') !== arguments[1]", f"it is {what}", what, before)

    def sample(self, number):
        self.counted("ran", lambda: self.browser.run("const list = document.getElementById('samples'); list.value = arguments[0]; list.dispatchEvent(new Event('change'))", number))

    def drop(self, wait, **files):
        """Drops files: names, with `_` in place of the last dot, and contents."""
        given = [[name.rsplit("__", 1)[0] + "." + name.rsplit("__", 1)[1], encoded(content)] for name, content in files.items()]
        self.drop_list(wait, given)

    def drop_list(self, wait, given):
        act = lambda: self.browser.run("""
            const given = new DataTransfer();
            for (const [name, content] of arguments[0]) given.items.add(new File([Uint8Array.from(atob(content), letter => letter.charCodeAt(0))], name));
            dispatchEvent(new DragEvent('drop', { dataTransfer: given, bubbles: true, cancelable: true }));""", given)
        self.counted(wait, act) if wait else act()

    def do(self, script, *arguments):
        self.counted("stepped", lambda: self.browser.run(script, *arguments))

    def act(self, name):
        self.do("[...document.getElementById('actions').children].find(button => button.textContent === arguments[0]).click()", name)

    def press(self, *keys):
        for key in keys:
            self.counted("stepped", lambda: self.browser.type(key))

    def panel(self, name):
        self.do("document.getElementById('tab-' + arguments[0]).click()", name)
        return self.text("panel")

    def show_ptx(self):
        self.counted("shown", lambda: self.browser.run("const list = document.getElementById('which'); list.value = list.options[0].value; list.dispatchEvent(new Event('change'))"))

    def here(self):
        return self.browser.run("return document.querySelector('.line.here')?.dataset.line ?? ''")


def opened(page):
    """Samples run; findings stand in the list and at their lines."""
    page.open()
    check("without a kernel, the page says what to do", "Drop PTX here" in page.text("empty"))
    page.sample(CLEAN)
    check("a clean kernel", page.text("verdict").startswith("0 faults, 0 hazards, 0 notes in "))
    check("its launch is told", "256 threads per block" in page.text("launch"))
    check("its arrays are summed up", "4096 of 4096" in page.text("outputs"))
    check("what ran is told", "all instructions are exact" in page.text("note"))
    page.sample(FAULTY)
    check("a faulty kernel", page.text("verdict").startswith("1 fault"))
    check("the finding is listed", "fault [mbarrier]" in page.text("findings") and "wgmma_too_early.py, line 18" in page.text("findings"))
    check("the source is shown", page.browser.run("return document.getElementById('which').value"), "wgmma_too_early.py")
    check("with the finding at its line", page.browser.run("return document.querySelector('.line.fault').dataset.line"), "18")
    page.counted("shown", lambda: page.browser.run("[...document.querySelectorAll('#findings button')].find(button => button.textContent.startsWith('kernel.ptx')).click()"))
    check("a place leads to the PTX", page.browser.run("return [document.getElementById('which').value, document.querySelector('[aria-selected=true]').dataset.line]"), ["kernel.ptx", "90"])
    page.sample(CUDA)
    check("CUDA C++ has its findings, too", "fault [deadlock]" in page.text("findings") and "k.cu, line 10" in page.text("findings"))
    page.drop("ran", add__ptx=ADD, launch__json=launch())
    check("dropped files run", page.text("verdict").startswith("0 faults"))
    check("their arrays", "31 of 32" in page.text("outputs") and "from 0 to 31" in page.text("outputs"))
    page.drop("ran", add__ptx=ADD)
    check("without a launch description it is guessed", "with a guessed launch" in page.text("verdict") and "guessed:" in page.text("guesses"))


def stepped(page):
    """The debugger goes on, stops at lines, goes back, and shows barriers, shared memory and registers."""
    page.open()
    page.sample(CLEAN)
    page.do("document.getElementById('debug').click()")
    check("it stands at the start", page.text("stopWords"), "before the first instruction")
    check("at a line of the source", page.here(), "13")
    page.do("document.getElementById('line25').querySelector('.number').click()")
    page.act("Continue >")
    check("it stops at a line of the source", page.here(), "25")
    page.do("document.getElementById('line25').querySelector('.number').click()")
    page.act("|<")
    page.do("document.querySelector('#panel tbody button').click()")
    page.show_ptx()
    check("all warps are listed", page.browser.run("return document.querySelectorAll('#panel tbody tr').length"), 8)
    first = page.here()
    page.act("Line >")
    check("a step goes to another line", page.here() != first)
    page.act("< Line")
    check("and back", page.text("where").startswith("moment 0"))
    line = page.browser.run("return [...document.querySelectorAll('.line')].find(line => line.textContent.includes('wgmma.mma_async')).dataset.line")
    page.do("document.getElementById('line' + arguments[0]).querySelector('.number').click()", line)
    check("a click stops at a line", page.browser.run("return document.querySelector('.line.stop').dataset.line"), line)
    page.act("Continue >")
    check("the run stops there", page.here(), line)
    check("and says so", "at a breakpoint" in page.text("stopWords"))
    check("barriers have phases", "phase" in page.panel("barriers"))
    shared = page.panel("shared")
    check("shared memory is shown", "bytes from address 1024" in shared)
    page.do("document.querySelector('#panel button.word.written').click()")
    check("a word tells its bank and writer", [word in page.text("panel") for word in (", bank ", "; written by ")], [True, True])
    check("registers have lanes", "0x" in page.panel("registers"))
    check("stops are listed", f"PTX line {line}" in page.panel("stops"))
    moment = page.text("where")
    page.act("Instruction >")
    check("the product is in flight", "wgmma" in page.panel("flights"))
    page.act("< Instruction")
    check("back is the same moment", page.text("where"), moment)
    page.panel("stops")
    page.do("document.querySelector('#panel td button').click()")
    check("a stop is removed", "Nothing stops the run" in page.text("panel"))
    page.act(">|")
    check("the end", page.text("stopWords"), "all blocks have ended")
    page.sample(FAULTY)
    page.do("document.getElementById('debug').click()")
    check("a run with a fault opens before it", page.text("stopWords").startswith("the moment before a fault: more arrivals"))


def conditions(page):
    """Breakpoints with conditions and watchpoints, as `lanescope debug` has them, and as it refuses them."""
    page.open()
    page.sample(CLEAN)
    run = page.browser.run
    page.do("document.getElementById('debug').click()")
    page.panel("stops")

    def stop(words):
        page.do("const entry = document.querySelector('#panel input[type=text]'); entry.value = arguments[0]; entry.form.requestSubmit()", words)
        return page.text("said")

    check("a line with a condition", stop("25 if warp == 5"), "breakpoint 1 at line 25, if warp == 5")
    check("it is marked in the code", run("return document.querySelector('.line.stop.conditional').dataset.line"), "25")
    page.act("Continue >")
    check("the run stops there in that warp", (page.here(), run("return document.querySelector('#tab-stops').getAttribute('aria-selected')")), ("25", "true"))
    check("only there", "warp 5" in page.text("where"))
    check("a name that is none is refused", "a condition knows no `nothing`" in stop("25 if nothing == 1").replace("‘", "`") or "a condition knows no nothing" in page.text("said"))
    check("in the colour of errors", run("return document.getElementById('said').classList.contains('bad')"))
    check("an element is watched", stop("0[0, 0]").startswith("watchpoint"))
    check("an element that is none is refused", "outside" in stop("0[9999, 0]"))
    check("shared memory is watched", stop("smem 1024 16").startswith("watchpoint"))
    page.do("document.querySelectorAll('#panel input[type=checkbox]')[0].click()")
    check("a stop is switched off", run("return document.querySelectorAll('.line.stop.off').length"), 1)
    page.act("Continue >")
    check("a write to shared memory stops the run", "→" in page.text("stopWords"))
    run("document.getElementById('code').focus()")
    page.browser.type(DOWN)
    page.press("B")
    page.until("return document.activeElement.matches('#panel input[type=text]')", "Shift with B writes a condition")
    check("for the line", run("return / if $/.test(document.activeElement.value)"))


ALLOWED = """.version 8.0
.target sm_90
.address_size 64
.visible .entry add(.param .u64 p0) {
  .shared .align 4 .b8 buf[256];
  .reg .b64 %d<4>; .reg .b32 %r<6>;
  mov.u32 %r0, %tid.x;
  mul.lo.u32 %r1, %r0, 4;
  mov.u32 %r2, buf;
  add.u32 %r3, %r1, %r2;
  st.shared.b32 [%r3], %r0; // lanescope: allow race because a test needs one
  xor.b32 %r4, %r3, 128;
  ld.shared.b32 %r5, [%r4];
  ret;
}
"""


def allowed(page, program):
    """Comments that allow findings are read as by `lanescope check`."""
    page.open()
    both = launch().replace('"block": [32', '"block": [64')
    for name, ptx in [("a reason", ALLOWED), ("another rule", ALLOWED.replace("allow race", "allow deadlock")), ("no reason", ALLOWED.replace(" because a test needs one", ""))]:
        page.drop("ran", k__ptx=ptx, launch__json=both)
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "k.ptx").write_text(ptx)
            pathlib.Path(folder, "launch.json").write_text(both)
            ran = subprocess.run([program, "check", "k.ptx", "--format", "json"], capture_output=True, text=True, cwd=folder)
            want = json.loads(ran.stdout)["findings"]
        listed = page.browser.run("return [...document.querySelectorAll('#findings > li')].map(item => item.querySelector('strong').textContent)")
        check(f"{name}: the program's findings", listed, [f"{one['grade']} [{one['rule']}]{', allowed' if 'allowed' in one else ''}" for one in want])
        if name == "a reason":
            check("the reason is shown", ("1 allowed" in page.text("verdict"), "because a test needs one" in page.text("findings")), (True, True))
        if name == "no reason":
            check("a comment without a reason is told", "gives no reason" in page.text("guesses"))


def linked(page, program, root):
    """Links hold the kernel and the debugger's state; those of `lanescope link` open; what is too large is said."""
    run = page.browser.run
    page.open()
    page.sample(FAULTY)
    page.until("return location.hash.startsWith('#1=')", "the address has the sample")
    page.do("document.getElementById('debug').click()")
    page.panel("barriers")
    page.act("< Instruction")
    stood = [page.text("where"), page.text("panel"), page.here()]
    page.until("return document.body.dataset.linked === document.body.dataset.stepped", "the address has the debugger")
    fragment = run("return location.hash")
    check("a sample's link is short", len(fragment) < 500)
    page.open(fragment)
    check("the link of a sample shows the same", [page.text("where"), page.text("panel"), page.here()], stood)
    # Files that the user opened, with a stop, a watchpoint and a selected finding.
    page.open()
    page.drop("ran", k__ptx=ALLOWED.replace("// lanescope: allow race because a test needs one", "// x"), launch__json=launch().replace('"block": [32', '"block": [64'))
    page.do("document.getElementById('debug').click()")
    page.panel("stops")
    for words in ["11 if warp == 1", "smem 1024 16"]:
        page.do("const entry = document.querySelector('#panel input[type=text]'); entry.value = arguments[0]; entry.form.requestSubmit()", words)
    page.do("document.querySelectorAll('#panel input[type=checkbox]')[1].click()")
    page.do("document.querySelectorAll('#panel td button')[0]; document.getElementById('moment').value = 3; document.getElementById('moment').onchange()")
    run("[...document.querySelectorAll('#findings button')].at(-1).click()")
    shown = "return [document.getElementById('where').textContent, document.getElementById('panel').textContent, document.querySelector('[aria-selected=true].line').dataset.line, [...document.querySelectorAll('#findings li')].findIndex(item => item.hasAttribute('aria-current')), [...document.querySelectorAll('#panel input[type=checkbox]')].map(box => box.checked)]"
    stood = run(shown)
    run("document.getElementById('link').click()")
    page.until("return /copied|not let/.test(document.getElementById('said').textContent)", "the link is made")
    page.open(run("return location.hash"))
    check("the link of files shows the same", run(shown), stood)
    # A kernel that the program packs.
    for path, options in [("samples/packages/ring_parity", []), ("samples/packages/ring_parity/k.ptx", []), ("samples/packages/wgmma_too_early", ["--no-arrays"])]:
        ran = subprocess.run([program, "link", path, *options, "--base", page.address], capture_output=True, text=True, cwd=root)
        check(f"{path} has a link", (ran.returncode, ran.stdout.startswith(page.address + "kernels.html#1=")), (0, True))
        page.open(ran.stdout.strip().removeprefix(page.address + "kernels.html"))
        check(f"{path}: its link runs it", page.text("verdict").startswith("1 fault"))
        check(f"{path}: its arrays", "random numbers" in page.text("guesses"), bool(options))
    ran = subprocess.run([program, "link", "samples/packages/wgmma_too_early", "--base", page.address], capture_output=True, text=True, cwd=root)
    check("arrays that are too large are refused, with a way out", (ran.returncode, "--no-arrays" in ran.stderr), (1, True))
    # Arrays, or files, that are too large for a link.
    noise = random.Random(3).randbytes(200_000)
    array = b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '|i1', 'fortran_order': False, 'shape': (200000,), }".ljust(117) + b"\n" + noise
    large = launch().replace('"shape": [32], "out"', '"shape": [200000], "data": "x.npy", "out"').replace("i32", "i8")
    ptx = ADD.replace("st.global.b32", "st.global.b8")
    page.open()
    page.drop("ran", k__ptx=ptx, launch__json=large, x__npy=array)
    run("document.getElementById('link').click()")
    page.until("return /arrays are too large/.test(document.getElementById('said').textContent)", "arrays that are too large are told")
    page.open(run("return location.hash"))
    check("without them, random numbers stand in", "random numbers" in page.text("guesses"))
    page.open()
    long_ = ptx + "// " + base64.b64encode(noise).decode() + "\n"
    page.drop("ran", k__ptx=long_, launch__json=launch())
    page.do("document.getElementById('debug').click()")
    page.act(">|")
    run("document.getElementById('link').click()")
    page.until("return /kernel is too large/.test(document.getElementById('said').textContent)", "a kernel that is too large is told")
    page.open(run("return location.hash"))
    check("the opener is asked for the files", "k.ptx, launch.json" in page.text("stopped"))
    page.drop("ran", k__ptx=long_, launch__json=launch())
    page.until("return document.getElementById('stopWords').textContent === 'all blocks have ended'", "then the view is shown")
    # Links that are no links of kernels.
    for name, state, words in [("null", None, "damaged"), ("no kernel", {"view": "x"}, "it has no kernel"), ("no sample", {"kernel": {"sample": "../x"}}, "no such sample"),
                               ("no files", {"kernel": {"files": []}}, "it has no files"), ("a file without content", {"kernel": {"files": [{"name": "k.ptx"}]}}, "a file in it is damaged"),
                               ("letters that are none", {"kernel": {"files": [{"name": "k.ptx", "base64": "%"}]}}, "cannot be read"),
                               ("a hostile name", {"kernel": {"needs": [EVIL]}}, ""), ("a wrong debugger", {"kernel": {"sample": "kernels/wgmma_pipeline", "debug": {"moment": "x", "stops": [7, {"words": EVIL}], "block": -1, "warp": 1e300}, "line": 1e300, "show": 3, "finding": -5}}, "not set")]:
        page.open(page.fragment(json.dumps(state)))
        if words:
            check(f"{name} is told", words in page.text("said"))
        check(f"{name}: nothing of it runs", run("return [window.pwned ?? 0, document.querySelectorAll('main img').length]"), [0, 0])
    made = random.Random(5)
    page.open()
    page.sample(CLEAN)
    page.do("document.getElementById('debug').click()")
    for _ in range(12):
        page.do("document.getElementById('moment').max = 400; document.getElementById('moment').value = arguments[0]; document.getElementById('moment').onchange()", made.randrange(400))
        page.panel(made.choice(["warps", "barriers", "flights", "waits", "shared", "arrays", "registers", "stops"]))
        page.until("return document.body.dataset.linked === document.body.dataset.stepped", "the address has it")
        stood, fragment = [page.text("where"), page.text("panel"), page.here()], run("return location.hash")
        before = run("return document.body.dataset.ran")
        page.open(fragment)
        check("a random state round-trips", [page.text("where"), page.text("panel"), page.here()], stood)


def keyboard(page):
    """The whole story with keys alone."""
    page.open()
    page.sample(CLEAN)
    run = page.browser.run
    run("document.getElementById('debug').focus()")
    page.press(ENTER)
    page.until("return document.activeElement.id === 'code'", "the code has the keyboard")
    page.press("n", "n", "i")
    there = page.text("where")
    page.press("I", "i")
    check("back and on again", page.text("where"), there)
    before = run("return document.getElementById('code').getAttribute('aria-activedescendant')")
    page.browser.type(DOWN)
    check("an arrow chooses a line", run("return document.getElementById('code').getAttribute('aria-activedescendant')") != before)
    page.press("b")
    check("B stops at a line", run("return document.querySelectorAll('.line.stop').length"), 1)
    warp = run("return document.querySelector('#panel tr.chosen').textContent")
    page.press("]")
    check("the next warp", run("return document.querySelector('#panel tr.chosen').textContent") != warp)
    page.press(END)
    check("End", page.text("stopWords"), "all blocks have ended")
    page.press(HOME)
    check("Home", page.text("where").startswith("moment 0"))


def malformed(page):
    """Files that are no kernels are refused in words, and the page goes on."""
    page.open()
    noise = random.Random(1).randbytes(3000)
    for name, files, words in [
            ("no PTX", {"notes__txt": "hello"}, "there is no PTX among these files"),
            ("an empty PTX", {"k__ptx": ""}, "not opened"),
            ("noise", {"k__ptx": noise}, "not opened"),
            ("an unknown instruction", {"k__ptx": ADD.replace("mov.u32 %r0, %tid.x", "frob.u32 %r0, 1"), "launch__json": launch()}, "k.ptx, line 7"),
            ("cut off", {"k__ptx": ADD[:200], "launch__json": launch()}, "k.ptx, line"),
            ("another entry", {"k__ptx": ADD, "launch__json": launch(entry="other")}, "other"),
            ("a launch that is no JSON", {"k__ptx": ADD, "launch__json": "{"}, "launch.json, line 1"),
            ("a huge array", {"k__ptx": ADD, "launch__json": launch().replace("[32], ", "[32000000000], ")}, "larger than the 16 GiB"),
            ("a hostile entry", {"k__ptx": ADD, "launch__json": launch(entry=EVIL)}, EVIL)]:
        page.drop("opened", **files)
        page.until("return !document.getElementById('stopped').hidden", f"{name} is refused")
        check(f"{name} is refused in words", words in page.text("stopped"))
    page.drop("ran", k__ptx=ADD, launch__json=launch(name=EVIL))
    check("names are text, never markup", page.browser.run("return [window.pwned ?? 0, document.querySelectorAll('main img').length]"), [0, 0])
    check("and are shown", EVIL in page.text("outputs"))
    page.drop_list("ran", [[f"{EVIL.replace('/', '')}.ptx", encoded(ADD + f"\n// {EVIL}\n")], ["launch.json", encoded(launch())]])
    check("so are names of files, and lines", page.browser.run("return [window.pwned ?? 0, document.querySelectorAll('main img').length]"), [0, 0])
    check("which are shown", EVIL in page.text("code"))


def oversized(page, folder):
    """Large files that are no kernels are refused in words. The page goes on with the kernel that it has, and holds no more memory."""
    page.open()
    page.drop("ran", k__ptx=ADD, launch__json=launch())
    before = resident(page.browser)
    for name, size, start, words in [
            ("nothing.ptx", 200 << 20, "", "not opened"), ("package.lspkg", 200 << 20, "PK", "there is no PTX among these files"),
            ("huge.ptx", 300 << 20, "", "a .ptx file may have 256 MiB"), ("comment.ptx", 200 << 20, f"{ADD}//", "there is no memory for what"), ("launch.json", 100 << 20, "{", "may have 64 MiB"), ("array.npy", 3 << 30, "", "no memory")]:
        path = pathlib.Path(folder, name)
        with open(path, "wb") as file:
            file.write(start.encode())
            file.truncate(size)
        page.browser.run("document.getElementById('stopped').hidden = true")
        choose(page, path)
        page.until("return !document.getElementById('stopped').hidden", f"{name} is refused")
        check(f"{name} is refused in words", words in page.text("stopped").replace("`", ""), words in page.text("stopped"))
        page.until("return document.getElementById('reading').hidden", "the page waits for nothing")
        given_back(page, before, name)
        path.unlink()
    comment = pathlib.Path(folder, "comment.ptx")
    comment.write_text("// " + "x" * (10 << 20) + "\n" + ADD)
    page.counted("ran", lambda: choose(page, comment))
    check("a long line is cut off", "letters more" in page.browser.run("return document.querySelector('.line').textContent.slice(-40)"))
    choose(page, comment)
    page.drop("ran", other__ptx=ADD, launch__json=launch())
    page.until("return document.getElementById('which').value === 'other.ptx'", "the files that come last are shown")
    check("what they replace is not told as a stop", page.said(), "")
    given_back(page, before, "a large kernel")


def stopping(page):
    """A run that does not end is stopped, and the page goes on."""
    page.open()
    page.drop("", loop__ptx=LOOP, launch__json=launch())
    page.until("return !document.getElementById('reading').hidden && /Running/.test(document.getElementById('reading').textContent)", "the run is told")
    page.browser.run("document.getElementById('stop').click()")
    page.until("return document.getElementById('said').textContent === 'Stopped.'", "the stop is told")
    check("the kernel stays open", page.text("title"), "add")
    page.do("document.getElementById('debug').click()")
    check("and can be debugged", page.text("stopWords"), "before the first instruction")
    page.act("Line >")
    page.drop("ran", add__ptx=ADD, launch__json=launch())
    check("another kernel runs", page.text("verdict").startswith("0 faults"))


def accessible(page, folder):
    """Names for all controls, no sideways scrolling on a telephone, both themes."""
    page.open()
    page.sample(FAULTY)
    page.do("document.getElementById('debug').click()")
    nameless = page.browser.run("""
        return [...document.querySelectorAll('button, select, input:not([type=file])')].filter(control =>
          !(control.getAttribute('aria-label') || control.textContent.trim() && control.tagName === 'BUTTON' || control.labels?.length)).map(control => control.outerHTML)""")
    check("each control has a name", nameless, [])
    check("each id is unique", page.browser.run("const ids = [...document.querySelectorAll('[id]')].map(e => e.id); return ids.length - new Set(ids).size"), 0)
    for theme in ["dark", "light"]:
        page.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"features": [{"name": "prefers-color-scheme", "value": theme}]}})
        for panel in ["shared", "registers", "warps"]:
            page.panel(panel)
        page.settle()
        axe(page, f"kernels, {theme}")
        for width in [390, 768, 1280, 2560]:
            page.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 800}})
            page.settle()
            check(f"nothing is wider than {width} pixels", page.browser.run("return document.documentElement.scrollWidth"), width)
            if folder:
                pathlib.Path(folder, f"kernels-{theme}-{width}.png").write_bytes(base64.b64decode(page.browser.call("GET", "/screenshot")))
        page.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.clearDeviceMetricsOverride", "params": {}})


def same_findings(page, program, root, everything):
    """The module says of each kernel what the program says, and leaves the same arrays."""
    page.open()
    page.browser.run("""
        window.ready = (async () => {
          const { Module } = await import(location.origin + '/module.js');
          window.compared = await Module.load('kernels.wasm');
          await window.compared.start();
        })();""")
    page.wait("await window.ready;")
    took = [0, 0]
    with tempfile.TemporaryDirectory() as folder:
        for archive in ["cases.tar.xz", "own.tar.xz"]:
            with tarfile.open(pathlib.Path(root, "tests/golden/sync", archive)) as packed:
                packed.extractall(folder)
        cases = sorted(path.parent for path in pathlib.Path(folder).rglob("k.ptx"))
        if not everything:
            cases = random.Random(7).sample(cases, SAMPLED)
        for case in cases:
            name = str(case.relative_to(folder))
            given = [[path.name, encoded(path.read_bytes())] for path in sorted(case.iterdir()) if path.is_file()]
            came = page.wait("""
                const module = window.compared;
                module.call({ do: 'forget' });
                for (const [name, content] of arguments[0]) {
                  const bytes = Uint8Array.from(atob(content), letter => letter.charCodeAt(0));
                  module.file(bytes.length).set(bytes);
                  module.call({ do: 'file', name });
                }
                const open = module.call({ do: 'open' });
                if (open.error) return open;
                const { ran, error } = module.call({ do: 'run' });
                if (error) return { error };
                const outputs = {};
                for (const { index, file } of ran.outputs) {
                  const { npy } = module.call({ do: 'output', index });
                  if (file) outputs[file] = btoa(String.fromCharCode(...new Uint8Array(module.memory, npy.at, npy.bytes)));
                }
                return { ...ran, outputs };""", given)
            if "error" in came:
                check(f"{name} runs", came["error"])
                continue
            began = time.monotonic()
            ran = subprocess.run([program, "check", case / "k.ptx", "--format", "json"], capture_output=True, text=True, cwd=root)
            took = [took[0] + came["seconds"], took[1] + time.monotonic() - began]
            want = json.loads(ran.stdout.replace(f"{case}/", ""))
            check(f"{name}: findings", came["findings"], want["findings"])
            check(f"{name}: runs", came["runs"], want["runs"])
            if came["outputs"]:
                subprocess.run([program, "emulate", case / "k.ptx"], capture_output=True, cwd=root)
                for file, content in came["outputs"].items():
                    check(f"{name}: {file}", base64.b64decode(content) == (case / file).read_bytes())
    print(f"{len(cases)} kernels compared with the program: {took[0]:.1f} s in the page, {took[1]:.1f} s in the program with its start")


def main():
    arguments = sys.argv[1:]
    folder = arguments[arguments.index("--screenshots") + 1] if "--screenshots" in arguments else ""
    program, site, root = [argument for argument in arguments if not argument.startswith("--") and argument != folder][:3]
    if not pathlib.Path(site, "kernels.wasm").is_file():
        print(f"kernels.py: skipped: {site} has no kernels.wasm; `cmake --preset wasm && cmake --build --preset wasm` makes it")
        sys.exit(77)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as profile:
        browser = chromium(root, profile)
        try:
            page = Kernels(browser, f"http://127.0.0.1:{server.server_port}/")
            page.root = root
            only = [argument[7:] for argument in arguments if argument.startswith("--only=")]
            stories = {"opened": opened, "stepped": stepped, "conditions": conditions, "allowed": lambda page: allowed(page, program),
                       "linked": lambda page: linked(page, program, root), "keyboard": keyboard, "malformed": malformed, "oversized": lambda page: oversized(page, profile), "stopping": stopping,
                       "accessible": lambda page: accessible(page, folder), "same_findings": lambda page: same_findings(page, program, root, "--all" in arguments)}
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
        sys.exit(f"kernels.py: {len(failures)} checks failed")
    print("kernels.py: all checks passed")


if __name__ == "__main__":
    main()
