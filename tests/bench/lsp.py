#!/usr/bin/env python3
"""Measures the times of a language server's answers, over all samples and the library of kernels. Like an editor, it
sends each request after the last answer. Usage: lsp.py LANESCOPE OUT.json"""
import collections
import json
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from language_client import Client  # noqa: E402

ROUNDS = 10  # places per file


def main():
    lanescope, out = sys.argv[1:]
    root = pathlib.Path(__file__).parents[2]
    files = sorted([*(root / "samples/kernels").glob("*.py"), *(root / "samples/pallas").glob("*.py"), *(root / "kernels").glob("*.py")])
    client = Client(lanescope, ["--check-seconds", "0"])
    client.initialize()
    first = []
    for path in files:
        uri, text = path.as_uri(), path.read_text()
        lines = text.split("\n")
        begin = time.perf_counter()
        client.open(uri, text)
        client.compiled(uri)
        first.append(time.perf_counter() - begin)
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
        for n in range(ROUNDS):
            line = len(lines) * n // ROUNDS
            character = len(lines[line]) * 2 // 3
            place = {"line": line, "character": character}
            client.change(uri, n + 2, [{"range": {"start": place, "end": place}, "text": "a" if n % 2 == 0 else ""}])
            for method in ("completion", "hover", "signatureHelp", "definition", "references"):
                client.at(method, uri, line, character)
            client.of("inlayHint", uri, range=whole)
            client.of("codeLens", uri)
            client.of("documentSymbol", uri)
            client.of("semanticTokens/full", uri)
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    client.close()
    times = collections.defaultdict(list)
    for method, seconds in client.latencies:
        if method.startswith("textDocument/"):
            times[method.split("/")[1]].append(seconds * 1e3)
    every = sorted(t for group in times.values() for t in group)
    figures = {f"{method}, median (ms)": round(statistics.median(group), 2) for method, group in times.items()}
    figures["all answers, median (ms)"] = round(statistics.median(every), 2)
    figures["all answers, 99th percentile (ms)"] = round(every[len(every) * 99 // 100], 2)
    figures["a file opened to its diagnostics and layouts, median (ms)"] = round(statistics.median(first) * 1e3, 1)
    pathlib.Path(out).write_text(json.dumps({"files": len(files), "answers": len(every), **figures}, indent=1) + "\n")
    for name, value in figures.items():
        print(f"{name}: {value}")


main()
