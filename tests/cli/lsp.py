#!/usr/bin/env python3
"""Drives the language server as an editor does: snippets with errors, requests at places, changes while analyses run,
commands, and invalid messages. Usage: lsp.py LANESCOPE REPOSITORY"""
import json
import pathlib
import sys
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from language_client import Client  # noqa: E402

HEADER = '''@kernel(grid=(1,), num_threads=1, scratch=[SMEM((64, 64), f16), Barrier()])
def k(x: GMEM((64, 64), f16), out: Out((64, 64), f32), tile, loaded):
'''
CALL = "y = run(k, random((64, 64), f16, seed=0))\n"


def kernel(*body):
    return HEADER + "".join(f"  {line}\n" for line in body) + CALL


GOOD = kernel("copy_gmem_to_smem(x, tile, loaded)", "barrier_wait(loaded)", "a = load(tile, layout=WGMMA)",
              "b = a.astype(f32)", "out[:, :] = b")

# A text and its diagnostics: (line from 1, code, words of the message), in any order. There may be no others.
SNIPPETS = {
    "good": (GOOD, []),
    "unclosed": ("x = (1 +\ny = 2\nz = y + undefined_name\n", [(1, "unclosed-bracket", "never closed"), (3, "unknown-name", "undefined_name")]),
    "attribute": ("a = zeros((2, 2))\nb = a.\nc = a + 1\nd = c + nothing\n", [(2, "syntax", "attribute"), (4, "unknown-name", "nothing")]),
    "string": ("a = 'abc\nb = 1 + ''\nc = nothing\n", [(1, "unterminated-string", ""), (2, "type", ""), (3, "unknown-name", "nothing")]),
    "operator": ("a = 1 +\nb = 2\n", [(1, "syntax", "")]),
    "two_errors": ("a = one\nb = two\nc = a + b\n", [(1, "unknown-name", "one"), (2, "unknown-name", "two")]),
    "follows": ("a = one\nb = a + 1\nprint(b)\n", [(1, "unknown-name", "one")]),
    "division": ("a = 1\nb = a / 0\n", [(2, "division-by-zero", "")]),
    "shapes": ("a = zeros((2, 3)) + zeros((4, 5))\n", [(1, "shape-mismatch", "")]),
    "program": ("import torch\nx = torch.zeros(3)\ntry:\n  y = nothing\nfinally:\n  pass\n", []),
    "layout": ("L = layout('TiledLayout(tiling=Tiling(((64, 8)')\n", None),
    "argument": ("a = zeros(shape=(2, 2), colour=3)\n", [(1, None, "colour")]),
    "function": ("def f(a):\n  return a + b\nprint(f(1))\n", [(2, "unknown-name", "b")]),
    "kernel_name": (kernel("a = load(tyle)"), [(3, "unknown-name", "tyle")]),
    "kernel_shape": (kernel("out[:, :] = full((64, 32), 0, f32)"), [(3, None, "(64, 32)")]),
    "kernel_typing": (kernel("copy_gmem_to_smem(x, tile, loaded)", "barrier_wait(", "a = load(tile, layout=WGMMA)",
                             "out[:, :] = a.astype(f32)"), [(4, "unclosed-bracket", "")]),
    "missing_wait": (kernel("copy_gmem_to_smem(x, tile, loaded)", "a = load(tile, layout=WGMMA)", "out[:, :] = a.astype(f32)"),
                     [(4, None, "")]),
    "uninitialised": (kernel("a = load(tile, layout=WGMMA)", "out[:, :] = a.astype(f32)"), [(3, None, "")]),
    "deadlock": (kernel("barrier_wait(loaded)", "out[:, :] = full((64, 64), 0, f32)"), [(3, None, "")]),
    "assertion": (GOOD + "assert y.outputs[0][0, 0] == 77\n", [(9, "assertion", "")]),
    "not_called": (GOOD.replace(CALL, ""), []),
    "not_called_wrong": (GOOD.replace(CALL, "").replace("tile, layout", "tile, lay"), [(5, None, "lay")]),
    "emoji": ("s = '😀😀' + nothing\n", [(1, "unknown-name", "nothing")]),
    "empty": ("", []),
}


def uri_of(name):
    return f"file:///snippets/{name}.py"


def check(condition, *words):
    if not condition:
        raise AssertionError(" ".join(map(str, words)))


def words(diagnostics):
    return [(d["range"]["start"]["line"] + 1, d["code"], d["message"]) for d in diagnostics]


