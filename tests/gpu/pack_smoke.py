#!/usr/bin/env python3
"""Runs pack.py without a GPU: unpacked packages equal the originals, the emulator agrees with itself, and planted wrong
bits are found.

  tests/gpu/pack_smoke.py LANESCOPE LANESCOPE_WORKER
"""
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
COUNT = 15
# Large enough that the approximate kernel's output is not sent.
POWERS = """@kernel()
def {name}(x: GMEM((64, 128), f32), out: Out((2560, 128), f32)):
  for i in range(40):
    out[ds(i * 64, 64), :] = exp2(x[...] + i, approx={approx})
{name}(random((64, 128), f32, seed=1))
"""


def command(*arguments, status=0):
    done = subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == status, (arguments, done.returncode, done.stdout + done.stderr)
    return done.stdout


def npy(shape, descr, data):
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data


def check_arrays():
    """Every way of storing an array gives the array back, and an array that was stored before takes no space."""
    sys.path.insert(0, str(HERE))
    from packing import Reader, Writer
    random.seed(0)
    with tempfile.TemporaryFile() as file:
        writer, cases = Writer(file), []
        for width in (1, 2, 4, 8, 16):
            for count in (0, 1, 2, 15, 16, 17, 255, 4097, 300001):
                for values in (1, 2, 15, 16, 17, 255, 256, 257, 1 << 16):
                    if count > 4097 and width not in (2, 4):
                        continue
                    palette = [random.randbytes(width) for _ in range(min(values, 300))]
                    some = random.choices(palette, k=count) if values <= 300 else [random.randbytes(width) for _ in range(count)]
                    content = npy((count,), f"<V{width}", b"".join(some))
                    cases.append((content, writer.add(content)))
        reader = Reader(file, writer.position)
        for content, entry in cases:
            assert reader.bytes_of(entry) == content, entry
        # The first elements of the same numbers in another dtype.
        numbers = [random.randrange(-8, 8) / 8 for _ in range(1 << 19)]
        writer.add(npy((1 << 19,), "<f4", struct.pack(f"<{1 << 19}f", *numbers)))
        end = file.tell()
        prefix = npy((1024, 256), "<f2", struct.pack(f"<{1 << 18}e", *numbers[:1 << 18]))
        assert Reader(file, writer.position).bytes_of(writer.add(prefix)) == prefix
        assert file.seek(0, 2) == end, "the prefix was stored again"


def main():
    lanescope, worker = sys.argv[1:]
    check_arrays()
    with tempfile.TemporaryDirectory() as scratch:
        place = pathlib.Path(scratch)
        cases, archive = place / "cases", place / "cases.tar.xz"
        command(HERE / "differential.py", "--make", cases, "--count", COUNT, "--jobs", 2, "--lanescope", lanescope)
        for name, approx in (("powers", False), ("quick_powers", True)):
            (place / f"{name}.py").write_text(POWERS.format(name=name, approx=approx))
            subprocess.run([lanescope, "compile", place / f"{name}.py", "--emit", "package", "-o", cases],
                           check=True, capture_output=True)

        def archived(expected, status=0):
            archive.unlink(missing_ok=True)
            made = command(HERE / "pack.py", "make", cases, "-o", archive)
            text = command(HERE / "pack.py", "run", archive, "--worker", worker, "--device", "emulator", "--jobs", 2, "-o",
                           place / "results", status=status)
            assert expected in text, text
            return made, text

        made, _ = archived("; 0 bad;")
        assert f"{COUNT + 2} packages" in made and "1 within it of another package's" in made, made
        command(HERE / "pack.py", "unpack", archive, "-o", place / "again")
        for path in (path for path in cases.rglob("*.lspkg/**/*") if path.is_file()):
            twin = place / "again" / path.relative_to(cases)
            if path.parent.name != "expected" or twin.exists():
                assert twin.read_bytes() == path.read_bytes(), path
        for at in ("c00000.lspkg/expected", "powers.lspkg/expected"):  # `powers`: the approximate kernel's reference
            path = sorted((cases / at).glob("*.npy"))[0]
            good = path.read_bytes()
            path.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
            _, text = archived("; 1 bad;", status=1)
            assert f"{path.parent.parent.stem}: differs: {path.name}: other bits" in text, text
            compared = command(HERE / "pack.py", "compare", cases, place / "results")
            assert f"{path.parent.parent.stem}: {path.name}: 1 of " in compared, compared
            path.write_bytes(good)
            for kept in (place / "results").glob("*.xz"):
                kept.unlink()
        # An approximate output outside the tolerance is sent and found.
        path = cases / "quick_powers.lspkg" / "expected" / "out.npy"
        path.write_bytes(path.read_bytes()[:-4] + struct.pack("<f", -1.0))
        _, text = archived("; 1 bad;", status=1)
        assert "quick_powers: differs: out.npy: 1 elements outside the tolerance" in text, text
    print(f"{COUNT + 2} packages made, packed, restored and checked")


if __name__ == "__main__":
    main()
