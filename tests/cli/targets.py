#!/usr/bin/env python3
"""Runs the samples and library kernels for every target on the emulator, and compares with the tables of docs/targets.md.

    targets.py LANESCOPE REPOSITORY [--update] [--all] [--ptxas PTXAS]

A kernel runs if it ends with status 0, so its own comparison holds and the checker finds nothing. Otherwise its error
must name a feature that the target lacks. Without `--all` or `--update`, a few files are run for a few targets. `--ptxas`
also assembles the PTX of each kernel that runs, and asks for each instruction of the table of features which targets
take it."""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

TARGETS = ["sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100f", "sm_100a", "sm_103", "sm_103a", "sm_110", "sm_110f", "sm_110a",
           "sm_120", "sm_120f", "sm_120a", "sm_121", "sm_121a"]  # fmt: skip
FEW = ["samples/kernels/ampere.py", "samples/kernels/double.py", "kernels/ampere_matmul.py", "kernels/matmul.py"]
FEW_TARGETS = ["sm_80", "sm_89", "sm_90", "sm_90a", "sm_100f", "sm_110a", "sm_120"]
# An instruction for each row of the table of features.
FEATURES = {
    "copies by `cp.async`": "cp.async.cg.shared.global [tile], [l0], 16;",
    "`mma` of 8-bit integers": "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {r0, r1, r2, r3}, {r0, r1, r2, r3}, {r0, r1}, {r0, r1, r2, r3};",
    "`mma` and conversions of 8-bit floats": "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {f0, f1, f2, f3}, {r0, r1, r2, r3}, {r0, r1}, {f0, f1, f2, f3};",
    "TMA, clusters, `stmatrix`": "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [l0, {r0, r1}], [tile];",
    "TMA multicast": "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [l0, {r0, r1}], [tile], h0;",
    "`set_max_registers`": "setmaxnreg.dec.sync.aligned.u32 40;",
    "`wgmma`": "wgmma.fence.sync.aligned;",
    "TMA's gather": "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [tile], [l0, {r0, r1, r2, r3, r0}], [tile];",
    "TMA's scatter": "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [l0, {r0, r1, r2, r3, r0}], [tile];",
    "copies that one barrier counts for two blocks": "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group::2 [tile], [l0, {r0, r1}], [tile];",
    "cluster launch control": "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [tile], [tile];",
    "cluster launch control of clusters": "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [tile], [tile];",
    "conversions of f6e2m3fn, f6e3m2fn, f4e2m1fn, f8e8m0fnu": "cvt.rn.bf16x2.ue8m0x2 r0, h0;",
    "`tcgen05_mma`, tensor memory": "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [r0], l0, l0, r1, [r0], [r0], p0;",
    "`tcgen05_mma` of 8-bit integers": "tcgen05.mma.cta_group::1.kind::i8 [r0], l0, l0, r1, p0;",
    "loads from tensor memory that reduce": "tcgen05.ld.red.sync.aligned.32x32b.x2.f32.min {r0, r1}, r2, [r3];",
    "`tcgen05_shift`": "tcgen05.shift.cta_group::1.down [r0];",
    "`mma` with block scales": "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0 {f0, f1, f2, f3}, {r0, r1, r2, r3}, {r0, r1}, {f0, f1, f2, f3}, r0, {h0, h1}, r1, {h0, h1};",
}  # fmt: skip
SEVERAL_GPUS = ["kernels/all_gather_matmul.py", "kernels/matmul_reduce_scatter.py"]
# A pattern of an error, and the cell that stands for it.
REASONS = [(r"`wgmma` is an instruction of sm_90a only|`wgmma` needs", "wgmma"), (r"has no tensor memory|needs tensor memory|tensor memory, which", "tcgen05"),
           (r"cluster launch control", "cluster launch control"), (r"cluster needs sm_90", "clusters"), (r"change of the number of registers", "setmaxnreg"),
           (r"`mma` with block scales needs", "block scales"),
           (r"bytes of shared memory|shared memory .* at most", "shared memory"), (r"sm_89 or newer", "8-bit floats"), 
           (r"copied from shared memory by TMA", "TMA's scatter"), (r"chosen by an array|rows that an array", "TMA's gather"), (r"needs TMA|has no TMA", "TMA"), (r"dependent launch", "dependent launches"), (r"only copies by TMA", "TMA"), (r"needs sm_100a", "sm_100a")]  # fmt: skip


