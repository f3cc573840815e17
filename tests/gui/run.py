#!/usr/bin/env python3
"""Drives the window under Xvfb with each script of a folder, and checks that every picture is there and not blank.
Usage: run.py LANESCOPE SCRIPTS_DIR OUT_DIR REPOSITORY"""
import pathlib
import struct
import subprocess
import sys
import zlib


def colours(png):
    """The number of distinct colours in an 8-bit RGB(A) PNG's sampled pixels."""
    data = png.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", f"{png} is no PNG"
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
    stride = width * channels + 1
    raw, previous, seen = zlib.decompress(body), bytearray(width * channels), set()
    for row in range(height):
        line = bytearray(raw[row * stride + 1:(row + 1) * stride])
        method = raw[row * stride]
        for i in range(len(line)):
            left = line[i - channels] if i >= channels else 0
            up, corner = previous[i], previous[i - channels] if i >= channels else 0
            if method == 1:
                line[i] = (line[i] + left) & 255
            elif method == 2:
                line[i] = (line[i] + up) & 255
            elif method == 3:
                line[i] = (line[i] + (left + up) // 2) & 255
            elif method == 4:
                p = left + up - corner
                a, b, c = abs(p - left), abs(p - up), abs(p - corner)
                line[i] = (line[i] + (left if a <= b and a <= c else up if b <= c else corner)) & 255
        previous = line
        for x in range(0, width * channels, channels * 5):
            seen.add(bytes(line[x:x + 3]))
    return len(seen)


def main():
    lanescope, scripts, out, repository = sys.argv[1:]
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    passed, failed = 0, 0
    for script in sorted(pathlib.Path(scripts).glob("*.gui")):
        picture = out / f"{script.stem}.png"
        picture.unlink(missing_ok=True)
        result = subprocess.run(["xvfb-run", "-a", "-s", "-screen 0 1600x1000x24", lanescope, "gui", "--script", str(script.resolve()),
                                 "--screenshot", str(picture)], cwd=repository, capture_output=True, text=True, timeout=300)
        if result.returncode == 0 and picture.exists() and colours(picture) >= 12:
            passed += 1
        else:
            failed += 1
            print(f"FAILED {script.name}: exit status {result.returncode}\n{result.stdout}{result.stderr}")
    print(f"gui: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
