"""Areas of files: arrays, traces, dumps, PTX with launch descriptions, packages. The files of a folder share a process
if the command accepts folders."""
import gzip
import json
import struct
import zlib

import kernels
import mutate
import process


def npy(dtype, shape, data, version=1):
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (64 - (len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(header)) + header.encode() + data


def npz(members, packed):
    """A zip file of arrays, written here so that every field can be damaged and the checksums corrected."""
    out, directory = b"", b""
    for name, content in members.items():
        squeezed = zlib.compress(content)[2:-4] if packed else content
        fields = struct.pack("<HHHHHIIIHH", 20, 0, 8 if packed else 0, 0, 0, zlib.crc32(content), len(squeezed), len(content), len(name), 0)
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + fields + struct.pack("<HHHII", 0, 0, 0, 0, len(out)) + name.encode()
        out += b"PK\x03\x04" + fields + name.encode() + squeezed
    return out + directory + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(out), 0)


class Arrays:
    """Mutated `.npy` and `.npz` files, each loaded by an expression."""
    name, share, batch = "arrays", 500, 8

    def __init__(self, tools):
        self.tools = tools
        small = npy("<f4", "(2, 3)", struct.pack("<6f", *range(6)))
        self.bases = [small, npy("<V2", "(4,)", bytes(8)), npy("|b1", "(3,)", b"\0\1\0", 2), npy("<i8", "()", bytes(8)),
                      npz({"a.npy": small, "b.npy": npy("<u2", "(5,)", bytes(10))}, False), npz({"a.npy": small}, True)]
        self.bases += [path.read_bytes() for path in sorted((tools.repository / "tests/golden/npy").iterdir())]

    def make(self, random):
        base = random.choice(self.bases)
        if not base.startswith(b"PK") and random.random() < 0.5:  # damages the words of the header
            length = 10 + struct.unpack_from("<H", base, 8)[0]
            header = mutate.damage_words(random, base[10:length].decode("latin-1"), ["(65536, 65536) '|O' '>f2' 'descr' True -1"])
            data = base[:8] + struct.pack("<H", len(header) % 65536) + header.encode("latin-1") + base[length:]
        else:
            data = mutate.damage_bytes(random, base, random.choice(self.bases))
        return data

    def run(self, inputs, folder):
        found = []
        for number, data in enumerate(inputs):
            name = f"a{number}.{'npz' if data.startswith(b'PK') else 'npy'}"
            (folder / name).write_bytes(data)
            ended = process.run([self.tools.lanescope, "eval", f"len(str(load({name!r})))"], cwd=folder, timeout=60)
            problem, said = ended.problem(), ended.text()
            if not problem and ended.status and len(said) < 20:
                problem = f"an error without words: {said}"
            found.append((problem, not any(first in said for first in ("NumPy's mark", "zip directory", "too short"))))
        return found


class Single:
    """A file for one command. An error names the file or a place."""
    batch = 1

    def __init__(self, tools):
        self.tools = tools

    def command(self, data, folder):
        raise NotImplementedError

    def run(self, inputs, folder):
        ended = process.run([self.tools.lanescope, *self.command(inputs[0], folder)], cwd=folder)
        problem = ended.problem()
        said = ended.text() + ended.out.decode("utf-8", "replace")  # the output of `check` has its findings
        if not problem and ended.status in (1, 2) and "error" not in said and "hostile" not in said:
            problem = f"exit status {ended.status} without an error: {ended.text()[-200:]!r}"
        return problem or [("", self.deep(ended))]

    def deep(self, ended):
        return ended.status == 0


class Traces(Single):
    """Mutated traces, some packed; some with events that do not nest."""
    name, share = "traces", 150

    def make(self, random):
        events = [{"name": f"e{n % 3}", "ph": random.choice("BEXiCbefsM"), "ts": n + random.random(), "dur": 1, "pid": 1 + n % 2, "tid": n % 3, "id": n % 2}
                  for n in range(random.choice([0, 1, 10, 60]))]
        text = json.dumps({"displayTimeUnit": "ns", "traceEvents": events})
        if random.random() < 0.7:
            text = mutate.damage_json(random, text)
        data = text.encode()
        if random.random() < 0.3:
            data = mutate.damage_bytes(random, data)
        if random.random() < 0.3:
            data = gzip.compress(data)
            data = mutate.damage_bytes(random, data) if random.random() < 0.5 else data
        return data

    def command(self, data, folder):
        (folder / "hostile.json").write_bytes(data)
        return ["trace", "hostile.json", "--summary"]


