#!/usr/bin/env python3
"""Follows a compiler's note about bank conflicts. The modelled time has to fall, and no warp may wait for a bank any
more.
Usage: conflict_notes.py LANESCOPE REPOSITORY"""
import pathlib
import re
import subprocess
import sys
import tempfile

# The kernel writes and reads a tile of shared memory eight times in a register layout. TRANSFORMS are the tile's
# transforms.
SNIPPET = """
@kernel(grid=(1,), scratch=[SMEM({shape}, {dtype}, transforms=({transforms}))])
def rewrite(x: GMEM({shape}, {dtype}), out: Out({shape}, {dtype}), tile):
  value = load(x, layout={layout})
  for _ in range(8):
    tile[...] = value
    commit_smem()
    value = load(tile, layout={layout}) * 0.5
  out[...] = value
print(run(rewrite, random({shape}, {dtype}, seed=0), device="emulator"))
"""
CASES = [dict(shape="(64, 128)", dtype="f32", layout="WGMMA"), dict(shape="(64, 128)", dtype="f16", layout="WGMMA"),
         dict(shape="(128, 64)", dtype="f32", layout="WGMMA"), dict(shape="(64, 256)", dtype="bf16", layout="WGMMA")]
MEND = re.compile(r"with `(TilingTransform\([^`]*)` and `(SwizzleTransform\([^`]*)` the reference has none")
FIGURES = re.compile(r"in (\d+) modelled cycles.*warps lost (\d+) to bank conflicts")


def run(lanescope, case, transforms):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "rewrite.py"
        file.write_text(SNIPPET.format(transforms=transforms, **case))
        done = subprocess.run([lanescope, "run", str(file), "--device", "emulator"], capture_output=True, text=True, timeout=120)
    figures = FIGURES.search(done.stdout)
    if done.returncode or not figures:
        raise SystemExit(f"{case}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return int(figures[1]), int(figures[2]), MEND.findall(done.stderr)


def main():
    failed = 0
    for case in CASES:
        before, lost, mends = run(sys.argv[1], case, "")
        if not mends or lost == 0:
            failed += 1
            print(f"FAILED {case}: no note tells how to mend {lost} wavefronts")
            continue
        after, still, _ = run(sys.argv[1], case, ", ".join(mends[0]))
        if not (after < before and still == 0):
            failed += 1
            print(f"FAILED {case}: {before} cycles, of which {lost} lost; as the note says, {after} and {still}")
    print(f"conflict notes: {len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
