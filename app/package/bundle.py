#!/usr/bin/env python3
"""Makes the archives that contain their own libraries: a .tar.xz to unpack anywhere, a wheel for pip, and the worker
alone.
Usage: bundle.py BUILD OUT [tar] [wheel] [worker]

BUILD is a build tree with the targets `product` and `standalone`. The C library, the C++ library and OpenGL are not
included: the graphics drivers need the machine's own."""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
FONTS = {
    "fonts-dejavu-core": ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf"],
    "fonts-jetbrains-mono": ["JetBrainsMono-Regular.ttf", "JetBrainsMono-Bold.ttf"],
}
MACHINES_OWN = re.compile(
    r"^(ld-linux.*|lib(c|m|dl|rt|pthread|util|resolv)\.so.*|libstdc\+\+\.so.*|libgcc_s\.so.*|lib(GL|GLX|EGL|OpenGL|GLdispatch)\.so.*)$"
)
PYTHON = "lib/python3/dist-packages/lanescope"
CUDA = "lib/lanescope/cuda"  # libraries that `lanescope cuda` loads into programs
LAUNCHER = """#!python
import importlib.util, os, sys
folder = importlib.util.find_spec("lanescope").submodule_search_locations[0]
program = os.path.join(folder, "bin", "@PROGRAM@")
os.execv(program, [program, *sys.argv[1:]])
"""


