# A program has no arguments here: what it asks for has its default.

class ArgumentParser:
  """Options with their defaults."""
  def __init__(self, prog=None, usage=None, description=None, epilog=None, **others):
    self.description = description
    self._defaults = {}
    self._required = []
  def add_argument(self, *flags, action=None, nargs=None, default=None, type=None, choices=None, required=False,
                   help=None, metavar=None, dest=None, const=None):
    positional = not flags[0].startswith("-")
    longest = [flag for flag in flags if flag.startswith("--")]
    name = dest or (longest or flags)[0].lstrip("-").replace("-", "_")
    if default is None and action in ("store_true", "store_false"):
      default = action == "store_false"
    if isinstance(default, str) and type is not None:
      default = type(default)
    if (positional and nargs not in ("?", "*")) or required:
      self._required.append(name)
    self._defaults[name] = [] if positional and nargs == "*" and default is None else default
  def add_argument_group(self, title=None, description=None):
    return self
  def add_mutually_exclusive_group(self, required=False):
    return self
  def set_defaults(self, **values):
    self._defaults.update(values)
  def parse_args(self, args=None, namespace=None):
    if args:
      raise NotImplementedError("a program has no arguments here; call what it does with them, or set the defaults")
    if len(self._required) > 0:
      raise ValueError(f"the following arguments are required: {', '.join(self._required)}")
    return Namespace(**self._defaults)
  def parse_known_args(self, args=None, namespace=None):
    return self.parse_args(args), []
  def error(self, message):
    raise SystemExit(message)
  def print_help(self):
    print(self.description or "")

class Namespace:
  """Names as attributes."""
  def __init__(self, **names):
    for name, value in names.items():
      setattr(self, name, value)
  def __repr__(self):
    return "Namespace(" + ", ".join([f"{name}={value!r}" for name, value in vars(self).items()]) + ")"

class ArgumentDefaultsHelpFormatter:
  """How help would be written."""

RawDescriptionHelpFormatter = ArgumentDefaultsHelpFormatter
