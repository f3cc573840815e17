"""Writes a form of an instruction as PTX. Each letter becomes a register of its kind (see forms.py)."""
import re

TYPES = {"c": "b8", "h": "b16", "r": "b32", "l": "b64", "q": "b128", "f": "f32", "d": "f64", "p": "pred"}
_OPERAND = re.compile(r"\{([a-z])\*(\d+)\}|(?<![\w.])([chrlqfdp])(?![\w.])")


def statement(form, prefix):
    """(declarations, the instruction), each on one line."""
    op, _, operands = form.partition(" ")
    declared = []

    def register(letter):
        name = f"{prefix}{len(declared)}"
        declared.append(f".reg .{TYPES[letter]} {name};")
        return name

    def replace(match):
        if match.group(1):
            return "{" + ", ".join(register(match.group(1)) for _ in range(int(match.group(2)))) + "}"
        return register(match.group(3))

    return declared, f"{op} {_OPERAND.sub(replace, operands)};"
