def dataclass(cls=None, *, frozen=False, init=True, repr=True, eq=True, order=False, kw_only=False, slots=False,
              unsafe_hash=False):
  """Above a class: its annotated names are fields, which its constructor takes and `==` compares."""
  if cls is not None:
    return _mark(cls)
  def decorate(cls):
    return _mark(cls, frozen=frozen, order=order, eq=eq)
  return decorate

class Field:
  """What `fields` tells of one."""
  def __init__(self, name):
    self.name = name

def fields(x):
  """The fields of a dataclass, or of an instance: their names."""
  return tuple([Field(name) for name in _names(x)])

def make_dataclass(name, fields, **options):
  raise NotImplementedError("write the class: `@dataclass` above `class Name:`")
