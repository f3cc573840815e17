#!/usr/bin/env python3
"""Links that `lanescope link` prints show what `lanescope show` shows, when `lanescope show` opens them.

    tests/web/links.py LANESCOPE .
"""

import base64
import gzip
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zlib

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
failures = []


def check(what, got, want=True):
    if got != want:
        failures.append(what)
        print(f"FAILED: {what}\n  got  {str(got)[:600]}\n  want {str(want)[:600]}")


def run(*words):
    ran = subprocess.run([program, *words], capture_output=True, text=True, cwd=root)
    return ran.returncode, ran.stdout, ran.stderr


def state(link):
    letters = link.strip().split("#1=")[1]
    return json.loads(zlib.decompress(base64.urlsafe_b64decode(letters + "=" * (-len(letters) % 4)), -15))


def fragment(text):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return "#1=" + base64.urlsafe_b64encode(packer.compress(text.encode()) + packer.flush()).decode().rstrip("=")


pictures = [
    ["WGMMA", "--shape", "64x16"],
    ["WGMMA", "--shape", "64x64", "--dtype", "f16", "--view", "smem", "--tiling", "8x64", "--swizzle", "128"],
    ["WGMMA", "--shape", "64x8", "--view", "f2"],
    ["WGMMA", "--shape", "64x32", "--view", "diff", "--against", "WGMMA_UPCAST_2X"],
    ["((4,8),(2,2)):((32,1),(16,8))", "--shape", "16x8", "--memory", "registers", "--color", "lane"],
    ["tmem_default_layout(2)", "--shape", "128x64", "--dtype", "f16"],
    ["#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>", "--shape", "32x32"],
    ["view(\"WGMMA\", shape=(64, 16), view=\"lanes\", select=(9, 2))"],
    ["mma.m16n8k16.f16", "--view", "operands"],
    ["(8,64):(64,1)", "--shape", "8x64"],
    ["S[(8,64):(64@m,1@m)]", "--shape", "8x64"],
]
for words in pictures:
    status, link, problem = run("link", *words)
    check(f"{words} has a link", (status, link.startswith("http://localhost:8000/app/#1="), link.count("\n")), (0, True, 1))
    if status == 0:
        check(f"{words}: the link shows the same", run("show", link.strip())[:2], run("show", *words)[:2])
check("several pictures are in one link", state(run("link", "WGMMA", "--shape", "64x16", "--view", "grid,lanes")[1])["view"].count("view("), 2)
check("--base is the page", run("link", "WGMMA", "--base", "https://example.com/x/")[1].startswith("https://example.com/x/#1="))
check("a wrong layout is told", run("link", "WGMMA", "--shape", "7x7")[0], 1)
check("a wrong option is told", run("link", "WGMMA", "--view", "nothing")[0], 2)

trace = root / "samples/traces/emulated_matmul.json.gz"
link = run("link", str(trace))[1]
check("a small trace is in its link", state(link)["traces"], [{"name": trace.name, "text": gzip.decompress(trace.read_bytes()).decode()}])
check("on the page with traces", "traces.html#1=" in link)
status, _, problem = run("link", "samples/traces/mosaic_matmul.json.gz")
check("a large trace is told", (status, "letters, and a link has at most" in problem), (1, True))
check("show refuses a trace's link", (run("show", link.strip())[0], "or in a browser" in run("show", link.strip())[2]), (1, True))

page_state = {"layout": "WGMMA", "shape": "64x16", "dtype": "f32", "panes": ["array"], "pin": {"pane": "array", "row": 9, "column": 2}, "zoom": {"array": [9, 1, 1]}}
status, shown, _ = run("show", fragment(json.dumps(page_state)))
check("a link of the page opens", (status, "WGMMA" in shown), (0, True))
good = fragment('{"layout": "WGMMA"}')
for odd in ["#1=", "#1=AAAA", "#2" + good[2:], good[:-6], good + "=", fragment("null"), fragment("[]"), fragment("7"), fragment("{}"), fragment('{"layout": 3}'), fragment("{"),
            fragment('{"view": "view("}'), fragment('{"layout": "' + "x" * (2 << 20) + '"}'), "http://localhost:8000/app/#1=%25", "https://example.com/#hello"]:
    status, _, problem = run("show", odd)
    check(f"{odd[:40]} is told", (status, "this link" in problem), (1, True))

# The window opens a kernel's link at the place of its run.
kernel = state(run("link", "samples/packages/ring_parity")[1])
place = {"last": 40, "moment": 12, "block": 0, "warp": 1, "panel": "barriers", "stops": [{"words": "ptx:148", "off": True}, {"words": "ptx:433 if warp == 2"}, {"words": "<b>"}]}
kernel["kernel"]["debug"] = place
if shutil.which("Xvfb"):
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "script.gui")
        script.write_text("wait\nexpect moment 12 of 926\nexpect block 0, warp 1 is at PTX line 36\npanel stops\nwait\nexpect 148\nexpect if warp == 2\n")
        ran = subprocess.run([sys.executable, root / "tests/display.py", program, "gui", fragment(json.dumps(kernel)), "--script", script], capture_output=True, text=True, cwd=root)
        check("the window stands where the link says", (ran.returncode, ran.stderr), (0, ""))
        # It opens a trace's link, and copies one that shows the same trace.
        script.write_text("wait\nexpect flash_attention\n")
        traced = {"traces": [{"name": "../odd name.json.gz", "text": json.dumps({"traceEvents": [{"ph": "X", "name": "flash_attention", "ts": 1, "dur": 5, "pid": 0, "tid": 0}]})}]}
        ran = subprocess.run([sys.executable, root / "tests/display.py", program, "gui", fragment(json.dumps(traced)), "--script", script], capture_output=True, text=True, cwd=root)
        check("the window shows the trace of a link", (ran.returncode, ran.stderr), (0, ""))
else:
    print("links.py: Xvfb is not installed, so no link was opened in the window")

if failures:
    sys.exit(f"links.py: {len(failures)} checks failed")
print("links.py: all checks passed")
