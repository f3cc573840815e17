"""Areas of the language server: snippets, expressions, layouts in every notation, and its own messages."""
import json
import re

import mutate
import process

SNIPPETS = ["samples/kernels", "samples/pallas", "kernels", "tests/fuzz/corpus/snippet_parser", "samples/sparsecore"]
NOTATIONS = ["samples/layouts", "tests/fuzz/corpus/layout_notation"]
EXPRESSIONS = [
    "owners(WGMMA, (64, 8), (9, 2))", "WGMMA", "smem_map((64, 64), f16, tiling=(8, 64), swizzle=128)", "element_map(WGMMA, (64, 8))",
    "zeros((4, 4), f32) + 1", "array([1, 2, 3], i8) @ array([1, 2, 3], i8)", "sum([i * i for i in range(10)])", "'%d %s' % (3, 'a')",
    "f'{3.5:>10.3f}'", "{'a': 1}['a']", "sorted([3, 1, 2], key=lambda x: -x)", "random((8, 8), f32)[1:3, ::2].T", "1 << 40", "2 ** 64 % 7",
    "TiledLayout(Tiling(((64, 8), (16, 8), (8, 8), (1, 2))), warp_dims=(-7,), lane_dims=(-3, -2), vector_dim=-1)",
    "'a'.join(['b', 'c'])", "range(10)[::-3]", "(1, 2) + (3,)", "not 1 < 2 <= 3 or None is None", "bank_conflicts(WGMMA, (64, 64), f16)",
    "slice(1, 2), hex(255), chr(97), ord('a'), divmod(7, -2), pow(2, 10, 1000)", "reshape(iota(12, i32), (3, 4))", "help(zeros)", "int('12', 3)",
]


def frame(message):
    body = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def messages(data):
    """The messages that the server sent."""
    out = []
    while match := re.match(rb"Content-Length: (\d+)\r\n\r\n", data):
        end = match.end() + int(match[1])
        out.append(json.loads(data[match.end():end]))
        data = data[end:]
    return out, data


SHALLOW = {"syntax", "indentation", "layout-syntax", "unexpected-character", "unclosed-bracket", "unmatched-bracket", "unterminated-string",
           "bad-number"}
INITIALIZE = {"id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None, "rootUri": None}}


class Documents:
    """Each input is a document. The server reports its problems at places inside it."""
    batch = 70

    def __init__(self, tools):
        self.tools = tools
        self.texts = self.load()

    def run(self, inputs, folder):
        stream = [frame(INITIALIZE), frame({"method": "initialized", "params": {}})]
        for number, text in enumerate(inputs):
            uri = f"file://{folder}/hostile{number}.py"
            stream.append(frame({"method": "textDocument/didOpen", "params": {
                "textDocument": {"uri": uri, "languageId": "python", "version": 1, "text": text}}}))
            line = text.count("\n") // 2
            for method, id in (("textDocument/hover", 1000 + 2 * number), ("textDocument/completion", 1001 + 2 * number)):
                stream.append(frame({"id": id, "method": method, "params": {"textDocument": {"uri": uri}, "position": {"line": line, "character": 3}}}))
        later = process.Later(frame({"id": 2, "method": "shutdown"}) + frame({"method": "exit"}))
        ended = process.run([self.tools.lanescope, "lsp"], b"".join(stream), timeout=60 + 2 * len(inputs), cwd=folder, later=later)
        problem = ended.problem()
        if problem:
            return problem + " " + ended.text()[-300:]
        try:
            said, rest = messages(ended.out)
        except ValueError as error:
            return f"its answer is no JSON: {error}"
        if rest and len(ended.out) < process.KEPT:
            return f"it writes something else than messages: {rest[:80]!r}"
        return [self.judge(text, *self.about(said, f"hostile{number}.py")) for number, text in enumerate(inputs)]

    @staticmethod
    def about(said, name):
        """(the document's last published diagnostics, True if there were any)."""
        found = [each["params"]["diagnostics"] for each in said
                 if each.get("method") == "textDocument/publishDiagnostics" and each["params"]["uri"].endswith("/" + name)]
        return (found[-1], True) if found else ([], False)

    def judge(self, text, diagnostics, came):
        lines = text.replace("\r\n", "\n").split("\n")
        for each in diagnostics:
            if not each["message"].strip():
                return "a diagnostic without a message", False
            begin = each["range"]["start"]
            if begin["line"] > len(lines):
                return f"a diagnostic beyond the end: {begin} of {len(lines)} lines", False
        return "", came and not any(each.get("code") in SHALLOW for each in diagnostics)


class Snippets(Documents):
    """Samples with words and bytes changed."""
    name, share = "snippets", 500

    def load(self):
        return [path.read_text() for folder in SNIPPETS for path in sorted((self.tools.repository / folder).glob("*.py"))]

    def make(self, random):
        text = random.choice(self.texts)
        if random.random() < 0.25:
            return mutate.damage_bytes(random, text.encode(), random.choice(self.texts).encode()).decode("utf-8", "replace")
        return mutate.damage_words(random, text, [random.choice(self.texts)])


class Expressions(Documents):
    """Expressions with words changed, some nested in each other."""
    name, share = "expressions", 800

    def load(self):
        return EXPRESSIONS

    def make(self, random):
        text = random.choice(self.texts)
        if random.random() < 0.4:
            text = random.choice(["(%s)", "[%s]", "len(%s)", "(lambda: %s)()", "print(%s)", "(%s)[0]", "str(%s)", "-(%s)", "[x for x in (%s)]"]) % text
        if random.random() < 0.3:
            text = f"{text} {random.choice(['+', '*', '**', '%', '//', '==', 'in', 'and', 'if 1 else', ',', '@', '<<'])} {random.choice(self.texts)}"
        return mutate.damage_words(random, text, self.texts)


class Notations(Documents):
    """Layouts of every notation with words and bytes changed."""
    name, share = "layouts", 900

    def load(self):
        return [path.read_text() for folder in NOTATIONS for path in sorted((self.tools.repository / folder).iterdir()) if path.is_file()]

    def make(self, random):
        text = random.choice(self.texts)
        text = mutate.damage_words(random, text, [random.choice(self.texts)]) if random.random() < 0.8 else \
            mutate.damage_bytes(random, text.encode()).decode("utf-8", "replace")
        return f"x = layout({json.dumps(text)})\nprint(x)\n"


class ServerMessages:
    """Mutated messages and frames to the language server. It answers, or ends by itself."""
    name, share, batch = "server messages", 150, 1

    def __init__(self, tools):
        self.tools = tools

    def make(self, random):
        opened = {"method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///x.py", "languageId": "python", "version": 1, "text": "x = 1\n"}}}
        asked = {"id": 3, "method": random.choice(["textDocument/hover", "textDocument/completion", "textDocument/codeAction", "workspace/executeCommand"]),
                 "params": {"textDocument": {"uri": "file:///x.py"}, "position": {"line": 0, "character": 1}}}
        parts = [frame(INITIALIZE)]
        for each in (opened, asked):
            parts.append(frame(mutate.damage_json(random, json.dumps({"jsonrpc": "2.0", **each})).encode()))
        parts += [frame({"id": 2, "method": "shutdown"}), frame({"method": "exit"})]
        whole = b"".join(parts)
        return mutate.damage_bytes(random, whole) if random.random() < 0.3 else whole

    def run(self, inputs, folder):
        ended = process.run([self.tools.lanescope, "lsp"], inputs[0], cwd=folder)
        return ended.problem() or [("", b'"capabilities"' in ended.out)]


AREAS = [Snippets, Expressions, Notations, ServerMessages]
