"""Areas that use the worker's protocol: PTX, launch descriptions, messages and bytes. Many inputs share a process."""
import json
import pathlib
import re
import shutil
import struct
import subprocess

import kernels
import mutate
import process

HEAD = struct.Struct("<3s1sIQ")
GREETING = {"type": "hello", "protocol": 1, "program": "hostile"}
TIMEOUT_MS = 300
INPUT = struct.pack("<64I", *range(100, 164))
PTXAS = shutil.which("ptxas") or next(iter(sorted(map(str, pathlib.Path("/usr/local").glob("cuda*/bin/ptxas")))), None)


def frame(message, blob=b""):
    text = message if isinstance(message, bytes) else json.dumps(message).encode()
    return HEAD.pack(b"LSW", b"1", len(text), len(blob)) + text + blob


def answers(data):
    """(message, blob) of each frame, without the greeting and progress."""
    out = []
    while len(data) >= HEAD.size:
        _, _, text_size, blob_size = HEAD.unpack_from(data)
        end = HEAD.size + text_size
        message = json.loads(data[HEAD.size:end])
        if message["type"] not in ("hello", "progress"):
            out.append((message, data[end:end + blob_size]))
        data = data[end + blob_size:]
    return out


def run_message(ptx, launch, buffers=(INPUT, b"")):
    ptx = ptx.encode()
    return {"type": "run", "kernel": "k", "arch": "sm_90a", "launch": launch, "wanted": [len(buffers) - 1] if buffers else [],
            "timeout_ms": TIMEOUT_MS, "repeat": 1, "ptx_bytes": len(ptx), "buffers": [len(each) for each in buffers]}, ptx + b"".join(buffers)


def kinds(answer):
    return {each["kind"] for each in answer.get("diagnostics", []) if each["severity"] == "error"}


def wordless(answer):
    """True if the answer is an error without a message, which is not allowed."""
    return any(not each["message"].strip() for each in answer.get("diagnostics", []))


class WorkerArea:
    """`inputs` are (message, blob) or bytes. `judge(input, answer, blob)` returns the problem, and True if the input
    got past the first parser."""
    batch = 50

    def __init__(self, tools):
        self.tools = tools

    def run(self, inputs, folder):
        stream = frame(GREETING) + b"".join(frame(*self.message(each)) for each in inputs)
        ended = process.run([self.tools.worker, "serve", "--device", "emulator"], stream, timeout=30 + len(inputs), cwd=folder)
        problem = ended.problem()
        try:
            replies = answers(ended.out)
        except (ValueError, KeyError, struct.error) as error:
            problem = problem or f"its answer is no frame: {error}"
            replies = []
        if not problem and (ended.status != 0 or len(replies) != len(inputs)):
            problem = f"{len(replies)} answers to {len(inputs)} requests, exit status {ended.status}: {ended.text()[-300:]}"
        if problem:
            return problem
        return [self.judge(each, *reply) for each, reply in zip(inputs, replies)]


class Ptx(WorkerArea):
    """Mutated kernels. The worker refuses them with a place, or runs them. A kernel that ran is compared with the
    original kernel, or with ptxas's verdict."""
    name, share = "PTX", 1100
    parsers_kinds = {"ptx-syntax"}

    def __init__(self, tools):
        super().__init__(tools)
        self.expected = {}
        names = list(kernels.KERNELS)
        for name, (answer, blob) in zip(names, self.ask([kernels.KERNELS[each] for each in names])):
            assert answer["type"] == "result" and not kinds(answer), (name, answer)
            self.expected[name] = blob

    def ask(self, texts):
        stream = frame(GREETING) + b"".join(frame(*run_message(each, json.dumps(kernels.LAUNCH))) for each in texts)
        return answers(process.run([self.tools.worker, "serve", "--device", "emulator"], stream).out)

    def make(self, random):
        name = random.choice(list(kernels.KERNELS))
        text = kernels.KERNELS[name]
        if random.random() < 0.15:
            return name, neutral(random, text), True
        way = random.random()
        if way < 0.5:
            return name, mutate_statements(random, text), False
        if way < 0.9:
            return name, mutate.damage_words(random, text, [random.choice(list(kernels.KERNELS.values()))]), False
        return name, mutate.damage_bytes(random, text.encode()).decode("latin-1"), False

    def message(self, each):
        return run_message(each[1], json.dumps(kernels.LAUNCH))

    def judge(self, each, answer, blob):
        name, text, is_neutral = each
        errors = kinds(answer)
        deep = not errors & self.parsers_kinds
        if wordless(answer):
            return "an error without a message", deep
        if answer["type"] == "error" and not any(":" in note for one in answer["diagnostics"] for note in [one["message"], *one["notes"]]):
            return f"an error without a place: {answer['diagnostics'][0]['message']}", deep
        if is_neutral and (errors or blob != self.expected[name]):
            return f"a change without a meaning changes the result: {answer.get('diagnostics')}", deep
        if answer["type"] == "result" and not errors and not is_neutral:
            return self.against_ptxas(text), deep
        return "", deep

    def against_ptxas(self, text):
        """Finds inputs that ran although ptxas refuses them."""
        if not PTXAS:
            return ""
        path = self.tools.scratch / f"opinion{self.tools.number()}.ptx"
        path.write_text(text, encoding="latin-1")
        ended = subprocess.run([PTXAS, "-arch=sm_90a", "-o", "/dev/null", path], capture_output=True, text=True, timeout=60)
        path.unlink()
        said = (ended.stderr + ended.stdout).strip()
        # Without a message, ptxas has run out of memory, which is no verdict.
        return f"it runs, and ptxas refuses it: {said.splitlines()[0]}" if ended.returncode and said else ""


