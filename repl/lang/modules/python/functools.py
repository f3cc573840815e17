_NOTHING = "no initial value"

def reduce(function, items, initial=_NOTHING):
  """The items put together, two at a time, from the left."""
  items = list(items)
  if initial is _NOTHING:
    if len(items) == 0:
      raise TypeError("reduce() of nothing, with no initial value")
    total, items = items[0], items[1:]
  else:
    total = initial
  for item in items:
    total = function(total, item)
  return total

def wraps(wrapped, assigned=None, updated=None):
  """Above a function that stands for `wrapped`: it stays what it is, under the other's name."""
  return lambda function: _renamed(function, getattr(wrapped, "__name__", ""))

def update_wrapper(wrapper, wrapped, assigned=None, updated=None):
  return wraps(wrapped)(wrapper)

def cache(function):
  """A function that keeps what it gave for the same arguments."""
  return _remembering(function, None)

def lru_cache(maxsize=128, typed=False):
  """A function that keeps what it gave for the same arguments, up to `maxsize` of them."""
  if callable(maxsize):
    return _remembering(maxsize, 128)
  return lambda function: _remembering(function, maxsize)

def cmp_to_key(compare):
  """A key for sorting by a function that tells by its sign which of two comes first."""
  class Key:
    def __init__(self, value):
      self.value = value
    def __lt__(self, other):
      return compare(self.value, other.value) < 0
  return Key

def total_ordering(cls):
  """The class as it is: `sorted` and the like need its `__lt__` alone."""
  return cls

def cached_property(function):
  """A property; it is computed at each look."""
  return property(function)