class Modules(Single):
    """Mutated dumps of JAX and SparseCore modules."""
    name, share = "modules", 150

    def __init__(self, tools):
        super().__init__(tools)
        self.texts = [path.read_text() for path in sorted((tools.repository / "tests/lit/ir/Inputs").glob("*.mlir"))]
        self.texts += [path.read_text() for path in sorted((tools.repository / "tests/fuzz/corpus/tpu_module").iterdir())]

    def make(self, random):
        text = random.choice(self.texts)
        return (mutate.damage_words(random, text, [random.choice(self.texts)]).encode() if random.random() < 0.8 else
                mutate.damage_bytes(random, text.encode(), random.choice(self.texts).encode()))

    def command(self, data, folder):
        (folder / "hostile.mlir").write_bytes(data)
        return ["open", "hostile.mlir"] + (["--emit", "ir"] if len(data) % 2 else [])


class Launched(Single):
    """PTX with a launch description, one of them mutated, for `emulate` and `check`."""
    name, share = "launched files", 150

    def make(self, random):
        ptx, launch = kernels.KERNELS[random.choice(list(kernels.KERNELS))], json.dumps(kernels.LAUNCH)
        if random.random() < 0.5:
            ptx = mutate.damage_words(random, ptx)
        else:
            launch = mutate.damage_json(random, launch)
        return ptx, launch, random.choice(["emulate", "check"])

    def command(self, data, folder):
        ptx, launch, word = data
        (folder / "hostile.ptx").write_text(ptx)
        (folder / "launch.json").write_text(launch)
        return [word, "hostile.ptx", "--launch", "launch.json"]

    def deep(self, ended):
        return "launch.json" not in ended.text() and "expected" not in ended.text()


class Packages:
    """Mutated packages, many for one `lanescope-worker run`. Each package gets a result."""
    name, share, batch = "packages", 200, 20

    def __init__(self, tools):
        self.tools = tools
        folder = tools.scratch / "package"
        folder.mkdir()
        made = process.run([tools.lanescope, "compile", tools.repository / "samples/kernels/double.py", "--emit", "package", "-o", folder])
        assert made.status == 0, made.text()
        package = folder / "double.lspkg"
        self.files = {str(path.relative_to(package)): path.read_bytes() for path in package.rglob("*") if path.is_file()}

    def make(self, random):
        files = dict(self.files)
        for _ in range(random.choice([1, 1, 2])):
            name = random.choice(list(files))
            if name.endswith(".json") and random.random() < 0.8:
                try:
                    files[name] = mutate.damage_json(random, files[name].decode()).encode()
                except ValueError:
                    files[name] = b""
            elif random.random() < 0.1:
                del files[name]
            else:
                files[name] = mutate.damage_bytes(random, files[name])
            if not files:
                break
        return files

    def run(self, inputs, folder):
        names = []
        for number, files in enumerate(inputs):
            for name, content in files.items():
                path = folder / f"p{number}.lspkg" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            names.append(f"p{number}.lspkg")
        ended = process.run([self.tools.worker, "run", *names, "--device", "emulator", "--timeout", "1", "-o", "results"], cwd=folder, timeout=60)
        problem = ended.problem()
        results = [folder / "results" / f"p{n}" / "result.json" for n in range(len(inputs))]
        if not problem and not all(path.exists() for path in results):
            problem = f"not every package has a result: {ended.text()[-300:]}"
        if problem:
            return problem
        out = []
        for path in results:
            result = json.loads(path.read_text())
            out.append(("" if result["ok"] or result.get("error", "").strip() else "it failed without an error",
                        result["ok"] or result.get("kind") not in ("json", "unreadable-file")))
        return out


AREAS = [Arrays, Traces, Modules, Launched, Packages]