def attempt(lanescope, repository, file, target, ptxas):
    """The cell of the table, and what is wrong ("" if nothing is)."""
    with tempfile.TemporaryDirectory() as folder:
        command = [lanescope, "run", file, "--arch", target, "--device", "emulator", "--time-limit", "300"]
        if ptxas:
            command += ["--dump", folder]
        result = subprocess.run(command, capture_output=True, text=True, timeout=900, cwd=repository)
        if result.returncode == 0:
            for ptx in pathlib.Path(folder).rglob("*.ptx") if ptxas else []:
                done = subprocess.run([ptxas, f"-arch={target}", ptx, "-o", "/dev/null"], capture_output=True, text=True)
                if done.returncode:
                    return "no", f"ptxas refuses it: {done.stderr[:300]}"
            return "yes", ""
        reasons = [cell for pattern, cell in REASONS if re.search(pattern, result.stderr)]
        placed = re.search(r"^[^\n]*\.py:\d+:\d+: error: ", result.stderr, re.M)
        return (reasons[0], "") if reasons and placed else ("no", f"the error names nothing that is missing: {result.stderr[:400]}")


def features(ptxas):
    """The rows of the table of features, by what ptxas takes."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, instruction in FEATURES.items():
            cells = []
            for target in TARGETS:
                ptx = pathlib.Path(folder, "one.ptx")
                ptx.write_text(f".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k()\n{{\n.reg .b16 h<2>; .reg .b32 r<4>; .reg .f32 f<4>; "
                               f".reg .b64 l<2>; .reg .pred p<1>; .shared .align 128 .b8 tile[1024];\n{instruction}\nret;\n}}\n")  # fmt: skip
                done = subprocess.run([ptxas, f"-arch={target}", ptx, "-o", "/dev/null"], capture_output=True)
                cells.append("yes" if done.returncode == 0 else "")
            rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lanescope", type=pathlib.Path)
    parser.add_argument("repository", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--ptxas")
    options = parser.parse_args()
    repository, page = options.repository.resolve(), options.repository / "docs/targets.md"
    files, targets = FEW, FEW_TARGETS
    if options.all or options.update:
        files = sorted(str(path.relative_to(repository)) for folder in ("samples/kernels", "kernels") for path in (repository / folder).glob("*.py"))
        files, targets = [file for file in files if file not in SEVERAL_GPUS], TARGETS
    jobs = [(file, target) for file in files for target in targets]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = dict(zip(jobs, pool.map(lambda job: attempt(options.lanescope.resolve(), repository, *job, options.ptxas), jobs)))
    failed = [(job, problem) for job, (_, problem) in found.items() if problem]
    for (file, target), problem in failed:
        print(f"FAILED {file} for {target}: {problem}")
    head = " | ".join(f"`{target}`" for target in TARGETS) + " |\n" + "|---" * (1 + len(TARGETS)) + "|\n"
    tables = {"features": features(options.ptxas)} if options.ptxas else {}
    if targets == TARGETS:
        tables["matrix"] = [f"| `{file}` | " + " | ".join(found[file, target][0] for target in TARGETS) + " |" for file in files]
    text = page.read_text()
    for name, rows in tables.items():
        made = f"<!-- {name} -->\n| {'kernel' if name == 'matrix' else ''} | {head}" + "\n".join(rows) + "\n<!-- end -->"
        text = re.sub(rf"<!-- {name} -->.*?<!-- end -->", lambda _: made, text, flags=re.S)
    if options.update and not failed:
        page.write_text(text)
    elif not failed and text != page.read_text():
        failed.append("docs/targets.md has other tables; run with --update")
        print("FAILED", failed[-1])
    for file in files if targets != TARGETS else []:
        row = re.search(rf"^\| `{re.escape(file)}` \|(.*)\|$", text, re.M)
        cells = dict(zip(TARGETS, row[1].split("|"))) if row else {}
        for target in targets:
            if cells.get(target, "").strip() != found[file, target][0]:
                failed.append((file, target))
                print(f"FAILED {file} for {target}: docs/targets.md says otherwise; run with --update. Now: {found[file, target][0]}")
    print(f"targets: {len(jobs) - len(failed)} of {len(jobs)} as documented")
    return 1 if failed else 0


sys.exit(main())
