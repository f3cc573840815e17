"""The package's exceptions, warnings and findings."""


class Finding:
    """One fault, hazard, note or error, with its place.

    `severity` is "error" (a fault, or wrong input), "warning" (a hazard) or "note". `kind` is its name in
    docs/diagnostics.md. `parameters` has the names and numbers that the message speaks of, by the names that
    docs/diagnostics.md lists for the kind. `place` is a dict with path, line, column, end_line, end_column (from 1), or None. `notes`
    are more places that explain it, each a dict with `message` and `place`. `text` is the whole finding as the
    command line writes it."""

    __slots__ = ("severity", "kind", "message", "parameters", "text", "place", "notes")

    def __init__(self, diagnostic):
        for name in self.__slots__:
            setattr(self, name, diagnostic[name])
        self.text = self.text.rstrip("\n")

    @property
    def line(self):
        return self.place and self.place["line"]

    def __repr__(self):
        where = f"{self.place['path']}:{self.place['line']}: " if self.place else ""
        return f"<{self.severity} {self.kind}: {where}{self.message}>"

    def __str__(self):
        return self.text

    def _repr_html_(self):
        from ._pages import findings

        return findings([self])


class Error(Exception):
    """Lanescope refused a request, or failed. `findings` has each error with its place."""

    def __init__(self, findings):
        super().__init__("\n".join(each.text for each in findings))
        self.findings = findings

    @property
    def kind(self):
        return self.findings[0].kind


class ArgumentTypeError(Error, TypeError):
    """An argument of a type that the function does not take."""


class ArgumentValueError(Error, ValueError):
    """An argument whose value the function does not take."""


class NotInRangeError(Error, IndexError):
    """An index outside a shape."""


class Watcher:
    """Inside `with Watcher(remark, fault):`, `remark` gets each hazard and note that becomes a warning, and `fault` the
    findings of each `Fault`."""

    active = []

    def __init__(self, remark, fault):
        self.remark, self.fault = remark, fault

    def __enter__(self):
        Watcher.active.append(self)

    def __exit__(self, *exception):
        Watcher.active.remove(self)


def remark(finding):
    """Passes on a hazard or a note of a kernel's run."""
    for watcher in Watcher.active:
        watcher.remark(finding)


class Fault(Error):
    """A kernel went wrong, or would go wrong under another legal schedule: a race, a missing wait or fence, a deadlock,
    an address out of bounds."""

    def __init__(self, findings):
        super().__init__(findings)
        for watcher in Watcher.active:
            watcher.fault(findings)


class HazardWarning(UserWarning):
    """A kernel relies on behaviour that the PTX ISA does not promise."""


class NoteWarning(UserWarning):
    """A run has a remark on something that is not wrong by itself."""


_CLASSES = {
    "type": ArgumentTypeError,
    "arguments": ArgumentTypeError,
    "dtype-mismatch": ArgumentTypeError,
    "value": ArgumentValueError,
    "shape-mismatch": ArgumentValueError,
    "layout-syntax": ArgumentValueError,
    "tiling-does-not-apply": ArgumentValueError,
    "index-range": NotInRangeError,
}


def exception_of(findings):
    kind = findings[0].kind if findings else ""
    from . import _native

    if _native.is_fault(kind):
        return Fault(findings)
    return _CLASSES.get(kind, Error)(findings)
