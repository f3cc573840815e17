"""The builtins of the snippet language as Python functions, with their signatures and docstrings."""

import functools
import inspect

from . import _native


class _Written:
    """A default value, printed as the signature writes it."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


@functools.cache
def entries():
    """All builtins by their names. Each is a dict with name, signature, doc and group."""
    return {each["name"]: each for each in _native.builtins() if each["group"] not in ("modules", "prefixes")}


def parameters_of(text):
    """The parameters of a signature text such as `run(kernel, *arguments, device=None)`."""
    kind, out = inspect.Parameter.POSITIONAL_OR_KEYWORD, []
    for word in _split(text[text.index("(") + 1 : text.rindex(")")]):
        name, _, default = word.partition("=")
        if name == "*":
            kind = inspect.Parameter.KEYWORD_ONLY
        elif name.startswith("**"):
            out.append(inspect.Parameter(name[2:], inspect.Parameter.VAR_KEYWORD))
        elif name.startswith("*"):
            out.append(inspect.Parameter(name[1:], inspect.Parameter.VAR_POSITIONAL))
            kind = inspect.Parameter.KEYWORD_ONLY
        else:
            out.append(inspect.Parameter(name, kind, default=_Written(default) if default else inspect.Parameter.empty))
    return out


def _split(text):
    """The parts between those commas that are outside of brackets and strings."""
    out, depth, quoted, part = [], 0, False, ""
    for c in text:
        quoted ^= c == '"'
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0 and not quoted:
            out.append(part.strip())
            part = ""
        else:
            part += c
    return [*out, part.strip()] if part.strip() else out


def get(name):
    """The package's value for `name`: a function, or a constant such as `WGMMA` and `f32`."""
    value = _native.builtin(name)
    entry = entries()[name]
    if not entry["signature"]:
        return value

    def function(*arguments, **named):
        return value(*arguments, **named)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "lanescope"
    function.__doc__ = entry["doc"]
    try:
        function.__signature__ = inspect.Signature(parameters_of(entry["signature"]))
    # Python refuses the order of the parameters, as in `range(start=0, stop)`: put the signature into the docstring.
    except ValueError:
        function.__doc__ = f"{entry['signature']}\n\n{entry['doc']}"
    function.__lanescope__ = lambda: value  # the value that a kernel sees under this name
    return function
