"""Areas of whole processes: command lines, environments, signals, and sessions whose worker misbehaves."""
import json
import os
import resource
import shutil
import signal
import subprocess

import areas_worker
import mutate
import process

KERNEL = """@kernel(grid=(1,), num_threads=1)
def seven(out: Out((128,), i32)):
  out[...] = broadcasted_iota(i32, (128,), 0) + 7
print(run(seven).outputs[0][0])
"""
SLOW = "total = 0\nfor i in range(3000000):\n  total = total + i % 7\nprint(total)\n"


class CommandLines:
    """Mutated words of real command lines. The error has its own message."""
    name, share, batch = "command lines", 250, 1
    LINES = [
        ["show", "WGMMA", "--shape", "64x8", "--dtype", "f16"], ["eval", "1 + 2"], ["eval", "WGMMA", "--json"], ["run", "k.py", "--device", "emulator"],
        ["compile", "k.py", "--emit", "ptx"], ["compile", "k.py", "--emit", "ast", "--kernel", "seven"], ["check", "k.ptx", "--format", "json"],
        ["emulate", "k.ptx", "--launch", "launch.json", "--seed", "3"], ["trace", "t.json", "--summary"], ["open", "m.mlir", "--op", "1"], ["doctor"],
        ["run", "k.py", "--arch", "sm_90a"], ["show", "WGMMA", "--shape", "64x8", "-o", "x.svg"], ["check", "k.py", "--seeds", "2"], ["--help"]]
    WORDS = ["--", "-", "", "--help", "-h", "--shape", "--arch", "sm_1", "sm_99a", "0x0", "-1", "64x", "x" * 3000, "\udcff\udcfe", "\x1b[31m", "a\nb", "..", "/dev/null",
             "/proc/self/mem", "--seed", "99999999999999999999", "-o", "--device", "gpu", "--no-such-option", "--timeout", "1e999", "@k", "%s%n", "'", "--x=y", "k.py"]

    def __init__(self, tools):
        self.tools = tools

    def make(self, random):
        words = list(random.choice(self.LINES))
        for _ in range(random.choice([1, 1, 2, 3])):
            at = random.randrange(len(words) + 1)
            way = random.randrange(4)
            if way == 0:
                words[at:at + 1] = []
            elif way == 1:
                words.insert(at, random.choice(self.WORDS))
            elif way == 2:
                words[at:at + 1] = [random.choice(self.WORDS)]
            else:
                words[at:at + 1] = [mutate.damage_words(random, words[at] if at < len(words) else "x")]
        if random.random() < 0.03:
            words += ["x" * 100000] if random.random() < 0.5 else ["y"] * 20000
        return [word.replace("\0", "") for word in words]

    def run(self, inputs, folder):
        (folder / "k.py").write_text(KERNEL)
        (folder / "k.ptx").write_text(areas_worker.kernels.KERNELS["loop"])
        (folder / "launch.json").write_text(json.dumps(areas_worker.kernels.LAUNCH))
        words = inputs[0]
        ended = process.run([self.tools.lanescope, *(word.encode("utf-8", "surrogateescape") for word in words)], cwd=folder)
        problem = ended.problem()
        if not problem and ended.status and not (ended.err.strip() or ended.out.strip()):
            problem = f"exit status {ended.status} without a word"
        return problem or [("", ended.status != 2)]


class Environments:
    """Broken environments: variables, folders, standard streams, limits. The result is right, or there is an error."""
    name, share, batch = "environments", 200, 1
    VARIABLES = ["HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "TERM", "COLUMNS", "LINES", "LANG", "LC_ALL", "LC_NUMERIC", "PATH", "TMPDIR", "NO_COLOR",
                 "VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "DISPLAY", "TZ", "CUDA_HOME", "CUDA_PATH", "PWD", "USER", "SHELL", "EDITOR", "PAGER"]
    VALUES = ["", " ", "/", "/no/such/folder", "/dev/null", "/dev/full", "/proc", "..", "x" * 5000, "\udcff", "a\nb", "\x1b[2J", "-1", "0", "99999999999999999999",
              "de_DE.UTF-8", "C", "xx_XX", "dumb", "%s%n", "{scratch}/file", "{scratch}/locked", "{scratch}/loop", "{scratch}/link"]

    def __init__(self, tools):
        self.tools = tools

    def make(self, random):
        values = {name: random.choice(self.VALUES) for name in random.sample(self.VARIABLES, random.choice([0, 1, 1, 2, 5, 20]))}
        for name in random.sample(self.VARIABLES, random.choice([0, 0, 1, 25])):
            values[name] = None  # not set
        return {"values": values, "streams": random.choice([{}, {}, {}, {"stdin": None}, {"stdout": None}, {"stderr": None}, {"stdin": None, "stdout": None, "stderr": None}]),
                "limit": random.choice([None, None, None, "files", "fsize", "stack"]), "cwd": random.choice(["here", "here", "gone", "locked"]),
                "command": random.choice([["eval", "1 + 2"], ["run", "{folder}/k.py", "--device", "emulator"], ["show", "WGMMA", "--shape", "64x8"], ["doctor"],
                                          ["compile", "{folder}/k.py", "--emit", "ptx"], ["lsp"], []])}

    @staticmethod
    def limits(kind):
        if kind == "files":
            resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12))
        elif kind == "fsize":
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        elif kind == "stack":
            resource.setrlimit(resource.RLIMIT_STACK, (256 << 10, 256 << 10))

    def run(self, inputs, folder):
        each = inputs[0]
        (folder / "k.py").write_text(KERNEL)
        scratch = folder / "odd"
        (scratch / "locked").mkdir(parents=True)
        (scratch / "file").write_text("")
        (scratch / "loop").symlink_to("loop")
        (scratch / "link").symlink_to("nowhere")
        os.chmod(scratch / "locked", 0o500)
        environment = dict(os.environ, HOME=str(folder))
        for name, value in each["values"].items():
            environment.pop(name, None)
            if value is not None:
                environment[name] = value.replace("{scratch}", str(scratch))
        cwd = {"here": folder, "gone": folder / "gone", "locked": scratch / "locked"}[each["cwd"]]

        def prepare():
            if each["cwd"] == "gone":
                os.rmdir(cwd)
            self.limits(each["limit"])
        cwd.mkdir(exist_ok=True)
        command = [self.tools.lanescope, *(word.replace("{folder}", str(folder)) for word in each["command"])]
        ended = process.run(command, cwd=cwd, env={name: value.encode("utf-8", "surrogateescape") for name, value in environment.items()},
                            streams=each["streams"], prepare=prepare)
        problem = ended.problem()
        plain = not each["streams"] and not each["limit"] and each["cwd"] == "here"
        if not problem and plain and each["command"][:1] in (["eval"], ["run"]) and ended.status == 0 and ended.out.strip() not in (b"3", b"7"):
            problem = f"a wrong result: {ended.out[:100]!r}"
        return problem or [("", ended.status == 0)]


