def warn(message, category=None, stacklevel=1):
  print(f"warning: {message}")

def filterwarnings(action, message="", category=None, module="", lineno=0, append=False):
  """Changes nothing."""

def simplefilter(action, category=None, lineno=0, append=False):
  """Changes nothing."""
