#!/usr/bin/env python3
"""Tests which forms of PTX's instructions ptxas accepts, and for which targets.

  tests/gpu/ptx_forms.py FORMS.txt OUT.txt [TARGET…]      forms as tests/ptx/forms.py writes them

The first line of OUT has the targets. Then there is one line per form: the targets that accept it, as a hexadecimal
number whose lowest bit is the first target (0: none), and the form. Needs the CUDA toolkit, but no GPU.
"""
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "ptx"))
from statement import statement

TARGETS = "sm_80 sm_86 sm_87 sm_89 sm_90 sm_90a sm_100 sm_100f sm_100a sm_103a sm_110a sm_120 sm_120f sm_120a sm_121a".split()
CHUNK = 40


def version():
    """The newest PTX version that this ptxas reads."""
    for each in ("9.2", "9.1", "9.0", "8.8", "8.6"):
        text = f".version {each}\n.target sm_90\n.address_size 64\n.entry k() {{ ret; }}\n"
        done = subprocess.run(["ptxas", "-arch=sm_90", "-", "-o", "/dev/null"], input=text, capture_output=True, text=True)
        if done.returncode == 0:
            return each
    sys.exit("error: this ptxas reads no PTX of version 8.6 or later")


def taken(target, isa, forms):
    """The forms that ptxas accepts."""
    alive, refused = list(range(len(forms))), set()
    while alive:
        lines, places = [f".version {isa}", f".target {target}", ".address_size 64", ".visible .entry k() .reqntid 128, 1, 1 {"], {}
        for n in alive:
            declared, written = statement(forms[n], f"%x{n}_")
            lines += declared
            lines.append(written)
            places[len(lines)] = n
        lines += ["ret;", "}"]
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
            file.write("\n".join(lines) + "\n")
            file.flush()
            try:
                done = subprocess.run(["ptxas", "-O0", f"-arch={target}", file.name, "-o", "/dev/null"], capture_output=True, text=True, timeout=60)
                status, output = done.returncode, done.stderr + done.stdout
            except subprocess.TimeoutExpired:
                status, output = 1, ""
        if status == 0:
            break
        wrong = {places[int(line)] for line in re.findall(r"line (\d+); (?:error|fatal)", output) if int(line) in places}
        if not wrong:
            if len(alive) == 1:
                refused.add(alive[0])
                break
            half = len(alive) // 2
            for part in (alive[:half], alive[half:]):
                good = taken(target, isa, [forms[n] for n in part])
                refused |= {n for at, n in enumerate(part) if not good[at]}
            break
        refused |= wrong
        alive = [n for n in alive if n not in wrong]
    return [n not in refused for n in range(len(forms))]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    targets = sys.argv[3:] or TARGETS
    if not shutil.which("ptxas"):
        sys.exit("error: ptxas is not on the PATH; it comes with the CUDA toolkit")
    forms = pathlib.Path(sys.argv[1]).read_text().splitlines()
    isa, masks = version(), [0] * len(forms)
    chunks = [(bit, at) for bit in range(len(targets)) for at in range(0, len(forms), CHUNK)]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        jobs = {pool.submit(taken, targets[bit], isa, forms[at : at + CHUNK]): (bit, at) for bit, at in chunks}
        for job in concurrent.futures.as_completed(jobs):
            bit, at = jobs[job]
            for n, good in enumerate(job.result()):
                masks[at + n] |= good << bit
    with open(sys.argv[2], "w") as out:
        print(f"# PTX {isa}, {subprocess.run(['ptxas', '--version'], capture_output=True, text=True).stdout.split('release ')[-1].split(',')[0]}:", *targets, file=out)
        for mask, form in zip(masks, forms):
            print(f"{mask:x}\t{form}", file=out)
    for bit, target in enumerate(targets):
        print(f"{target}: {sum(mask >> bit & 1 for mask in masks)} of {len(forms)} taken")


if __name__ == "__main__":
    main()
