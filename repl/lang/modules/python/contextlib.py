class nullcontext:
  """`with nullcontext(x) as y:` does nothing but give x."""
  def __init__(self, enter_result=None):
    self.enter_result = enter_result
  def __enter__(self):
    return self.enter_result
  def __exit__(self, kind, value, traceback):
    return None

class suppress:
  """`with suppress(ValueError):` ends the block at such an error, and goes on behind it."""
  def __init__(self, *kinds):
    self.kinds = kinds
  def __enter__(self):
    return None
  def __exit__(self, kind, value, traceback):
    return kind is not None and isinstance(value, self.kinds)

class _Manager:
  def __init__(self, items):
    self._items = items
  def __enter__(self):
    item = next(self._items, _END)
    if item is _END:
      raise RuntimeError("the function under `@contextmanager` did not yield")
    return item
  def __exit__(self, kind, value, traceback):
    if kind is None:
      if next(self._items, _END) is not _END:
        raise RuntimeError("the function under `@contextmanager` yields once")
      return False
    try:
      _throw(self._items, value)
    except BaseException as e:
      if e is value:
        return False
      raise
    return True

class _End:
  """Nothing more."""

_END = _End()

def contextmanager(function):
  """Above a function that yields once: what stands before the `yield` opens a `with` block, what stands behind it ends it."""
  return lambda *arguments, **named: _Manager(function(*arguments, **named))
