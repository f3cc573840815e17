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
  """Above a function that stands for `wrapped`: it stays what it is."""
  def decorate(function):
    return function
  return decorate

def cache(function):
  """The function itself: calls are not remembered."""
  return function

def lru_cache(maxsize=128, typed=False):
  """The function itself: calls are not remembered."""
  if callable(maxsize):
    return maxsize
  return cache

def cached_property(function):
  """A property; it is computed at each look."""
  return property(function)
