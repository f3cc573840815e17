"""A folder with as many kernels as wanted, from archives and folders of PTX with launches."""
import json
import os
import pathlib
import shutil
import tarfile

OWN = pathlib.Path(__file__).resolve().parents[1] / "golden"

ENDLESS = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .b32 %r<4>;
L: add.u32 %r1, %r1, 1;
bra L;
}
"""
LAUNCH = {"entry": "k", "grid": [1, 1, 1], "cluster": [1, 1, 1], "block": [64, 1, 1], "dynamic_smem": 0,
          "params": [{"kind": "buffer", "dtype": "u32", "shape": [64], "out": "out.npy"}]}  # fmt: skip
BAD = 3  # kernels that make_bad() adds


def packages(golden, scratch):
    """Folders with PTX and its launch, from both golden folders and their archives, sorted."""
    for number, path in enumerate(sorted([*golden.glob("*.tar.xz"), *OWN.rglob("*.tar.xz")])):
        with tarfile.open(path) as archive:
            archive.extractall(scratch / f"{number:02}-{path.name.partition('.')[0]}")
    found = {path.parent for top in (scratch, golden, OWN) for path in top.rglob("*.ptx") if (path.parent / "launch.json").exists()}
    return sorted(found, key=lambda path: (path.name, str(path)))


def link(folder, into):
    """Copies a folder's files by hard links where that works."""
    into.mkdir(parents=True)
    for file in folder.iterdir():
        if file.is_file() and (file.suffix in (".json", ".npy") or file.name == "kernel.ptx" or file.suffix == ".ptx"):
            try:
                os.link(file, into / file.name)
            except OSError:
                shutil.copy(file, into / file.name)


def make_bad(kernels, place):
    """A malformed kernel, one that never ends, and one that needs more memory than there is."""
    eater = json.loads(json.dumps(LAUNCH))
    eater["params"][0]["shape"] = [1 << 31]
    for name, text, launch in (("malformed", ".version 8.0\n.target sm_90a\n.entry k( {{{\n", LAUNCH), ("endless", ENDLESS, LAUNCH), ("eater", ENDLESS, eater)):
        folder = kernels / f"{place:05}-{name}"
        folder.mkdir()
        (folder / "kernel.ptx").write_text(text)
        (folder / "launch.json").write_text(json.dumps(launch))


def make(golden, scratch, count):
    """Makes scratch/kernels with `count` PTX files. Returns the number of different ones among them."""
    kernels = scratch / "kernels"
    kernels.mkdir()
    all_packages = packages(pathlib.Path(golden), scratch)
    step = max(1, len(all_packages) // count) if count < len(all_packages) else 1
    chosen, files, number, distinct = all_packages[::step], 0, 0, set()
    while files < count - BAD:
        folder = chosen[number % len(chosen)]
        ptx = len(list(folder.glob("*.ptx")))
        link(folder, kernels / f"{number:05}-{folder.name}")
        distinct.add(folder)
        files += ptx
        number += 1
    make_bad(kernels, number // 2)
    return len(distinct), files + BAD