def test_snippets(client):
    for name, (text, expected) in SNIPPETS.items():
        client.open(uri_of(name), text)
        found = words(d for d in client.settled(uri_of(name)) if d["severity"] == 1)
        if expected is None:
            check(found, name, "says nothing")
            continue
        check(len(found) == len(expected), name, "expected", expected, "found", found)
        for line, code, part in expected:
            check(any(line == at and code in (None, kind) and part in message for at, kind, message in found),
                  name, "expected", (line, code, part), "found", found)
    said = words(client.diagnostics[uri_of("program")])
    check(len(said) == 1 and said[0][:2] == (1, "program") and "which Python runs" in said[0][2], said)
    # Columns count UTF-16 units: each of these characters is two.
    start = client.diagnostics[uri_of("emoji")][0]["range"]["start"]
    check(start == {"line": 0, "character": 13}, start)


def tokens(client, uri, data):
    """Places, each with its text, type and modifiers (LSP 3.17, "Semantic Tokens")."""
    legend, lines = client.can["semanticTokensProvider"]["legend"], client.texts[uri].split("\n")
    line = character = 0
    out = []
    for n in range(0, len(data), 5):
        down, along, length, kind, bits = data[n:n + 5]
        line, character = line + down, along if down else character + along
        out.append(((line, character), (lines[line][character:character + length], legend["tokenTypes"][kind],
                                        [name for bit, name in enumerate(legend["tokenModifiers"]) if bits >> bit & 1])))
    return out


