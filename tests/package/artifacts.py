#!/usr/bin/env python3
"""Installs the packages that `./dev package` has made into scratch folders and tries them, without access to the build.
Usage: artifacts.py PACKAGES [deb|tar|wheel|worker]… [--root CHROOT]

With --root, the script works in that folder by chroot, for example in a bare Debian, where apt installs the .deb and
its dependencies. Without it, the script only unpacks the .deb, which then runs with this machine's libraries.
Exit status 77: nothing to try."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SNIPPET = "samples/kernels/double.py"
RACE = """.version 8.7
.target sm_90a
.address_size 64
.visible .entry race(.param .u64 out) {
  .reg .b64 %rd<3>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  st.global.u32 [%rd1], %r1;
  ret;
}
"""
PROGRAM = """
import lanescope as ls, numpy
assert ls.WGMMA.owners((64, 8), (9, 2))["thread"] == [5]
@ls.kernel(grid=(1,))
def twice(x: ls.GMEM((128,), ls.f32), out: ls.Out((128,), ls.f32)):
    out[...] = x[...] * 2
x = numpy.arange(128, dtype="f4")
assert (twice(x) == x * 2).all()
print("python agrees")
"""


class Place:
    """The place of a trial: this machine or a chroot, with a minimal environment."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder  # the folder's path outside the chroot
        self.tried = 0

    def inside(self, path):
        path = pathlib.Path(path)
        return "/" / path.relative_to(self.root) if self.root else path

    def run(self, *command, expect=0, says="", environment={}, timeout=600):
        start = ["chroot", self.root] if self.root else []
        short = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(self.inside(self.folder)), "LC_ALL": "C.UTF-8"}
        shell = f"cd {self.inside(self.folder)} && exec \"$@\""
        done = subprocess.run(
            [*start, "/bin/sh", "-c", shell, "sh", *map(str, command)], env={**short, **environment}, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout,
        )  # fmt: skip
        shown = " ".join(map(str, command)).replace("\n", ";")[:90]
        if done.returncode not in ([expect] if isinstance(expect, int) else expect) or says not in done.stdout:
            sys.exit(f"FAILED ({done.returncode}): {shown}\nwanted {says!r}\n{done.stdout[-3000:]}")
        self.tried += 1
        return done.stdout


def try_programs(place, bin_folder, display=True):
    lanescope = bin_folder / "lanescope"
    place.run(lanescope, "--version", says="lanescope ")
    place.run(lanescope, "show", "WGMMA", "--shape", "64x16", says="T127")
    place.run(lanescope, "eval", "owners(WGMMA, (64, 8), (9, 2))", says="5     0     5         1       0")
    place.run(lanescope, "run", SNIPPET, "--device", "emulator", "--trace", "double.json")
    place.run(lanescope, "trace", "double.json", "--summary", says="warpgroup")
    place.run(lanescope, "compile", SNIPPET, "--emit", "ptx", says=".entry")
    (place.folder / "race.ptx").write_text(RACE)
    place.run(lanescope, "emulate", "race.ptx", "-o", "launch.json", expect=2, says="wrote launch.json")
    place.run(lanescope, "check", "race.ptx", expect=1, says="fault [race]")
    place.run(lanescope, "show", "WGMMA", "--shape", "64x16", "-o", "wgmma.png")
    place.run(lanescope, "doctor", says="lanescope-worker")
    place.run(bin_folder / "lanescope-worker", "--version", says="protocol")
    if not display:
        return
    if not os.path.exists(f"{place.root or ''}/usr/bin/xvfb-run"):
        print("  no xvfb-run here: the window is not tried")
        return
    place.run("xvfb-run", "-a", "-s", "-screen 0 1600x1000x24", lanescope, "gui", SNIPPET, "--script", "/dev/null",
              "--screenshot", "window.png")  # fmt: skip
    if (place.folder / "window.png").stat().st_size < 10000:
        sys.exit("FAILED: the window's picture is all but empty")


