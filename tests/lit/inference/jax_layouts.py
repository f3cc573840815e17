# Compares layout inference with JAX's: in the modules that JAX compiled for sm_100a, operations on tensor memory have
# the layouts of JAX's inference.
# REQUIRES: corpus
# RUN: %python %s lanescope-opt %corpus
import pathlib
import re
import subprocess
import sys
import tarfile

ARCHIVE = "pallas_own.tar.xz"
OPERATIONS = ("tmem_alloc", "slice_tmem", "tmem_layout_cast", "tmem_dealloc", "async_load_tmem", "async_store_tmem",
              "async_store_smem_to_tmem", "async_store_scales_smem_to_tmem", "async_store_sparse_metadata_smem_to_tmem",
              "tcgen05_mma")
OPERATION = re.compile(r"mosaic_gpu\.(\w+)")
ATTRIBUTES = ("in_tmem_layouts", "out_tmem_layouts", "in_layouts", "out_layouts")


def attribute(line, name):
    """The list after `name = ` with balanced brackets; None if the line has none."""
    start = line.find(name + " = [")
    if start < 0:
        return None
    start += len(name) + 3
    depth = 0
    for end in range(start, len(line)):
        depth += {"[": 1, "]": -1}.get(line[end], 0)
        if depth == 0:
            return line[start:end + 1]
    return None


def layouts(module):
    found = []
    for line in module.splitlines():
        name = OPERATION.search(line)
        if name and name[1] in OPERATIONS:
            found.append((name[1], *(attribute(line, each) for each in ATTRIBUTES)))
    return found


def main(opt, corpus):
    archive = pathlib.Path(corpus) / ARCHIVE
    modules = {}
    with tarfile.open(archive) as files:
        for member in files:
            folder, _, name = member.name.partition("/")
            if folder.startswith("sm100_") and folder.endswith("_wg") and name in ("before.mlir", "after.mlir"):
                modules.setdefault(folder, {})[name] = files.extractfile(member).read().decode()
    wrong = 0
    for folder, texts in sorted(modules.items()):
        run = subprocess.run([opt, "--mosaic-gpu-layout-inference"], input=texts["before.mlir"], capture_output=True,
                             text=True)
        ours, theirs = layouts(run.stdout), layouts(texts["after.mlir"])
        if run.returncode or ours != theirs:
            wrong += 1
            print(f"{folder}: {run.stderr[:400]}")
            for one, other in zip(ours, theirs):
                if one != other:
                    print(f"  ours: {one}\n  JAX's: {other}")
                    break
    print(f"{len(modules) - wrong} of {len(modules)} modules have JAX's layouts")
    return 1 if wrong or not modules else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
