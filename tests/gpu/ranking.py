#!/usr/bin/env python3
"""Tests if the emulator's cost model ranks variants of a kernel as a GPU does.

  tests/gpu/ranking.py make DIR [--lanescope build/release/bin/lanescope] [--only FAMILY]
      here: writes each variant as a package, and its time by the model to DIR/model.json; takes some minutes
  tests/gpu/ranking.py time DIR -o TIMES.json [--worker ./lanescope-worker] [--device emulator]
      on a machine with a Hopper GPU: writes medians of the kernels alone
  tests/gpu/ranking.py compare DIR TIMES.json
      here: by family, the pairs of variants whose times on the GPU differ by more than 10 %, and in how many of them the
      model calls the same one faster

A family is one computation on the same inputs. Its variants differ in tiles, stages, clusters, swizzles, layouts or the
shape of the grid. Exit status of `compare`: 0 if at least 80 % of the pairs agree, otherwise 1. """
import argparse
import itertools
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WANTED, APART = 0.80, 1.10

ADD = """
rows, columns = 8448, 1024
steps = columns // width
swizzle = min(swizzle, width * 2)
@kernel(grid=(rows // 64,), grid_names=("block",),
        scratch=[SMEM((stages, 64, width), f16, transforms=(TilingTransform((8, swizzle // 2)), SwizzleTransform(swizzle))),
                 Barrier(num_barriers=stages)])
def add_blocks(x: GMEM((rows, columns), f16), out: Out((rows, width), f32), buffers, loaded):
  row = axis_index("block") * 64
  def fetch(step):
    copy_gmem_to_smem(x.at[ds(row, 64), ds(step * width, width)], buffers.at[step % stages], loaded.at[step % stages])
  for step in static_range(min(stages, steps) - (stages > 1)):
    fetch(step)
  total = full((64, width), 0, f32)
  for step in range(steps):
    if stages > 1:
      if step + stages - 1 < steps:
        fetch(step + stages - 1)
    barrier_wait(loaded.at[step % stages])
    total = total + load(buffers.at[step % stages], layout=lay).astype(f32)
    if stages == 1:
      if step + 1 < steps:
        fetch(step + 1)
  out[ds(row, 64), :] = total
print(run(add_blocks, zeros((rows, columns), f16)).time_us)
"""

DOUBLE = """
tile, transforms = 128, () if swizzle is None else (TilingTransform((8, swizzle // 4)), SwizzleTransform(swizzle))
@kernel(grid=(16, 16), grid_names=("row", "column"), scratch=[SMEM((tile, tile), f32, transforms=transforms), Barrier()])
def double(x: GMEM((2048, 2048), f32), out: Out((2048, 2048), f32), buffer, loaded):
  place = ds(axis_index("row") * tile, tile), ds(axis_index("column") * tile, tile)
  copy_gmem_to_smem(x.at[place], buffer, loaded)
  barrier_wait(loaded)
  for again in range(8):
    buffer[...] = load(buffer, layout=WGMMA) * 2
    commit_smem()
  copy_smem_to_gmem(buffer, out.at[place])
  wait_smem_to_gmem(0)
print(run(double, zeros((2048, 2048), f32)).time_us)
"""

SCALE = """
by_row = TiledLayout(tiling=Tiling(tiles=((1, 128 * lane), (32 * lane,), (lane,))), warp_dims=(-3,), lane_dims=(-2,), vector_dim=-1)
@kernel(grid=(4096 // rows,), grid_names=("block",))
def scale(x: GMEM((4096, 2048), f32), out: Out((4096, 2048), f32)):
  for row in range(rows):
    place = ds(axis_index("block") * rows + row, 1)
    out[place] = load(x.at[place], layout=by_row) * 2
print(run(scale, zeros((4096, 2048), f32)).time_us)
"""


def library(name, call, **globals_):
    """A library file with other values of its globals, and with one call instead of its check."""
    text = (ROOT / "kernels" / f"{name}.py").read_text()
    text = text[:text.index("# The check")]
    for key, value in globals_.items():
        text, count = re.subn(rf"(?m)^{key} = .*$", f"{key} = {value!r}", text)
        assert count == 1, f"{name}.py has no line `{key} = …`"
    return f"{text}\n{call}\n"


def own(text, **values):
    return "".join(f"{key} = {value}\n" for key, value in values.items()) + text


