#!/usr/bin/env python3
"""Queries every entry of the golden data on the command line: `eval 'element_map(…)' --json` must give the GPU's
result.
Usage: golden.py LANESCOPE layouts.json.gz"""
import gzip
import json
import subprocess
import sys


def evaluate(lanescope, expression, *flags):
    result = subprocess.run([lanescope, "eval", expression, *flags], capture_output=True, text=True, timeout=60)
    if result.returncode != 0:
        return f"exit status {result.returncode}: {result.stderr}"
    return json.loads(result.stdout) if flags else result.stdout.strip()


def layout_cases(entries):
    for entry in entries:
        expected = {"layout": entry["repr"], "shape": entry["shape"], "threads": 128, "registers": entry["regs"],
                    "vector": entry["vec"], "replication": entry.get("replication", 1), "map": entry["map"]}
        yield f"element_map({entry['repr']}, {tuple(entry['shape'])})", expected


def smem_cases(entries):
    for entry in entries:
        dtype = {1: "i8", 2: "f16", 4: "f32"}[entry["bytes"]]
        yield (f"smem_map({tuple(entry['shape'])}, {dtype}, tiling={tuple(entry['tiling'])}, swizzle={entry['swizzle']}, "
               f"transpose={entry['transpose']})"), entry


def main():
    lanescope, golden = sys.argv[1:]
    data = json.load(gzip.open(golden))
    passed, failed = 0, 0
    for expression, expected in [*layout_cases(data["layouts"]), *smem_cases(data["smem"])]:
        found = evaluate(lanescope, expression, "--json")
        if found == expected:
            passed += 1
        else:
            failed += 1
            keys = [k for k in expected if not isinstance(found, dict) or found.get(k) != expected[k]]
            print(f"FAILED {expression}: {found if isinstance(found, str) else keys}")
    for name, entry in data["tmem"].items():
        expression = name if "(" in name else f"{name}()"
        found = {evaluate(lanescope, expression), evaluate(lanescope, entry["repr"])}
        if found == {entry["repr"]}:
            passed += 1
        else:
            failed += 1
            print(f"FAILED {expression}: {found}, expected {entry['repr']}")
    print(f"golden: {passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