class Signals:
    """Signals at random moments. The session ends or continues, but never hangs, and the next session's caches are
    intact."""
    name, share, batch = "signals", 100, 1
    ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]
    OTHER = [signal.SIGWINCH, signal.SIGCONT, signal.SIGURG, signal.SIGCHLD]

    def __init__(self, tools):
        self.tools = tools

    def make(self, random):
        harmless = [(random.random() * 0.05, random.choice(self.OTHER)) for _ in range(random.choice([0, 1, 5]))]
        ending = [(random.random() * random.choice([0.02, 0.3]), random.choice(self.ENDING))]
        return harmless + ending + ending * random.choice([0, 0, 1, 3]), random.choice(["k.py", "k.py", "slow.py"])

    def run(self, inputs, folder):
        signals, name = inputs[0]
        (folder / "k.py").write_text(KERNEL)
        (folder / "slow.py").write_text(SLOW)
        environment = dict(os.environ, HOME=str(folder))
        ended = process.run([self.tools.lanescope, "run", name, "--device", "emulator"], cwd=folder, env=environment, signals=signals)
        problem = ended.problem(allowed_signals=self.ENDING)
        if not problem:
            after = process.run([self.tools.lanescope, "run", "k.py", "--device", "emulator"], cwd=folder, env=environment)
            problem = after.problem() or ("" if after.out.strip() == b"7" else f"the next run fails: {after.text()[-200:]}")
        return problem or [("", ended.status < 0 or ended.status == 0)]


class Workers:
    """Workers that send mutated answers, half answers, noise or nothing. The session ends with an error that says
    so."""
    name, share, batch = "answers of workers", 150, 1
    HELLO = {"type": "hello", "protocol": 1, "program": "hostile",
             "gpu": {"name": "a fake", "major": 9, "minor": 0, "multiprocessors": 132, "shared_memory_per_block": 232448, "memory_bytes": 1 << 30,
                     "driver_version": 13000, "device_count": 1}}

    def __init__(self, tools):
        self.tools = tools

    def make(self, random):
        result = {"type": "result", "time_us": 1.5, "device": "a fake", "printed": "", "diagnostics": [], "buffers": [512]}
        failure = {"type": "error", "fatal": False, "diagnostics": [{"severity": "error", "kind": "launch", "message": "no", "notes": []}]}
        messages = [(self.HELLO, b""), ({"type": "progress", "stage": "running the kernel"}, b""), (random.choice([result, failure]), b"")]
        at = random.randrange(len(messages))
        out = b""
        for number, (message, blob) in enumerate(messages):
            text = mutate.damage_json(random, json.dumps(message)) if number == at else json.dumps(message)
            out += areas_worker.frame(text.encode(), blob or (bytes(512) if message is result else b""))
        if random.random() < 0.4:
            out = mutate.damage_bytes(random, out)
        return out

    def run(self, inputs, folder):
        (folder / "answers").write_bytes(inputs[0])
        (folder / "k.py").write_text(KERNEL)
        ended = process.run([self.tools.lanescope, "run", "k.py", "--device", "gpu", "--worker", "cat answers; sleep 0.05"], cwd=folder)
        problem = ended.problem()
        if not problem and ended.status and not ended.err.strip():
            problem = f"exit status {ended.status} without a word"
        if not problem and b"\x1b" in ended.err + ended.out:
            problem = "what the worker sent reaches the terminal raw"
        return problem or [("", b"does not speak" not in ended.err)]


AREAS = [CommandLines, Environments, Signals, Workers]