def answer(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def libraries(file):
    """The shared libraries that a file needs, directly or through other libraries, as {soname: path}."""
    found = {}
    for line in answer("ldd", file).splitlines():
        match = re.match(r"\s*(\S+) => (\S+) \(", line)
        if "not found" in line:
            sys.exit(f"bundle.py: {file} needs a library that is missing: {line.strip()}")
        if match and not MACHINES_OWN.match(match[1]):
            found[match[1]] = match[2]
    return found


def package_of(path):
    for name in (path, os.path.realpath(path), re.sub("^/usr(?=/lib)", "", path), re.sub("^/usr(?=/lib)", "", os.path.realpath(path))):
        done = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    sys.exit(f"bundle.py: no package of Debian owns {path}, so its licence is unknown")


def put_licence(package, folder):
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(f"/usr/share/doc/{package}/copyright", folder / package)


def put_libraries(files, folder, licences):
    folder.mkdir(parents=True, exist_ok=True)
    needed = {}
    for file in files:
        needed.update(libraries(file))
    for name, path in sorted(needed.items()):
        shutil.copyfile(path, folder / name)
        # The loader searches a library's own path before the program's. This path may name a folder of the build
        # machine.
        if "PATH" in answer("readelf", "-d", folder / name):
            subprocess.run(["patchelf", "--remove-rpath", folder / name], check=True)
        put_licence(package_of(path), licences)


def put_fonts(folder, licences):
    folder.mkdir(parents=True)
    for package, names in FONTS.items():
        files = answer("dpkg-query", "-L", package).split()
        for name in names:
            shutil.copyfile(next(file for file in files if file.endswith("/" + name)), folder / name)
        put_licence(package, licences)


def set_search_path(file, path):
    # DT_RPATH, the older kind of search path, also applies to the dependencies of the libraries.
    subprocess.run(["patchelf", "--force-rpath", "--set-rpath", path, file], check=True)


def stage(build, root):
    """Makes the installed tree, with its own libraries and fonts."""
    subprocess.run(["cmake", "--install", build, "--prefix", root, "--strip"], check=True, stdout=subprocess.DEVNULL)
    compiler, window = (root / f"lib/lanescope/liblanescope_{part}.so" for part in ("compiler", "window"))
    programs = [root / "bin/lanescope", root / "bin/lanescope-worker", root / PYTHON / "_native.abi3.so"]
    for file in (programs[0], programs[2], compiler):
        subprocess.run(["strip", "--strip-unneeded", "-o", file, build / "standalone" / file.name], check=True)
    licences = root / "share/doc/lanescope/licences"
    cuda = root / CUDA
    put_libraries([*programs, compiler, window, cuda / "libcuda.so.1"], root / "lib/lanescope", licences)
    put_fonts(root / "share/lanescope/fonts", licences)
    put_licence("libutf8proc-dev", licences)  # in the programs themselves
    for file in programs[:1]:
        set_search_path(file, "$ORIGIN/../lib/lanescope")
    set_search_path(programs[2], "$ORIGIN/../../../lanescope")
    set_search_path(compiler, "$ORIGIN")
    set_search_path(window, "$ORIGIN")
    set_search_path(cuda / "libcuda.so.1", "$ORIGIN/..")
    set_search_path(cuda / "libcudart.so.13", "$ORIGIN")
    shutil.copyfile(root / "share/doc/lanescope/README.md", root / "README.md")
    shutil.copyfile(HERE.parent.parent / "LICENSE", root / "LICENSE")


def make_tar(root, out, version):
    archive = out / f"lanescope-{version}-linux-x86_64.tar.xz"
    subprocess.run(
        ["tar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0", "-I", "xz -6 -T0", "-cf", archive,
         "-C", root.parent, root.name],
        check=True,
    )  # fmt: skip
    return archive


def newest_glibc(files):
    versions = {(2, 17)}
    for file in files:
        for match in re.finditer(r"GLIBC_(\d+)\.(\d+)", answer("readelf", "-V", file)):
            versions.add((int(match[1]), int(match[2])))
    return max(versions)


def package_tree(root, tree):
    """Makes one Python package of the installed tree, which contains programs, libraries and data."""
    package = tree / "lanescope"
    shutil.copytree(root / PYTHON, package)
    shutil.copytree(root / "lib/lanescope", package / "lib")
    shutil.copytree(root / "bin", package / "bin")
    shutil.copytree(root / "share/lanescope", package / "share/lanescope")
    set_search_path(package / "_native.abi3.so", "$ORIGIN/lib")
    set_search_path(package / "bin/lanescope", "$ORIGIN/../lib")
    return package


def make_wheel(root, out, version):
    with tempfile.TemporaryDirectory(dir=out) as folder:
        tree = pathlib.Path(folder)
        package = package_tree(root, tree)
        binaries = [package / "_native.abi3.so", *(package / "bin").iterdir(), *(package / "lib").rglob("*.so*")]
        tag = "py3-none-manylinux_{}_{}_x86_64".format(*newest_glibc(binaries))
        scripts = tree / f"lanescope-{version}.data/scripts"
        scripts.mkdir(parents=True)
        for program in ("lanescope", "lanescope-worker"):
            (scripts / program).write_text(LAUNCHER.replace("@PROGRAM@", program))
            (scripts / program).chmod(0o755)
        info = tree / f"lanescope-{version}.dist-info"
        info.mkdir()
        readme = (root / "README.md").read_text()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: lanescope\nVersion: {version}\n"
            "Summary: Layouts of GPU tiles, and kernels run and checked on an emulator\nLicense: Apache-2.0\n"
            "Requires-Python: >=3.11\nRequires-Dist: numpy\nDescription-Content-Type: text/markdown\n\n" + readme
        )
        (info / "entry_points.txt").write_text("[pytest11]\nlanescope = lanescope.pytest_plugin\n")
        (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: lanescope\nRoot-Is-Purelib: false\nTag: {tag}\n")
        shutil.copytree(root / "share/doc/lanescope/licences", info / "licenses")
        shutil.copyfile(root / "LICENSE", info / "licenses/LICENSE")
        archive = out / f"lanescope-{version}-{tag}.whl"
        write_zip(tree, archive, f"lanescope-{version}.dist-info/RECORD")
    return archive


def write_zip(tree, archive, record):
    lines = []
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for path in sorted(each for each in tree.rglob("*") if each.is_file()):
            name, content = path.relative_to(tree).as_posix(), path.read_bytes()
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | (0o755 if os.access(path, os.X_OK) else 0o644)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(content)}\n")
        wheel.writestr(zipfile.ZipInfo(record, (1980, 1, 1, 0, 0, 0)), "".join(lines) + f"{record},,\n")


def main():
    build, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    wanted = sys.argv[3:] or ["tar", "wheel", "worker"]
    out.mkdir(parents=True, exist_ok=True)
    version = answer(build / "bin/lanescope", "--version").split()[1]
    made = []
    with tempfile.TemporaryDirectory(dir=out) as folder:
        root = pathlib.Path(folder) / f"lanescope-{version}-linux-x86_64"
        stage(build, root)
        if "worker" in wanted:
            made.append(out / f"lanescope-worker-{version}-linux-x86_64")
            shutil.copy(root / "bin/lanescope-worker", made[-1])
        if "tar" in wanted:
            made.append(make_tar(root, out, version))
        if "wheel" in wanted:
            made.append(make_wheel(root, out, version))
    for file in made:
        print(f"{file.stat().st_size / 1e6:6.1f} MB  {file.name}")


if __name__ == "__main__":
    main()