def replaced(text, old, new):
    assert old in text, old
    return text.replace(old, new)


def matmul(stages=4, tile_n=256, blocks=132, **options):
    text = library("matmul", f"x = zeros((1024, 1024), f16)\nprint(run(make_matmul(f16, **{options!r}), x, x).time_us)",
                   stages=stages, processors=blocks)
    return replaced(text, "tile_m, tile_n = 128, 256", f"tile_m, tile_n = 128, {tile_n}")


def split_k(parts):
    sums = ", zeros((256, 512), f32)" if parts > 1 else ""
    return library("matmul", f"x, y = zeros((256, 8192), f16), zeros((8192, 512), f16)\n"
                   f"print(run(make_matmul(f16, out_dtype=f32, parts={parts}), x, y{sums}).time_us)")


def attention(**options):
    return library("attention", "x = zeros((1, 1024, 8, 128), f16)\n"
                   f"print(run(make_attention(1, 1024, 8, 128, **{options!r}), x, x, x).time_us)")


def norm(kind, warpgroups):
    vectors = ", zeros((4096,), f32)" * (2 if kind == "layer_norm" else 1)
    return library(kind, f"print(run(make_{kind}(f32, {warpgroups}), zeros((2048, 4096), f32){vectors}).time_us)")


def softmax(width):
    text = library("softmax", "print(run(make_softmax(), zeros((4096, 2048), f32)).time_us)")
    return replaced(text, "lane = 16 //", f"lane = {width} //")


def transpose(tile=128, swizzle=128, cast=True):
    text = library("transpose", "print(run(transpose_matrix, zeros((2048, 2048), f16)).time_us)", tile=tile,
                   swizzled=None)
    text = text.replace("swizzled = None", "swizzled = ()" if swizzle is None else
                        f"swizzled = (TilingTransform((8, {swizzle // 2})), SwizzleTransform({swizzle}))")
    if not cast:
        text = replaced(text, "layout_cast(load(tile_in, layout=WGMMA), WGMMA_TRANSPOSED)", "load(tile_in, layout=WGMMA)")
    return text


def families():
    """{family: {variant: snippet}}. Each snippet prints the model's microseconds."""
    wgmma, upcast = "WGMMA", "WGMMA_UPCAST_2X"
    return {
        "matmul": {
            "4 stages": matmul(), "3 stages": matmul(3), "2 stages": matmul(2), "pairs": matmul(pair=2),
            "128 columns": matmul(tile_n=128), "128 columns, 2 stages": matmul(2, 128), "16 blocks": matmul(blocks=16),
            "128 columns, 32 blocks": matmul(tile_n=128, blocks=32)},
        "split K": {f"{parts} parts": split_k(parts) for parts in (1, 2, 4, 8, 16)},
        "attention": {
            f"{groups} x 64 rows, {kv} keys, {stages} stages": attention(groups=groups, block_kv=kv, stages=stages)
            for groups, kv, stages in ((1, 128, 2), (2, 128, 2), (2, 64, 2), (2, 64, 4), (1, 64, 2), (3, 64, 2))},
        "rms_norm": {f"{n} warpgroups": norm("rms_norm", n) for n in (1, 2, 4, 8)},
        "layer_norm": {f"{n} warpgroups": norm("layer_norm", n) for n in (1, 2, 4, 8)},
        "softmax": {f"{width} bytes": softmax(width) for width in (4, 8, 16)},
        "transpose": {
            "128 x 128": transpose(), "64 x 64": transpose(64), "swizzle 64": transpose(swizzle=64),
            "swizzle 32": transpose(swizzle=32), "no swizzle": transpose(swizzle=None), "no cast": transpose(cast=False),
            "64 x 64, no swizzle": transpose(64, None)},
        "add": {
            f"{stages} stages, {width} columns, swizzle {swizzle}, {lay}":
                own(ADD, stages=stages, width=width, swizzle=swizzle, lay=lay)
            for stages, width, swizzle, lay in ((1, 64, 128, wgmma), (2, 64, 128, wgmma), (3, 64, 128, wgmma),
                                                (4, 64, 128, wgmma), (6, 64, 128, wgmma), (4, 64, 32, wgmma),
                                                (4, 64, 128, upcast), (2, 64, 32, upcast), (1, 64, 32, wgmma))},
        "double": {f"swizzle {swizzle}": own(DOUBLE, swizzle=swizzle) for swizzle in (None, 32, 64, 128)},
        "scale": {f"{4 * lane} bytes, {rows} rows": own(SCALE, lane=lane, rows=rows)
                  for lane, rows in ((1, 1), (2, 1), (4, 1), (4, 4), (4, 16), (4, 64), (1, 64))},
    }