def test_questions(client):
    uri = uri_of("questions")
    client.open(uri, GOOD + "L = WGMMA\n")
    client.settled(uri)
    value = client.at("hover", uri, 4, 2)["contents"]["value"]
    check("a: f16[64, 64]" in value and "`WGMMA`" in value and "16 registers per thread" in value, value)
    check("this line costs" in value and "wavefronts" in value, value)
    check("32 registers" in client.at("hover", uri, 6, 14)["contents"]["value"], "the use of `b`")
    check("load(src" in client.at("hover", uri, 4, 7)["contents"]["value"], client.at("hover", uri, 4, 7))
    check(client.at("hover", uri, 0, 0) is None, "nothing is known of `@`")

    client.change(uri, 2, [{"range": {"start": {"line": 5, "character": 0}, "end": {"line": 5, "character": 0}},
                            "text": "  c = loa\n  load(tile, \n"}])
    labels = [item["label"] for item in client.at("completion", uri, 5, 9)["items"]]
    check("load(" in labels and "loaded" in labels, labels)
    help_ = client.at("signatureHelp", uri, 6, 13)
    check(help_["signatures"][0]["label"].startswith("load(") and help_["activeParameter"] == 1, help_)
    check(client.at("signatureHelp", uri, 0, 0) is None, "no call is open there")
    # Unchanged lines keep their hints while the rest does not compile.
    hints = client.of("inlayHint", uri, range={"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}})
    check(any(h["position"]["line"] == 4 and "WGMMA" in h["label"] for h in hints), hints)
    client.settled(uri, 2)
    hints = client.of("inlayHint", uri, range={"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}})
    check(any(h["position"]["line"] == 4 and "WGMMA" in h["label"] for h in hints), "after the analysis", hints)

    client.texts = {uri: GOOD + "L = WGMMA\ny2 = k(random((64, 64), f16, seed=1))\nk(\n"}
    client.change(uri, 3, [{"text": client.texts[uri]}])
    client.settled(uri, 3)
    check("x: GMEM((64, 64), f16)" in client.at("signatureHelp", uri, 10, 2)["signatures"][0]["label"], "a kernel's parameters")
    definition = client.at("definition", uri, 6, 14)
    check(definition["range"]["start"] == {"line": 5, "character": 2}, definition)
    check(client.at("definition", uri, 4, 12)["range"]["start"]["line"] == 1, "`tile` is a parameter")
    check(len(client.at("references", uri, 4, 12, context={"includeDeclaration": True})) == 3, "uses of `tile`")
    edit = client.at("rename", uri, 5, 2, newName="wide")
    check([e["range"]["start"]["line"] for e in edit["changes"][uri]] == [5, 6], edit)
    check("is no name" in client.at("rename", uri, 5, 2, newName="1 2")["error"]["message"], "a name that is none")
    names = [symbol["name"] for symbol in client.of("documentSymbol", uri)]
    check(names == ["k", "y", "L", "y2"], names)
    lenses = [lens["command"] for lens in client.of("codeLens", uri)]
    check([(lens["title"], lens["arguments"][1]) for lens in lenses] ==
          [("run", "k"), ("show layouts", "k"), ("show layouts", "L")], lenses)
    told = dict(tokens(client, uri, client.of("semanticTokens/full", uri)["data"]))
    check(told[4, 2] == ("a", "variable", ["declaration", "kernel"]), told)
    check(told[6, 14] == ("b", "variable", ["kernel"]) and told[4, 6] == ("load", "function", ["defaultLibrary"]), told)
    some = client.of("semanticTokens/range", uri, range={"start": {"line": 4, "character": 0}, "end": {"line": 5, "character": 0}})
    check(tokens(client, uri, some["data"]) == [each for each in told.items() if each[0][0] == 4], "of one line", some)
    shown = client.request("workspace/executeCommand", lenses[1])["text"]
    check("line 5  a  f16[64, 64]  WGMMA" in shown and "b" in shown, shown)
    check("WGMMA" in client.request("workspace/executeCommand", lenses[2])["text"], "the picture of a layout")


def test_relayout(client):
    uri = uri_of("relayout")
    client.open(uri, kernel("copy_gmem_to_smem(x, tile, loaded)", "barrier_wait(loaded)", "a = load(tile, layout=WGMMA)",
                            "b = layout_cast(a.astype(f32), WGMMA_TRANSPOSED)", "out[:, :] = b"))
    client.settled(uri)
    hints = client.of("inlayHint", uri, range={"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}})
    check(any(h["position"]["line"] == 5 and "WGMMA -> WGMMA_TRANSPOSED" in h["label"] for h in hints), hints)


def test_run(client):
    uri = uri_of("run")
    client.open(uri, "print('said', 6 * 7)\nx = nothing\n")
    client.compiled(uri)
    lens = client.of("codeLens", uri)[0]["command"]
    done = client.request("workspace/executeCommand", lens)
    check(not done["ok"] and "said 42" in done["text"] and "nothing" in done["text"], done)
    client.pump(lambda: client.shown)
    path = pathlib.Path(urllib.request.url2pathname(urllib.parse.urlparse(client.shown[-1]).path))
    check(path.read_text() == done["text"], path)
    return path


def test_endless(client):
    """A file whose run never ends. The server answers meanwhile; a new text ends the run, otherwise the time limit
    does."""
    uri = uri_of("endless")
    client.open(uri, "x = 1\nwhile True:\n  x = x + 1\ny = x\n")
    check("print(" in [i["label"] for i in client.at("completion", uri, 3, 5)["items"]] or True, "an answer")
    client.change(uri, 2, [{"text": "x = nothing\n"}])
    check([d["code"] for d in client.settled(uri, 2)] == ["unknown-name"], client.diagnostics[uri])
    check("name" in client.diagnostics[uri][0]["data"]["parameters"], client.diagnostics[uri])
    client.change(uri, 3, [{"text": "x = 1\nwhile True:\n  x = x + 1\ny = x\n"}])
    client.pump(lambda: client.versions[uri] == 3)
    check([(d["code"], d["range"]["start"]["line"]) for d in client.diagnostics[uri]] == [("typing-budget", 1)], client.diagnostics[uri])


def test_no_side_effects(client, folder):
    uri = uri_of("save")
    name = "written_while_typing.npy"
    client.open(uri, f"save({name!r}, zeros((2, 2)))\n")
    check(client.settled(uri) == [], "saving is no error")
    beside = pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(uri).path)).parent
    check(not any((place / name).exists() for place in (beside, folder, pathlib.Path.cwd())), "a file was written while typing")


def test_typing(client):
    """A text typed letter by letter gives, at the end, the same result as when it is opened whole."""
    uri = uri_of("typed")
    client.open(uri, "")
    text = SNIPPETS["missing_wait"][0]
    lines, version = text.split("\n"), 1
    for number, line in enumerate(lines):
        for column in range(0, len(line) + 1, 4):
            version += 1
            piece = line[column:column + 4] + ("\n" if column + 4 > len(line) and number + 1 < len(lines) else "")
            place = {"line": number, "character": column}
            client.change(uri, version, [{"range": {"start": place, "end": place}, "text": piece}])
            client.at("completion", uri, number, column)
    client.open(uri_of("whole"), text)
    expected = words(client.settled(uri_of("whole")))
    check(words(client.settled(uri, version)) == expected and expected, client.diagnostics[uri])


def test_samples(client, root):
    """The files that we ship, including programs, have no errors in the editor."""
    for path in sorted([*(root / "samples/kernels").glob("*.py"), root / "samples/pallas/rmsnorm.py", root / "samples/pallas/topk.py",
                        root / "samples/sparsecore/embedding.py"]):
        uri = path.as_uri()
        client.open(uri, path.read_text())
        client.pump(lambda: uri in client.versions)
        errors = [d for d in client.diagnostics[uri] if d["severity"] == 1]
        check(not errors, path.name, errors)
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


def framed(body):
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


MALFORMED = [
    b"\r\n\r\n", b"Content-Length: x\r\n\r\n", b"Content-Length: -5\r\n\r\n", b"Content-Length: 0\r\n\r\n",
    b"Content-Length: 99999999999999999999\r\n\r\n", b"Content-Length: 999999999999\r\n\r\n", b"x" * 100000 + b"\r\n",
    b"Content-Type: text\r\nX: y\r\n\r\n", framed(b"{"), framed(b"\xff\xfe"), framed(b"[]"), framed(b"null"), framed(b"3"), framed(b"{}"),
    framed(b'{"jsonrpc": "1.0", "method": "shutdown", "id": 7}'), framed(b'{"jsonrpc": "2.0"}'), framed(b'{"jsonrpc": "2.0", "id": 99}'),
    framed(b'{"jsonrpc": "2.0", "method": 5}'), framed(b"[" * 100000), framed(b'{"a":' * 5000),
    framed(b'{"jsonrpc": "2.0", "id": [], "method": "textDocument/hover", "params": []}'),
    framed(b'{"jsonrpc": "2.0", "id": {}, "method": "no/such", "params": 1}'),
    framed(b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": 5}}}'),
    framed(b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///no"}, "contentChanges": [{}]}}'),
    framed(b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///no"}, "contentChanges": [{"text": ""}]}}'),
    framed(b'{"jsonrpc": "2.0", "method": "textDocument/didClose", "params": null}'),
    framed(b'{"jsonrpc": "2.0", "id": 5, "method": "workspace/executeCommand", "params": {"command": "rm"}}'),
    framed(b'{"jsonrpc": "2.0", "id": "x", "method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///no"}, "position": {"line": -1, "character": 0}}}'),
    framed(b'{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}}'),
]


def test_malformed(client):
    uri = uri_of("malformed")
    client.open(uri, GOOD)
    client.settled(uri)
    for number, data in enumerate(MALFORMED):
        client.raw(data)
        hover = client.at("hover", uri, 4, 2)
        check(hover and "WGMMA" in hover["contents"]["value"], "after malformed message", number)
    # Places beyond the text or in the middle of a character are moved into the text.
    for line, character in [(0, 10**6), (10**6, 0), (4294967295, 4294967295), (0, 1)]:
        for method in ("hover", "completion", "signatureHelp", "definition", "references"):
            answer = client.at(method, uri, line, character)
            check(not isinstance(answer, dict) or "error" not in answer, method, line, character, answer)
    # A change whose range is reversed or outside the text.
    for version, (begin, end) in enumerate([((5, 0), (2, 0)), ((900, 0), (901, 5)), ((0, 999), (1, 999))], 2):
        client.change(uri, version, [{"range": {"start": {"line": begin[0], "character": begin[1]},
                                                "end": {"line": end[0], "character": end[1]}}, "text": "é😀\n"}])
        client.at("hover", uri, 4, 2)


def test_before_initialize(program):
    client = Client(program)
    answer = client.at("hover", "file:///a.py", 0, 0)
    check(answer["error"]["code"] == -32002, answer)
    client.notify("exit")
    check(client.process.wait(30) == 1, "an exit without `shutdown`")
    client = Client(program)
    client.process.stdin.close()
    check(client.process.wait(30) == 1, "the end of the input")


def test_modest_client(program):
    """A client with the least capabilities: the server shows it no files and reports no progress."""
    client = Client(program, ["--check-seconds", "0"], {})
    client.initialize()
    client.open(uri_of("modest"), "L = WGMMA\n")
    client.compiled(uri_of("modest"))
    lens = client.of("codeLens", uri_of("modest"))[-1]["command"]
    client.request("workspace/executeCommand", lens)
    client.pump(lambda: client.messages)
    check("WGMMA" in client.messages[0] or "L" in client.messages[0], client.messages)
    check(client.close() == 0, "status")


def main():
    program, root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    client = Client(program)
    can = client.can = client.initialize()
    check(can["hoverProvider"] and can["inlayHintProvider"] and can["codeLensProvider"], can)
    test_snippets(client)
    test_questions(client)
    test_relayout(client)
    kept = test_run(client)
    test_endless(client)
    test_no_side_effects(client, kept.parent)
    test_typing(client)
    test_samples(client, root)
    test_malformed(client)
    check(client.close() == 0, "the status after `shutdown`")
    check(not kept.exists(), "a temporary file was left behind")
    test_before_initialize(program)
    test_modest_client(program)
    print(f"{len(SNIPPETS)} snippets, {len(MALFORMED)} malformed messages")


main()
