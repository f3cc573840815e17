#!/usr/bin/env python3
"""Drives the window under Xvfb with each script of a folder. Every picture must exist and not be blank, and must look
like its golden picture if there is one.

Usage: run.py LANESCOPE SCRIPTS_DIR OUT_DIR REPOSITORY [--update] [--only NAME]

A script whose first line is `# fails: WORDS` must end with exit status 1 and these words. One whose first line is `#
at: 1280x720/1.5 1600x1000/1` runs once for each size and scale. In scripts, $OUT is OUT_DIR. A first line such as `#
--arch sm_100a` holds options of the command. Golden pictures are in SCRIPTS_DIR/golden. They show the view without the
list of files and the console, at half size. A pixel differs if a channel is off by more than TOLERANCE. A picture
differs if more than SHARE of its pixels do, because fonts and rasterisers round differently. --update writes golden
pictures of the pictures that the scripts save."""
import argparse
import pathlib
import re
import subprocess
import sys

import numpy
from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from display import display  # noqa: E402: found through the line above

TOLERANCE, SHARE = 48, 0.02
LEFT, TOP, RIGHT, BOTTOM = 250, 50, 1584, 790  # the view in a window of 1600x1000


def opened(path):
    """The picture's pixels as (rows, columns, RGB)."""
    with Image.open(path) as picture:
        return numpy.asarray(picture.convert("RGB"))


def view_of(pixels):
    """The part that golden pictures show, at half size: each pixel is the mean of four, in steps of 8."""
    part = pixels[TOP:BOTTOM, LEFT:RIGHT].astype(numpy.uint16)
    return ((part[::2, ::2] + part[::2, 1::2] + part[1::2, ::2] + part[1::2, 1::2]) // 4 // 8 * 8).astype(numpy.uint8)


def is_blank(pixels):
    return len(numpy.unique(pixels[::7, ::5].reshape(-1, 3), axis=0)) < 12


def difference(mine, golden):
    """The share of pixels that differ, and the box that holds them; 1 and the whole picture if the sizes differ."""
    if mine.shape != golden.shape:
        return 1, (0, 0, mine.shape[1], mine.shape[0])
    differs = (numpy.abs(mine.astype(int) - golden) > TOLERANCE).any(axis=2)
    rows, columns = numpy.flatnonzero(differs.any(axis=1)), numpy.flatnonzero(differs.any(axis=0))
    return differs.mean(), (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1) if rows.size else None


def main():
    parser = argparse.ArgumentParser()
    for name in ("lanescope", "scripts", "out", "repository"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--only")
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    golden = arguments.scripts.resolve() / "golden"
    passed, failed = 0, 0
    for script in sorted(arguments.scripts.resolve().glob("*.gui")):
        if arguments.only and arguments.only != script.stem:
            continue
        for old in out.glob(f"{script.stem}*.png"):
            old.unlink()
        prepared = out / script.name
        text = script.read_text()
        prepared.write_text(text.replace("$OUT", str(out)))
        first = text.splitlines()[0].removeprefix("#").split()
        options = first if first and first[0].startswith("--") else []
        command = [str(arguments.lanescope.resolve()), "gui", "--script", str(prepared), "--screenshot", str(out / f"{script.stem}.png"),
                   "--out", str(out), "--overwrite"]
        places = re.match(r"# at: (.+)", text)
        for place in places[1].split() if places else ["1600x1000/1"]:
            size, scale = place.split("/")
            with display(f"{size}x24") as environment:
                result = subprocess.run([*command, *options, *(["--size", size, "--scale", scale] if places else [])],
                                        cwd=arguments.repository, env=environment, capture_output=True, text=True, timeout=600)
            if result.returncode != 0:
                break
        if wanted := re.match(r"# fails: (.+)", text): # a script's failure gives a message and exit status 1
            good = result.returncode == 1 and wanted[1] in result.stderr
            passed, failed = passed + good, failed + (not good)
            if not good:
                print(f"FAILED {script.name}: exit status {result.returncode}\n{result.stderr}")
            continue
        problems = [] if result.returncode == 0 else [f"at {place}: exit status {result.returncode}\n{result.stdout}{result.stderr}"]
        expected = {path.name for path in golden.glob(f"{script.stem}-*.png")} | {f"{script.stem}.png"}
        for name in sorted(expected | {path.name for path in out.glob(f"{script.stem}*.png")}):
            if not (out / name).exists():
                problems.append(f"{name} was not saved")
                continue
            picture = opened(out / name)
            if is_blank(picture):
                problems.append(f"{name} is blank")
            if name == f"{script.stem}.png":
                continue
            mine = view_of(picture)
            if arguments.update:
                golden.mkdir(exist_ok=True)
                Image.fromarray(mine).save(golden / name, optimize=True)
                continue
            if not (golden / name).exists():
                problems.append(f"{name} has no golden picture; --update makes it, after a look")
                continue
            share, box = difference(mine, opened(golden / name))
            if share > SHARE:
                left, top, right, bottom = box
                problems.append(
                    f"{name} differs from its golden picture in {share:.1%} of the pixels, "
                    f"which lie in columns {left} to {right} and rows {top} to {bottom}"
                )
        passed, failed = passed + (not problems), failed + bool(problems)
        for problem in problems:
            print(f"FAILED {script.name}: {problem}")
    print(f"gui: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