def try_python(place, python, environment={}):
    if subprocess.run([*(["chroot", place.root] if place.root else []), python, "-c", "import numpy"],
                      capture_output=True).returncode:  # fmt: skip
        print(f"  no NumPy in {python}: the package is imported only")
        place.run(python, "-c", "import lanescope as ls; print(ls.WGMMA)", says="TiledLayout", environment=environment)
        return
    (place.folder / "program.py").write_text(PROGRAM)
    place.run(python, "program.py", says="python agrees", environment=environment)


def try_deb(place, file):
    if place.root:
        shutil.copy(file, place.folder)
        place.run("apt-get", "install", "-y", "-qq", "--no-install-recommends", place.inside(place.folder / file.name),
                  environment={"DEBIAN_FRONTEND": "noninteractive"}, timeout=3000)  # fmt: skip
        try_programs(place, pathlib.Path("/usr/bin"))
        try_python(place, "/usr/bin/python3")
        place.run("test", "-s", "/usr/share/man/man1/lanescope-show.1.gz")
        return
    subprocess.run(["dpkg-deb", "-x", file, place.folder / "root"], check=True)
    usr = place.folder / "root/usr"
    try_programs(place, usr / "bin")
    try_python(place, "/usr/bin/python3", {"PYTHONPATH": str(usr / "lib/python3/dist-packages")})


def try_tar(place, file):
    subprocess.run(["tar", "-xf", file, "-C", place.folder], check=True)
    (folder,) = [each for each in place.folder.iterdir() if each.is_dir()]
    moved = place.folder / "moved here"
    folder.rename(moved)
    inside = place.inside(moved)
    for program in (moved / "bin").iterdir():
        needed = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
        if "/llvm-22/" in needed or "not found" in needed:
            sys.exit(f"FAILED: {program.name} takes libraries from outside the archive\n{needed}")
    try_programs(place, inside / "bin")
    if os.path.exists(f"{place.root or ''}/usr/bin/python3"):
        try_python(place, "/usr/bin/python3", {"PYTHONPATH": str(inside / "lib/python3/dist-packages")})


def try_wheel(place, file):
    shutil.copy(file, place.folder)
    place.run("/usr/bin/python3", "-m", "venv", "--system-site-packages", "venv")
    place.run("venv/bin/pip", "install", "-q", "--no-index", "--no-deps", file.name)
    venv = place.inside(place.folder) / "venv"
    try_programs(place, venv / "bin")
    try_python(place, venv / "bin/python")


def try_worker(place, file):
    worker = place.folder / "lanescope-worker"
    shutil.copy(file, worker)
    place.run(place.inside(worker), "--version", says="protocol")
    place.run(place.inside(worker), "info", expect=(0, 3))
    if file.stat().st_size > 10e6:
        sys.exit(f"FAILED: the worker has {file.stat().st_size} bytes, more than 10 MB")


KINDS = {
    "deb": (try_deb, "lanescope_*.deb"),
    "tar": (try_tar, "lanescope-*.tar.xz"),
    "wheel": (try_wheel, "lanescope-*.whl"),
    "worker": (try_worker, "lanescope-worker-*-x86_64"),
}


def main():
    arguments = sys.argv[1:]
    root = None
    if "--root" in arguments:
        at = arguments.index("--root")
        root = pathlib.Path(arguments[at + 1]).resolve()
        del arguments[at : at + 2]
    packages, wanted = pathlib.Path(arguments[0]), arguments[1:] or list(KINDS)
    tried = 0
    for kind in wanted:
        attempt, pattern = KINDS[kind]
        files = sorted(packages.glob(pattern))
        if not files:
            print(f"{kind}: {packages}/{pattern} is not there")
            continue
        base = f"{root}/tmp" if root else None
        with tempfile.TemporaryDirectory(dir=base) as folder:
            place = Place(root, pathlib.Path(folder))
            attempt(place, files[-1].resolve())
            print(f"{kind}: {files[-1].name}: {place.tried} commands did as they should")
        tried += 1
    return 0 if tried else 77


if __name__ == "__main__":
    sys.exit(main())