def named(folder, family, variant):
    return folder / f"{family}.{variant}.lspkg".replace(" ", "_").replace(",", "")


def make(folder, lanescope, only):
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "model.json"
    model = json.loads(file.read_text()) if file.exists() else {}
    for family, variants in families().items():
        if only and family != only:
            continue
        model[family] = {}
        for variant, snippet in variants.items():
            target = named(folder, family, variant)
            source = folder / "variant.py"
            source.write_text(snippet)
            done = subprocess.run([lanescope, "run", source], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{family}, {variant}: {done.stderr}")
            model[family][variant] = float(done.stdout.split()[-1])
            out = folder / "packages"
            subprocess.run([lanescope, "compile", source, "--emit", "package", "--no-expected", "-o", out], check=True,
                           capture_output=True)
            (package,) = out.glob("*.lspkg")
            subprocess.run(["rm", "-rf", target], check=True)
            package.rename(target)
            out.rmdir()
            source.unlink()
            print(f"{family:11} {variant:44} {model[family][variant]:9.1f} us", flush=True)
        file.write_text(json.dumps(model, indent=1))


def time(folder, output, worker, device):
    times = {}
    for family, variants in json.loads((folder / "model.json").read_text()).items():
        times[family] = {}
        for variant in variants:
            done = subprocess.run([worker, "run", named(folder, family, variant), "-o", folder / "results", "--repeat",
                                   "30" if device == "gpu" else "1", "--device", device], capture_output=True, text=True)
            found = re.search(r"([\d.]+) us", done.stdout)
            if not found:
                print(f"{family}, {variant}: {done.stdout}{done.stderr}", file=sys.stderr)
                continue
            times[family][variant] = float(found[1])
    output.write_text(json.dumps(times, indent=1))


def compare(folder, file):
    model, times = json.loads((folder / "model.json").read_text()), json.loads(file.read_text())
    all_pairs = all_same = 0
    print("| family | variants | pairs apart | same order |\n|---|---|---|---|")
    wrong = []
    for family, measured in times.items():
        pairs = same = 0
        for a, b in itertools.combinations(measured, 2):
            fast, slow = sorted((a, b), key=measured.get)
            if measured[slow] <= APART * measured[fast]:
                continue
            pairs += 1
            if model[family][fast] < model[family][slow]:
                same += 1
            else:
                wrong.append((family, fast, slow, measured[slow] / measured[fast], model[family][slow] / model[family][fast]))
        all_pairs, all_same = all_pairs + pairs, all_same + same
        print(f"| {family} | {len(measured)} | {pairs} | {same} |")
    share = all_same / max(all_pairs, 1)
    print(f"| all | {sum(map(len, times.values()))} | {all_pairs} | {all_same}: {share:.1%} |\n")
    for family, fast, slow, real, modelled in sorted(wrong, key=lambda row: -row[3]):
        print(f"{family}: {fast} before {slow}: {real:.2f} x on the GPU, {modelled:.2f} x in the model")
    return share >= WANTED


def main():
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make")
    making.add_argument("folder", type=pathlib.Path)
    making.add_argument("--lanescope", default=ROOT / "build/release/bin/lanescope")
    making.add_argument("--only")
    timing = commands.add_parser("time")
    timing.add_argument("folder", type=pathlib.Path)
    timing.add_argument("-o", "--output", type=pathlib.Path, required=True)
    timing.add_argument("--worker", default="lanescope-worker")
    timing.add_argument("--device", choices=("gpu", "emulator"), default="gpu")
    comparing = commands.add_parser("compare")
    comparing.add_argument("folder", type=pathlib.Path)
    comparing.add_argument("times", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.command == "make":
        make(arguments.folder, arguments.lanescope, arguments.only)
    elif arguments.command == "time":
        time(arguments.folder, arguments.output, arguments.worker, arguments.device)
    elif not compare(arguments.folder, arguments.times):
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
