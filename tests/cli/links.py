#!/usr/bin/env python3
"""Checks the links of every sample and every kernel of the library. Each instruction of the PTX leads to a line of the
snippet or is marked as the compiler's own. The same holds for the machine code if `ptxas` and `nvdisasm` are installed.
Each executed line of a kernel leads to PTX.

An executed line is in the body of a function, not in its decorators and parameters, and has operations in the first IR.
WITHOUT_PTX lists the executed lines that have no PTX, and why. The test fails if one of them has PTX.
Usage: links.py LANESCOPE REPOSITORY"""
import ast
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

START = "the value is read at the kernel's start, once for all"
MERGED = "arithmetic that is a part of the addresses of the lines that use it"
NEVER = "never so: the check's size has no more steps than stages"
ZERO = "zeros, which the compiler moves into the registers behind its own lines"
BEGINS = "the product takes the registers as they are"
CONSTANT = "a constant"
NEXT = "the next step's number is computed by the line that uses it, and kept"
ALONE = "always so: a block without a cluster is its first one"
FIRST = "on one device, or in its first step, it is known or for nobody"
UNROLLED = "the loop is written out"
WITHOUT_PTX = {
    ("ampere", "fetch(i + stages - 1)"): MERGED,
    ("ampere_matmul", "for i in range(stages - 1, unroll=stages - 1):"): UNROLLED,
    ("ampere_matmul", "fetch(i + stages - 1)"): MERGED,
    ("ampere_matmul_8bit", "for i in range(stages - 1, unroll=stages - 1):"): UNROLLED,
    ("ampere_matmul_8bit", "fetch(i + stages - 1)"): MERGED,
    ("ampere_attention", "mine, first = ds(row * block_q, block_q), row * block_q"): MERGED,
    ("ampere_attention", "for i in range(stages - 1, unroll=stages - 1):"): UNROLLED,
    ("ampere_attention", "if i < steps:"): CONSTANT,
    ("ampere_attention", "below = first // block_kv if causal else steps  # the steps before the diagonal"): MERGED,
    ("ampere_attention", "fetch(i + stages - 1)"): MERGED,
    ("ampere_attention",
     "largest, weight = layout_cast(full((block_q,), lowest, f32), by_row), layout_cast(full((block_q,), 0, f32), by_row)"): CONSTANT,
    ("pipeline", 'warpgroup = axis_index("warpgroup")'): START,
    ("warps", 'warp = axis_index("warp")'): START,
    ("all_gather_matmul", "before = (device + devices - 1) % devices"): FIRST,
    ("all_gather_matmul", "total[...] = 0"): ZERO,
    ("all_gather_matmul", "result = layout_cast(full((64, tile_n), 0, dtype), WGMMA)"): CONSTANT,
    ("all_gather_matmul", "done = done + 1"): NEXT,
    ("attention", "other = tile % (batch * heads)"): MERGED,
    ("attention", "shared, steps = head // (heads // kv_heads), steps_of(row)"): MERGED,
    ("attention", "mine = ds(row * block_rows + group * block_q, block_q)"): MERGED,
    ("attention", "return layout_cast(full((block_q,), value, f32), WGMMA_ROW)"): CONSTANT,
    ("attention", "total[...] = 0"): ZERO,
    ("attention", "done = done + 1"): NEXT,
    ("attention", "scores[...] = 0"): ZERO,
    ("geforce_matmul_scaled", "fetch(i + stages - 1)"): MERGED,
    ("grouped_matmul", "before, begin = before + count, end"): MERGED,
    ("matmul", "mine = ds(warpgroup * 64, 64)"): MERGED,
    ("matmul", "put(result, tile - blocks)"): MERGED,
    ("matmul", "result = layout_cast(full((64, tile_n), 0, out_dtype), WGMMA)"): CONSTANT,
    ("matmul", "total[...] = 0"): ZERO,
    ("matmul_reduce_scatter", "following = (device + 1) % devices"): FIRST,
    ("matmul_reduce_scatter", "top = (device + devices - 1 - part) % devices * rows + row"): FIRST,
    ("matmul_reduce_scatter", "total[...] = 0"): ZERO,
    ("matmul_reduce_scatter", "sum_so_far = layout_cast(full((64, chunk), 0, dtype), WGMMA)"): CONSTANT,
    ("matmul_reduce_scatter", "turn = tile - (devices - 2) * part_tiles - lag"): FIRST,
    ("matmul_reduce_scatter", "if turn >= 0 and turn < 2 * (part_tiles - lag):"): FIRST,
    ("matmul_reduce_scatter", "part, own = devices - 2 + turn % 2, turn // 2 + (1 - turn % 2) * lag"): MERGED,
    ("matmul_reduce_scatter", 'warp = axis_index("warp")'): START,
    ("matmul_reduce_scatter", "mine, done = ds(warpgroup * 64, 64), 0"): MERGED,
    ("matmul_reduce_scatter", "summand = result[:, piece * chunk:(piece + 1) * chunk]"): MERGED,
    ("matmul_reduce_scatter", "result = layout_cast(full((64, tile_n), 0, dtype), WGMMA)"): CONSTANT,
    ("split_k", "fetch(step + stages)"): MERGED,
    ("tune_stages", "fetch(step + stages - 1)"): MERGED,
    ("blackwell_attention", 'warp = axis_index("warp")'): START,
    ("blackwell_attention", "stage, part = step % stages, ds(step * block_kv, block_kv)"): MERGED,
    ("blackwell_attention", "if step >= stages:"): NEVER,
    ("blackwell_attention", "barrier_wait(k_read.at[stage])"): NEVER,
    ("blackwell_attention", "barrier_wait(v_read.at[stage])"): NEVER,
    ("matmul", "factor = scale[0] if scaled else None"): START,
    ("matmul", "put(result, (tiles - 1 - block) // blocks * blocks + block)"): MERGED,
    ("attention_backward", "steps = share * each"): MERGED,
    ("attention_backward", "stage = step % stages"): MERGED,
    ("attention_backward", "half = ds(warpgroup * 64, 64)"): MERGED,
    ("attention_backward", "key_of = broadcasted_iota(i32, (keys, queries), 0, layout=WGMMA) + first"): MERGED,
    ("attention_backward", "s_sum[...] = along(sum_tiles.at[stage])"): BEGINS,
    ("attention_backward", "dp_sum[...] = along(delta_tiles.at[stage])"): BEGINS,
    ("attention_backward", "dq_part[...] = 0"): ZERO,
    ("attention_backward", "dk_sum[...] = 0"): ZERO,
    ("attention_backward", "dv_sum[...] = 0"): ZERO,
    ("blackwell_attention", 'largest = layout_cast(full((block_q,), float("-inf"), f32), TCGEN05_ROW)'): CONSTANT,
    ("blackwell_attention", "weight = layout_cast(full((block_q,), 0.0, f32), TCGEN05_ROW)"): CONSTANT,
    ("blackwell_attention", "total = layout_cast(full((block_q, width), 0.0, f32), TCGEN05)"): CONSTANT,
    ("blackwell_experts", "expert, first, end = e, begin + inside * tile_m, starts[e + 1]"): MERGED,
    ("blackwell_experts", 'warp = axis_index("warp")'): START,
    ("blackwell_matmul", 'warp = axis_index("warp")'): START,
    ("blackwell_matmul", 'member, warpgroup, steps = axis_index("member"), axis_index("warpgroup"), K // tile_k'): START,
    ("blackwell_matmul", "if member == 0:"): ALONE,
    ("blackwell_matmul", "buffer = (turn * (tile_n // strip) + part) % 2"): MERGED,
    ("blackwell_matmul", "out.at[ds(row + member * tile_m, tile_m), ds(column + part * strip, strip)])"): MERGED,
    ("blackwell_matmul_f8", 'warp = axis_index("warp")'): START,
    ("blackwell_matmul_scaled", 'warp = axis_index("warp")'): START,
}
FAMILIES = {"blackwell_": "sm_100a", "geforce_": "sm_120a"}
ARCHITECTURES = {"gather": "sm_100a", "tensor_core": "sm_100a", "tensor_memory": "sm_100a"}
DIRECTIVE = re.compile(r"\s*(\.|//|\$|[{}()]\s*(//.*)?$|$)")


