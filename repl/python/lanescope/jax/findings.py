"""Reports the findings of a run at the user's lines.

A finding of a run in this process has a place in the module. A worker's finding has a place in PTX, whose `.loc` names
the line of the module. The module's locations name the lines of Python, from the innermost call on:

    kernel.ptx:120:5   ->   module:87   ->   my_kernel.py:13, called at my_kernel.py:40"""
import dataclasses
import os
import re

PLACE = re.compile(r"(?:^|\()\S+\.ptx:(\d+):\d+: `")
IN_PTX = re.compile(r"^\S+\.ptx:\d+:\d+: `.*`$|,? (at this instruction of the PTX )?\(\S+\.ptx:\d+:\d+: `.*`\)$")
AT_PTX = re.compile(r",? at this instruction of the PTX$")
LOCATION = re.compile(r"^\s*\.loc\s+1\s+(\d+)")
ALIAS = re.compile(r"^(#loc\d*) = loc\((.*)\)$")
AT_END = re.compile(r"loc\((#loc\d*)\)\s*$")
PART = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):\d+|(#loc\d*)')
# Files of the libraries that lower a kernel. All other files belong to the program.
LIBRARY = re.compile(r"[/\\](jax[/\\](_src|experimental[/\\]mosaic)|lanescope[/\\]jax)[/\\]")


@dataclasses.dataclass(frozen=True)
class Finding:
    severity: str  # "error", "warning" or "note"
    kind: str
    message: str
    at: list  # (file, line) pairs, the innermost place first
    notes: list  # pairs of a message and its (file, line) pairs


def module_lines(located):
    """For each line of the module's text without locations, the (file, line) pairs of its location, the innermost
    first."""
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
    """The places that are in the program; all places if none of them is."""
    return [each for each in places if not LIBRARY.search(each[0])] or places


def of_run(found, name, text, lines):
    """Converts a finding of a run in this process, as `_native` returns it. `name` and `text` are those of the
    module, and `lines` are its module_lines."""
    def python(place):
        inside = place and place["path"] == name and 0 < place["line"] <= len(lines)
        return lines[place["line"] - 1] if inside else []

    at = python(found["place"])
    notes = [(quoted(found["place"], name, text), [])] if found["place"] and not at else []
    for note in found["notes"]:
        origin = python(note["place"])
        message = AT_PTX.sub("", note["message"]) if at else note["message"]
        notes.append((message, origin))
    return Finding(found["severity"], found["kind"], found["message"], at, notes)


def quoted(place, name, text):
    """A text that names a place in the module or in PTX."""
    lines = text.splitlines()
    shown = f": `{lines[place['line'] - 1].strip()}`" if place["path"] == name and 0 < place["line"] <= len(lines) else ""
    return f"{place['path']}:{place['line']}:{place['column']}{shown}"


def of_worker(diagnostic, places):
    """Converts a worker's diagnostic. Its places are in the texts of its notes."""
    at = next(filter(None, map(places.of, diagnostic.notes)), [])
    notes = []
    for note in diagnostic.notes:
        origin = places.of(note)
        notes.append((IN_PTX.sub("", note) if origin else note, origin))
    return Finding(diagnostic.severity, diagnostic.kind, diagnostic.message, at, notes)


class Places:
    """Finds places in Python for places in PTX. `lines`: module_lines of the compiled module. `ptx`: its PTX."""

    def __init__(self, lines, ptx):
        self.module, self.ptx, current = lines, [], 0
        for line in ptx.splitlines():
            if found := LOCATION.match(line):
                current = int(found[1]) or current  # line 0 means no particular line
            self.ptx.append(current)

    def of(self, note):
        """The (file, line) pairs in Python for the place in PTX that a note names."""
        found = PLACE.search(note)
        if not found or int(found[1]) > len(self.ptx):
            return []
        line = self.ptx[int(found[1]) - 1]
        return self.module[line - 1] if 0 < line <= len(self.module) else []


def shown(place):
    file, line = place
    near = os.path.relpath(file)
    return f"{file if near.startswith('..') else near}:{line}"


def tell(kernel, findings, stream):
    """Writes findings as compilers do, with the place first. The calls that lead to the place follow, and then notes
    with their own places."""
    for each in findings:
        print(f"{shown(each.at[0]) if each.at else f'kernel {kernel}'}: {each.severity}: {each.message} [{each.kind}]", file=stream)
        for outer in each.at[1:]:
            print(f"  {shown(outer)}: called here", file=stream)
        for message, origin in each.notes:
            if message:
                print(f"  {shown(origin[0]) + ': ' if origin and origin != each.at else ''}note: {message}", file=stream)


def summary(kernel, findings):
    errors = [each for each in findings if each.severity == "error"]
    return f"kernel `{kernel}` is at fault: " + "; ".join(f"{each.message} [{each.kind}]" for each in errors)
