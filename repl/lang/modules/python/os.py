# Programs set XLA's flags here. What they set stays in the program.

environ = {}

def getenv(key, default=None):
  """What the program has set."""
  return environ.get(key, default)

sep = "/"
linesep = "\n"

def cpu_count():
  return 1

def getpid():
  return 1

class path:
  """Texts of paths; what they name is not looked at."""
  @staticmethod
  def join(first, *parts):
    out = first
    for part in parts:
      out = part if part.startswith("/") or not out else out + part if out.endswith("/") else out + "/" + part
    return out
  @staticmethod
  def basename(name):
    return name.rsplit("/", 1)[-1]
  @staticmethod
  def dirname(name):
    return name.rsplit("/", 1)[0] if "/" in name else ""
  @staticmethod
  def splitext(name):
    at = name.rfind(".")
    return (name[:at], name[at:]) if at > name.rfind("/") + 1 else (name, "")
  @staticmethod
  def exists(name):
    return False
