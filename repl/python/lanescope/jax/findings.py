"""Prints the findings of a run at the user's lines.

A finding's place is a line of PTX. Its `.loc` says which line of the module it is of, and the module's locations say of which
lines of Python that is, from the innermost call on:

    kernel.ptx:120:5   ->   module:87   ->   my_kernel.py:13, called at my_kernel.py:40"""
import os
import re

PLACE = re.compile(r"(?:^|\()\S+\.ptx:(\d+):\d+: `")
IN_PTX = re.compile(r"^\S+\.ptx:\d+:\d+: `.*`$|,? (at this instruction of the PTX )?\(\S+\.ptx:\d+:\d+: `.*`\)$")
LOCATION = re.compile(r"^\s*\.loc\s+1\s+(\d+)")
ALIAS = re.compile(r"^(#loc\d*) = loc\((.*)\)$")
AT_END = re.compile(r"loc\((#loc\d*)\)\s*$")
PART = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):\d+|(#loc\d*)')
LIBRARY = re.compile(r"[/\\](jax[/\\](_src|experimental[/\\]mosaic)|lanescope[/\\]jax)[/\\]")  # how a kernel is lowered, not what it says


def module_lines(located):
    """For each line of the module without locations, the (file, line) pairs of its location, innermost first."""
    aliases, lines = {}, []
    for line in located.splitlines():
        if found := ALIAS.match(line):
            aliases[found[1]] = found[2]
        elif line or lines:
            lines.append(AT_END.search(line))

    def resolve(text, seen=()):
        for file, line, alias in PART.findall(text):
            if file:
                yield file, int(line)
            elif alias not in seen:
                yield from resolve(aliases.get(alias, ""), (*seen, alias))

    return [chosen(list(resolve(found[1]))) if found else [] for found in lines]


def chosen(places):
    """Those of the program, as far as there are such."""
    return [each for each in places if not LIBRARY.search(each[0])] or places


class Places:
    """`plain`: the module that was compiled; `located`: the same with locations, or nothing; `ptx`: what it became."""

    def __init__(self, plain, located, ptx):
        lines = module_lines(located)
        self.module = lines if len(lines) == len(plain.splitlines()) else []
        self.ptx, current = [], 0
        for line in ptx.splitlines():
            if found := LOCATION.match(line):
                current = int(found[1]) or current  # line 0: of no line in particular
            self.ptx.append(current)

    def of(self, note):
        """The (file, line) pairs of the PTX that a note names."""
        found = PLACE.search(note)
        if not found or int(found[1]) > len(self.ptx):
            return []
        line = self.ptx[int(found[1]) - 1]
        return self.module[line - 1] if 0 < line <= len(self.module) else []


def shown(place):
    file, line = place
    near = os.path.relpath(file)
    return f"{file if near.startswith('..') else near}:{line}"


def tell(kernel, places, diagnostics, stream):
    """Writes findings as compilers do, the place first; below, calls that lead there, and notes with places of their own.
    Places in PTX are told where there is no other."""
    for each in diagnostics:
        at = next(filter(None, map(places.of, each.notes)), [])
        print(f"{shown(at[0]) if at else f'kernel {kernel}'}: {each.severity}: {each.message} [{each.kind}]", file=stream)
        for outer in at[1:]:
            print(f"  {shown(outer)}: called here", file=stream)
        for note in each.notes:
            origin = places.of(note)
            said = IN_PTX.sub("", note) if origin else note
            if said:
                print(f"  {shown(origin[0]) + ': ' if origin and origin != at else ''}note: {said}", file=stream)


def summary(kernel, diagnostics):
    errors = [each for each in diagnostics if each.severity == "error"]
    return f"kernel `{kernel}` is at fault: " + "; ".join(f"{each.message} [{each.kind}]" for each in errors)