def body_lines(text):
    """The lines of all functions' bodies, without the heads of inner functions, and without statements that only
    compute a value for a name in an inner function's decorator."""
    bodies, heads = set(), set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            bodies.update(range(node.body[0].lineno, node.end_lineno + 1))
            heads.update(range(min([node.lineno, *(d.lineno for d in node.decorator_list)]), node.body[0].lineno))
            inside = [inner for inner in ast.walk(node) if isinstance(inner, ast.FunctionDef)]
            names = {part.id for inner in inside for decorator in inner.decorator_list for part in ast.walk(decorator)
                     if isinstance(part, ast.Name)}
            for statement in node.body:
                given = {part.id for target in getattr(statement, "targets", []) for part in ast.walk(target)
                         if isinstance(part, ast.Name)}
                if given & names:
                    heads.update(range(statement.lineno, statement.end_lineno + 1))
    return bodies - heads


def instructions(ptx):
    """(number, line) of the lines of PTX that are instructions, found in another way than the compiler's."""
    body = False
    for number, line in enumerate(ptx, 1):
        body = body or line == "{"
        if body and not DIRECTIVE.match(line):
            yield number, line
        if line == "}" and ptx[number:number + 1] != [] and ptx[number].startswith("\t.section"):
            return


def problems(lanescope, path, unused):
    text = path.read_text()
    name, lines = path.stem, text.splitlines()
    arch = ARCHITECTURES.get(name) or next((arch for prefix, arch in FAMILIES.items() if name.startswith(prefix)), "sm_90a")
    with tempfile.TemporaryDirectory() as folder:
        command = [lanescope, "compile", str(path), "--arch", arch, "--dump", folder, "--emit", "ptx"]
        compiled = subprocess.run([*command, "-o", f"{folder}/ptx"], capture_output=True, text=True, timeout=300)
        found = sorted(pathlib.Path(folder).glob("*.links.json"))
        several = "`--kernel` chooses one" in compiled.stderr  # several would be printed, but all are in the folder
        if (compiled.returncode and not several) or not found:
            yield f"exit status {compiled.returncode}\n{compiled.stderr}"
            return
        bodies = body_lines(text)
        for file in found:
            links = json.loads(file.read_text())
            stages = {stage["id"]: stage["lines"] for stage in links["stages"]}
            kernel = file.name.removesuffix(".links.json")
            for stage in stages:
                suffix = {"llvm": ".ll", "ptx": ".ptx"}.get(stage, f".{stage}.mlir")
                count = len((file.parent / (kernel + suffix)).read_text().splitlines())
                if len(stages[stage]) != count:
                    yield f"{kernel}: `{stage}` has {count} lines and {len(stages[stage])} origins"
            ptx = (file.parent / f"{kernel}.ptx").read_text().splitlines()
            code = list(instructions(ptx))
            if len(code) < 20:
                yield f"{kernel}: {len(code)} instructions"
            for number, line in code:
                if stages["ptx"][number - 1] is None:
                    yield f"{kernel}.ptx:{number}: from nowhere: {line}"
            if not any(stages["ptx"][number - 1] for number, _ in code):
                yield f"{kernel}: no instruction comes from the snippet"
            executed, ends = [{place[1] for places in stages[stage] for place in places or [] if place[0] == 0}
                              for stage in ("ir", "ptx")]
            for number in sorted(executed & bodies):
                key = (name, lines[number - 1].strip())
                if number not in ends and key not in WITHOUT_PTX:
                    yield f"{path.name}:{number}: leads to no PTX of {kernel}: {key[1]}"
                if number not in ends:
                    unused.discard(key)
        if shutil.which("nvdisasm") and shutil.which("ptxas"):
            for kernel in sorted({file.name.split("_", 1)[1].removesuffix(".links.json") for file in found}):
                yield from machine_code(lanescope, path, arch, kernel)


