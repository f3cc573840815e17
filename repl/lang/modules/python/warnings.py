def warn(message, category=None, stacklevel=1):
  _remark(f"warning: {message}")

def filterwarnings(action, message="", category=None, module="", lineno=0, append=False):
  """Changes nothing."""

def simplefilter(action, category=None, lineno=0, append=False):
  """Changes nothing."""

class catch_warnings:
  """`with warnings.catch_warnings():` changes nothing."""
  def __init__(self, record=False, **others):
    self.record = record
  def __enter__(self):
    return [] if self.record else None
  def __exit__(self, kind, value, traceback):
    return None
