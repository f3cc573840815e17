DEBUG = 10
INFO = 20
WARNING = 30
ERROR = 40
CRITICAL = 50

_root = {"level": WARNING}

class _Logger:
  def __init__(self, name):
    self.name = name
    self.level = 0
  def setLevel(self, level):
    self.level = level
  def isEnabledFor(self, level):
    return level >= (self.level or _root["level"])
  def log(self, level, message, *args):
    if self.isEnabledFor(level):
      _remark(str(message) % args if args else str(message))
  def debug(self, message, *args):
    self.log(DEBUG, message, *args)
  def info(self, message, *args):
    self.log(INFO, message, *args)
  def warning(self, message, *args):
    self.log(WARNING, message, *args)
  def error(self, message, *args):
    self.log(ERROR, message, *args)
  def critical(self, message, *args):
    self.log(CRITICAL, message, *args)

_loggers = {"root": _Logger("root")}

def getLogger(name="root"):
  """The logger of that name; one for each."""
  return _loggers.setdefault(name, _Logger(name))

def basicConfig(level=WARNING, format=None, datefmt=None, stream=None, force=False, handlers=None):
  """Sets what is said from which level on; how it is written stays."""
  _root["level"] = level

debug = _loggers["root"].debug
info = _loggers["root"].info
warning = _loggers["root"].warning
error = _loggers["root"].error
critical = _loggers["root"].critical
