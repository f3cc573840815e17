#!/usr/bin/env python3
"""Drives the window under Xvfb with each script of a folder. Every picture must be there and not blank, and those that
have a golden picture must look like it.

Usage: run.py LANESCOPE SCRIPTS_DIR OUT_DIR REPOSITORY [--update] [--only NAME]

A script whose first line is `# fails: WORDS` must end with exit status 1 and these words.
In scripts, $OUT is OUT_DIR; a first line such as `# --arch sm_100a` holds options of the command. Golden pictures lie in SCRIPTS_DIR/golden: the view without the list of files and the
console, at half size. A pixel differs when a channel is off by more than TOLERANCE; a picture, when more than SHARE of
its pixels do: fonts and rasterisers round differently. --update writes the golden pictures of what the scripts save."""
import argparse
import pathlib
import re
import struct
import subprocess
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from display import display  # noqa: E402: found through the line above

TOLERANCE, SHARE = 48, 0.02
LEFT, TOP, RIGHT, BOTTOM = 250, 50, 1584, 790  # of the window, at 1600x1000: the view


def decode(data):
    """Width, height and rows of RGB bytes of an 8-bit RGB(A) PNG."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    position, body = 8, b""
    while position < len(data):
        length, kind = struct.unpack(">I4s", data[position:position + 8])
        chunk = data[position + 8:position + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", chunk[:10])
        if kind == b"IDAT":
            body += chunk
        position += 12 + length
    channels = {2: 3, 6: 4}[colour]
    assert depth == 8
    stride, raw = width * channels, zlib.decompress(body)
    previous, rows = bytearray(stride), []
    for row in range(height):
        start = row * (stride + 1)
        method, line = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        if method == 2:
            line = bytearray((a + b) & 255 for a, b in zip(line, previous))
        elif method:
            for i in range(stride):
                left = line[i - channels] if i >= channels else 0
                up, corner = previous[i], previous[i - channels] if i >= channels else 0
                if method == 1:
                    line[i] = (line[i] + left) & 255
                elif method == 3:
                    line[i] = (line[i] + (left + up) // 2) & 255
                else:
                    p = left + up - corner
                    a, b, c = abs(p - left), abs(p - up), abs(p - corner)
                    line[i] = (line[i] + (left if a <= b and a <= c else up if b <= c else corner)) & 255
        previous = line
        if channels == 4:
            rgb = bytearray(width * 3)
            for channel in range(3):
                rgb[channel::3] = line[channel::4]
            rows.append(rgb)
        else:
            rows.append(line)
    return width, height, rows


def encode(width, height, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    filtered, previous = bytearray(), bytes(width * 3)
    for row in rows:
        filtered += b"\x02" + bytes((a - b) & 255 for a, b in zip(row, previous))
        previous = row
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(filtered), 9)) + chunk(b"IEND", b"")


def view_of(picture):
    """The part that golden pictures hold, at half size: each pixel the mean of four."""
    _, _, rows = picture
    out = []
    for y in range(TOP, BOTTOM - 1, 2):
        a, b = rows[y], rows[y + 1]
        line = bytearray((RIGHT - LEFT) // 2 * 3)
        for channel in range(3):
            first, end = LEFT * 3 + channel, RIGHT * 3
            line[channel::3] = bytes((p + q + r + s) // 4 // 8 * 8 for p, q, r, s in
                                     zip(a[first:end:6], a[first + 3:end:6], b[first:end:6], b[first + 3:end:6]))
        out.append(line)
    return (RIGHT - LEFT) // 2, len(out), out


def difference(mine, golden):
    """The share of pixels that differ; 1 when the sizes do."""
    if mine[:2] != golden[:2]:
        return 1.0
    differing = 0
    for a, b in zip(mine[2], golden[2]):
        if a != b:
            off = [abs(p - q) > TOLERANCE for p, q in zip(a, b)]
            differing += sum(off[i] or off[i + 1] or off[i + 2] for i in range(0, len(off), 3))
    return differing / (mine[0] * mine[1])


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
        with display() as environment:
            result = subprocess.run([*command, *options], cwd=arguments.repository, env=environment, capture_output=True, text=True,
                                    timeout=600)
        if wanted := re.match(r"# fails: (.+)", text): # what a script cannot do is told, and is exit status 1
            good = result.returncode == 1 and wanted[1] in result.stderr
            passed, failed = passed + good, failed + (not good)
            if not good:
                print(f"FAILED {script.name}: exit status {result.returncode}\n{result.stderr}")
            continue
        problems = [] if result.returncode == 0 else [f"exit status {result.returncode}\n{result.stdout}{result.stderr}"]
        expected = {path.name for path in golden.glob(f"{script.stem}-*.png")} | {f"{script.stem}.png"}
        for name in sorted(expected | {path.name for path in out.glob(f"{script.stem}*.png")}):
            if not (out / name).exists():
                problems.append(f"{name} was not saved")
                continue
            picture = decode((out / name).read_bytes())
            if len({bytes(row[x:x + 3]) for row in picture[2][::7] for x in range(0, len(row), 15)}) < 12:
                problems.append(f"{name} is blank")
            if name == f"{script.stem}.png":
                continue
            mine = view_of(picture)
            if arguments.update:
                golden.mkdir(exist_ok=True)
                (golden / name).write_bytes(encode(*mine))
            elif not (golden / name).exists():
                problems.append(f"{name} has no golden picture; --update makes it, after a look")
            elif (share := difference(mine, decode((golden / name).read_bytes()))) > SHARE:
                problems.append(f"{name} differs from its golden picture in {share:.1%} of the pixels")
        passed, failed = passed + (not problems), failed + bool(problems)
        for problem in problems:
            print(f"FAILED {script.name}: {problem}")
    print(f"gui: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