def neutral(random, text):
    """Changes without an effect: names, blanks, comments, blocks, more registers."""
    for way in random.sample(range(6), random.choice([1, 2, 3])):
        if way == 0:
            if "%renamed" not in text:
                text = re.sub(r"%r2\b", "%renamed", text).replace(".reg .f32", ".reg .b32 %renamed;\n.reg .f32", 1)
        elif way == 1:
            text = text.replace(";\n", random.choice([";", " ;\n\n", ";\t\n", "; // } ;\n", ";/* { */\n"]), random.randrange(1, 9)).replace(
                ";//", ";\n//")
        elif way == 2:
            text = text.replace("%r<32>", f"%r<{random.choice([33, 40, 100, 1000, '0x40'])}>")
        elif way == 3:
            if text.endswith(end := "\nret;\n}\n"):
                text = text[:-len(end)] + random.choice(["\nret;\nret;\n}", "\n{\nret;\n}\n}", "\n{ }ret;\n}", "\nexit;\n}"])
        elif way == 4:
            text = text.replace("LOOP", "$L_1").replace("DONE", "__done").replace("WAIT", "W0")
        else:
            text = text.replace("\n", "\r\n")
    return text


def mutate_statements(random, text):
    """Deletes, doubles and exchanges statements; replaces parts of an opcode or operands by others of the same text."""
    lines = text.split("\n")
    for _ in range(random.choice([1, 1, 2])):
        at = random.randrange(len(lines))
        way = random.randrange(6)
        if way == 0:
            del lines[at]
        elif way == 1:
            lines.insert(random.randrange(len(lines)), lines[at])
        elif way == 2:
            other = random.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        else:
            lines[at] = mutate.damage_words(random, lines[at], [random.choice(lines)], changes=1)
        lines = lines or [""]
    return "\n".join(lines)


class Launches(WorkerArea):
    """Mutated launch descriptions of a kernel that does not depend on them."""
    name, share = "launch descriptions", 600

    def make(self, random):
        return mutate.damage_json(random, json.dumps(random.choice([kernels.LAUNCH, kernels.RICH_LAUNCH])))

    def message(self, each):
        try:
            buffers = [b""] * sum(1 for one in json.loads(each)["params"] if one["kind"] == "buffer")
        except (ValueError, KeyError, TypeError):
            buffers = [INPUT, b""]
        return run_message(kernels.KERNELS["arithmetic"], each, buffers)

    def judge(self, each, answer, blob):
        return "an error without a message" if wordless(answer) else "", "json" not in kinds(answer)


class Messages(WorkerArea):
    """Mutated messages in whole frames. The worker answers each message and continues."""
    name, share = "worker messages", 500

    def make(self, random):
        message, blob = run_message(kernels.KERNELS["arithmetic"], json.dumps(kernels.LAUNCH))
        # A greeting gets no answer, so a mutated message must not become one.
        text = mutate.damage_json(random, json.dumps(message)).replace('"hello"', '"hullo"')
        return text.encode(), random.choice([blob] * 12 + [blob[:-1], b"", blob + b"x", blob * 3])

    def message(self, each):
        return each

    def judge(self, each, answer, blob):
        said = " ".join(one["message"] for one in answer.get("diagnostics", []))
        return "an error without a message" if wordless(answer) else "", "is malformed: this is not JSON" not in said


class Noise:
    """Bytes that are no frames. The worker says so and ends with status 1, or with 0 if they end after a frame."""
    name, share, batch = "worker bytes", 150, 1

    def __init__(self, tools):
        self.tools = tools

    def make(self, random):
        good = frame(GREETING) + frame(*run_message(kernels.KERNELS["arithmetic"], json.dumps(kernels.LAUNCH)))
        if random.random() < 0.2:
            return bytes(random.randrange(256) for _ in range(random.choice([1, 15, 16, 17, 1000])))
        if random.random() < 0.5:
            at = random.choice([0, len(frame(GREETING))]) + random.randrange(16)
            return good[:at] + bytes([random.randrange(256)]) + good[at + 1:]
        return mutate.damage_bytes(random, good)

    def run(self, inputs, folder):
        ended = process.run([self.tools.worker, "serve", "--device", "emulator"], inputs[0], cwd=folder)
        problem = ended.problem()
        if not problem and ended.status not in (0, 1):
            problem = f"exit status {ended.status}"
        return problem or [("", len(ended.out) > 600)]


AREAS = [Ptx, Launches, Messages, Noise]
