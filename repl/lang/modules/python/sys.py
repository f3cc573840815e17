# A program here has no arguments: what it is called with in a shell stays there.

argv = [""]
path = []
executable = ""
modules = {}
platform = "linux"
byteorder = "little"
version_info = (3, 13, 0)
version = "3.13.0"

def exit(code=None):
  """Ends the program: as it should with nothing or 0, with an error else."""
  raise SystemExit(code)

def setrecursionlimit(limit):
  """Changes nothing."""

class _Output:
  def write(self, text):
    print(text, end="")
    return len(text)
  def flush(self):
    """Nothing waits."""

stdout = _Output()

class _Remarks:
  """Text beside the output, a note for each."""
  def write(self, text):
    if text.strip():
      _remark(text.rstrip())
    return len(text)
  def flush(self):
    """Nothing waits."""

stderr = _Remarks()
