"""The command that a sample names in its first lines: `lanescope run samples/kernels/double.py`."""
import re
import shlex

FIRST_LINES = 12


def named_command(path, root):
    """The words of the first command after `lanescope` that runs the file, or None. Commands that open a window are
    left out."""
    name = path.relative_to(root).as_posix()
    for line in path.read_text().splitlines()[:FIRST_LINES]:
        for found in re.findall(r"lanescope((?: +\S+)*? +" + re.escape(name) + r'(?: (?! )[^ "]+)*)', line):
            words = shlex.split(found)
            if words[0] != "gui":
                return words
    return None


def on_emulator(path, root):
    """The same command, on the emulator where it names no device."""
    words = named_command(path, root)
    return words if words is None or "--device" in words or words[0] != "run" else [*words, "--device", "emulator"]
