#!/usr/bin/env python3
"""`lanescope link` of a kernel: the files that are in the link. Usage: kernel_links.py LANESCOPE"""
import base64
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

PTX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 to) { ret; }
"""
failed = 0


def expect(what, holds, said):
    global failed
    failed += not holds
    print(f"ok: {what}" if holds else f"FAILED: {what}: {said}")


def array(*numbers):
    """An .npy file of int32."""
    head = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({len(numbers)},), }}".encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack(f"<{len(numbers)}i", *numbers)


def description(data):
    return json.dumps({"entry": "k", "grid": [1], "block": [32], "params": [{"kind": "buffer", "dtype": "i32", "shape": [2], "data": data}]})


def files_of(link):
    """The files of the kernel in a link, by name."""
    letters = link.strip().partition("#1=")[2]
    state = json.loads(zlib.decompress(base64.urlsafe_b64decode(letters + "=" * (-len(letters) % 4)), -15))
    return {file["name"]: file["text"].encode() if "text" in file else base64.urlsafe_b64decode(file["base64"] + "=" * (-len(file["base64"]) % 4))
            for file in state["kernel"]["files"]}


def main():
    lanescope = sys.argv[1]

    def link(*words):
        return subprocess.run([lanescope, "link", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)

    with tempfile.TemporaryDirectory() as name:
        folder, other = pathlib.Path(name) / "package", pathlib.Path(name) / "other"
        folder.mkdir()
        other.mkdir()
        (folder / "kernel.ptx").write_text(PTX)
        (folder / "launch.json").write_text(description("a.npy"))
        (folder / "a.npy").write_bytes(array(1, 2))
        (other / "small.json").write_text(description("b.npy"))
        (other / "b.npy").write_bytes(array(3, 4))
        (other / "outside.json").write_text(description("../package/a.npy"))
        (other / "lost.json").write_text(description("none.npy"))

        made = link(folder)
        expect("a package's files", made.returncode == 0 and files_of(made.stdout) == {"kernel.ptx": PTX.encode(), "launch.json": description("a.npy").encode(), "a.npy": array(1, 2)}, made)
        made = link(folder, "--no-arrays")
        expect("without arrays", made.returncode == 0 and set(files_of(made.stdout)) == {"kernel.ptx", "launch.json"}, made)
        made = link(folder / "kernel.ptx", "--launch", other / "small.json")
        expect("another launch and its arrays", made.returncode == 0 and files_of(made.stdout) == {"kernel.ptx": PTX.encode(), "launch.json": description("b.npy").encode(), "b.npy": array(3, 4)}, made)
        for file, words in (("outside.json", "outside of the folder"), ("lost.json", "none.npy")):
            made = link(folder, "--launch", other / file)
            expect(f"{file} is refused", made.returncode == 1 and words in made.stderr, made)
            made = link(folder, "--launch", other / file, "--no-arrays")
            expect(f"{file} without arrays", made.returncode == 0, made)
    return 1 if failed else 0


sys.exit(main())