def machine_code(lanescope, path, arch, kernel):
    command = [lanescope, "compile", str(path), "--kernel", kernel, "--arch", arch, "--links", "--emit"]
    origins = {}
    for stage in ("ptx", "sass"):
        shown = subprocess.run([*command, stage], capture_output=True, text=True, timeout=300)
        if shown.returncode:
            yield f"--emit {stage}: exit status {shown.returncode}\n{shown.stderr}"
            return
        origins[stage] = [line.partition(" | ")[::2] for line in shown.stdout.splitlines()]
    for origin, line in origins["sass"]:
        if re.match(r"\s*/\*[0-9a-f]{4,}\*/", line) and not origin.strip():
            yield f"machine code from nowhere: {line}"
    ptx, sass = ({origin.strip() for origin, _ in origins[stage]} for stage in ("ptx", "sass"))
    if sass - ptx:
        yield f"machine code of lines that have no PTX: {sorted(sass - ptx)}"
    if len(sass) < 0.9 * len(ptx) - 1:  # ptxas also merges and unrolls; a kernel's first line has no code
        yield f"machine code lacks lines: {sorted(ptx - sass)}"


def main():
    lanescope, repository = sys.argv[1], pathlib.Path(sys.argv[2])
    kernels = sorted(repository.glob("samples/kernels/*.py")) + sorted(repository.glob("kernels/*.py"))
    unused, failed = set(WITHOUT_PTX), 0
    for path in kernels:
        found = list(problems(lanescope, path, unused))
        failed += bool(found)
        for problem in found:
            print(f"FAILED {path.relative_to(repository)}: {problem}")
    for name, line in sorted(unused):
        print(f"FAILED {name}: `{line}` is said to have no PTX, and has some, or is not there")
    print(f"links: {len(kernels) - failed} passed, {failed} failed")
    return 1 if failed or unused or not kernels else 0


sys.exit(main())
