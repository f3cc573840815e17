#!/usr/bin/env python3
"""Checks which names of JAX's modules Lanescope's stand-in has: the table of docs/jax-names.md.

  tests/python/standin_names.py CHECKOUT [--update]

CHECKOUT is a folder of jax-ml/jax. The script reads its modules' public names from their sources. Without a checkout,
the script only checks that each name exists that the page claims. It needs NumPy, and is skipped (77) without NumPy or
if JAX is installed."""

import argparse
import ast
import importlib
import importlib.util
import os
import pathlib
import re
import sys

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/jax-names.md"
MODULES = {  # module -> its file in a checkout
    "jax": "jax/__init__.py", "jax.numpy": "jax/numpy/__init__.py", "jax.numpy.linalg": "jax/numpy/linalg.py", "jax.lax": "jax/lax/__init__.py",
    "jax.nn": "jax/nn/__init__.py", "jax.random": "jax/random.py", "jax.tree": "jax/tree.py", "jax.tree_util": "jax/tree_util.py",
    "jax.ops": "jax/ops/__init__.py", "jax.debug": "jax/debug.py", "jax.scipy.special": "jax/scipy/special.py", "jax.sharding": "jax/sharding.py",
    "jax.experimental.pallas": "jax/experimental/pallas/__init__.py", "jax.experimental.pallas.mosaic_gpu": "jax/experimental/pallas/mosaic_gpu.py",
    "jax.experimental.pallas.tpu": "jax/experimental/pallas/tpu.py", "jax.experimental.pallas.tpu_sc": "jax/experimental/pallas/tpu_sc.py",
}  # fmt: skip
HEAD = """# JAX's names in the stand-in

Which public names of JAX's modules `python3 -m lanescope run` has on a Python without JAX ([coming from JAX](coming-from-jax.md)). Any other name
is an AttributeError that says so. `tests/python/standin_names.py CHECKOUT --update` writes this page from JAX's sources.

| module | JAX's names | here |
|---|---|---|
"""


def public(path):
    """The names that a JAX module defines for its users: `x as x`, functions and constants."""
    out = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom):
            out |= {each.asname for each in node.names if each.asname == each.name or (each.asname and not each.asname.startswith("_"))}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            out.add(node.name)
        elif isinstance(node, ast.Assign):
            out |= {each.id for each in node.targets if isinstance(each, ast.Name)}
    return sorted(name for name in out if not name.startswith("_") and not name.endswith("_p") and name not in ("annotations", "typing"))


def has(module, name):
    return hasattr(importlib.import_module(module), name)


def wrapped(names):
    line, lines = "", []
    for name in names:
        if len(line) + len(name) > 138:
            lines.append(line.rstrip())
            line = ""
        line += f"`{name}` "
    return "\n".join([*lines, line.rstrip()])


def page(checkout):
    rows, lists = [], []
    for module, file in MODULES.items():
        names = public(checkout / file)
        here = [name for name in names if has(module, name)]
        rows.append(f"| `{module}` | {len(names)} | {len(here)} |")
        lists.append(f"## {module}\n\n{wrapped(here)}\n\nNot here: {len(names) - len(here)}.\n")
    return HEAD + "\n".join(rows) + "\n\n" + "\n".join(lists)


def promised():
    """(module, name) for each name that the page claims."""
    module = ""
    for line in PAGE.read_text().splitlines():
        if line.startswith("## "):
            module = line[3:]
        elif module:
            yield from ((module, name) for name in re.findall(r"`([^`]+)`", line))


def main():
    if importlib.util.find_spec("numpy") is None or importlib.util.find_spec("jax") is not None:
        return SKIPPED
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", nargs="?", default="")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    options.checkout = os.environ.get("JAX_CHECKOUT", options.checkout)
    from lanescope import standin

    standin.install()
    checkout = pathlib.Path(options.checkout)
    if options.update:
        PAGE.write_text(page(checkout))
    elif options.checkout and (checkout / "jax/numpy/__init__.py").exists() and page(checkout) != PAGE.read_text():
        print(f"{PAGE.name} is not what the script makes: --update writes it")
        return 1
    missing = [f"{module}.{name}" for module, name in promised() if not has(module, name)]
    print("\n".join(f"the page says that there is {name}" for name in missing) or f"{sum(1 for _ in promised())} names are here")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
