#!/usr/bin/env python3
"""`lanescope trace` on a trace of the emulator, on JAX's own trace and on two compared traces: the text, and the JSON,
whose shares add up. The command refuses files that are no traces, names them, and says how to make a trace.
Usage: trace.py LANESCOPE REPOSITORY"""
import json
import pathlib
import subprocess
import sys
import tempfile


def run(*command, status=0):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300)
    assert done.returncode == status, (command, done.returncode, done.stdout, done.stderr)
    return done.stderr if status else done.stdout


def near(a, b):
    return abs(a - b) <= 1e-6 * max(1, abs(b))


def check_explanation(program, file, inferred):
    words = run(program, "trace", file, "--explain")
    for part in ("waits, those that take longest first:", "critical path, ", "overlap, shares", "occupancy: "):
        assert part in words, (part, words)
    told = json.loads(run(program, "trace", file, "--explain", "--json"))
    assert told["emulated"] == (not inferred)
    assert told["waits"] and told["waits"][0]["total_ns"] >= told["waits"][-1]["total_ns"]
    for wait in told["waits"]:
        chain = wait["longest"]["chain"]
        assert near(sum(link["share"] for link in chain), 1) or len(chain) == 12, wait
        for link in chain:
            assert link["kind"] in ("run", "flight", "wake", "wait", "launch"), link
            assert inferred or not link["inferred"], link
    path = told["critical_path"]
    assert near(sum(share["ns"] for share in path["shares"]), path["ns"]), path
    assert near(sum(told["overlap"].values()), 1), told["overlap"]
    assert 0 <= told["occupancy"]["tail_idle_share"] <= 1
    return told


def main():
    program, repository = map(pathlib.Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        sample = (repository / "samples/kernels/pipeline.py").read_text()
        traces = []
        for name, text in (("before", sample), ("after", sample.replace('with region("add"):', 'with region("add"):\n      fence = exp(total) * 0.0 + exp(total) * 0.0\n      total = total + fence'))):
            snippet = folder / f"{name}.py"
            snippet.write_text(text)
            traces.append(folder / f"{name}.json")
            run(program, "run", snippet, "--device", "emulator", "--trace", traces[-1])
        told = check_explanation(program, traces[0], False)
        # The wait names the copy and its line, which is found in the sample.
        line = 1 + [n for n, text in enumerate(sample.splitlines()) if "copy_gmem_to_smem" in text][0]
        flights = [link for wait in told["waits"] for link in wait["longest"]["chain"] if link["kind"] == "flight"]
        assert any(link["name"] == "TMA load" and link["line"].endswith(f"before.py:{line}") for link in flights), flights

        words = run(program, "trace", traces[0], "--compare", traces[1])
        assert "`add` grew most" in words, words
        compared = json.loads(run(program, "trace", traces[0], "--compare", traces[1], "--json"))
        assert compared["regions"][0]["name"] == "add" and compared["regions"][0]["growth_ns"] > 0, compared["regions"]
        assert words == run(program, "trace", traces[0], traces[1]), "the second file is what --compare takes"
        assert compared["shared_regions"] > 1 and compared["regions"][0]["first_ns"][0] >= 0, compared
        unrelated = run(program, "trace", traces[0], repository / "samples/traces/mosaic_matmul.json.gz")
        assert "the traces share no region" in unrelated, unrelated
        assert "no region takes more or less time" in run(program, "trace", traces[0], "--compare", traces[0])
        said = run(program, "eval", "--read", str(traces[0].parent), f"explain_trace({json.dumps(str(traces[0]))})")
        assert said.strip() == run(program, "trace", traces[0], "--explain").strip(), said
        assert "`add` grew most" in run(program, "eval", "--read", str(traces[0].parent), f"compare_traces({json.dumps(str(traces[0]))}, {json.dumps(str(traces[1]))})")

        notes = pathlib.Path(str(traces[0]) + ".notes.json")
        notes.write_text('{"notes": [{"ts": 1000000.5, "text": "why so long?"}]}')
        assert "why so long?" in run(program, "trace", traces[0], "--explain")
        notes.write_text("{}")
        assert "no notes of a trace" in run(program, "trace", traces[0], "--explain", status=1)

        (folder / "t.pftrace").write_bytes(b"\x0a\x10\x00\x01\x02")
        assert "traceconv json" in run(program, "trace", folder / "t.pftrace", status=1)
        (folder / "t.hatchet").write_text('[{"frame": {"name": "ROOT"}, "metrics": {"time": 3}, "children": []}]')
        assert 'data="trace"' in run(program, "trace", folder / "t.hatchet", status=1)
        assert "--json" in run(program, "trace", traces[0], "--json", status=2)
    check_explanation(program, repository / "samples/traces/mosaic_matmul.json.gz", True)
    print("traces are explained and compared")


if __name__ == "__main__":
    main()
