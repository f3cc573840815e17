def OrderedDict(pairs=(), **items):
  """A dict: all of them keep their order."""
  return dict(pairs, **items)

def Counter(items=(), **counts):
  """A dict of how often each item comes; a key that it lacks counts 0."""
  out = _kind_of_dict(True, None)
  out.update(items, **counts)
  return out

def defaultdict(default_factory=None, pairs=(), **items):
  """A dict that makes the value of a key that it lacks, by `default_factory()`."""
  out = _kind_of_dict(False, default_factory)
  out.update(pairs, **items)
  return out

class deque:
  """Items that are added and taken at both ends; with `maxlen`, no more than so many."""
  def __init__(self, items=(), maxlen=None):
    self._items = list(items)
    self.maxlen = maxlen
    self._cut(False)
  def _cut(self, left):
    while self.maxlen is not None and len(self._items) > self.maxlen:
      self._items.pop(-1 if left else 0)
  def append(self, item):
    self._items.append(item)
    self._cut(False)
  def appendleft(self, item):
    self._items.insert(0, item)
    self._cut(True)
  def pop(self):
    if len(self._items) == 0:
      raise IndexError("pop from an empty deque")
    return self._items.pop()
  def popleft(self):
    if len(self._items) == 0:
      raise IndexError("pop from an empty deque")
    return self._items.pop(0)
  def extend(self, items):
    for item in items:
      self.append(item)
  def extendleft(self, items):
    for item in items:
      self.appendleft(item)
  def rotate(self, n=1):
    if len(self._items) > 0:
      n = n % len(self._items)
      self._items = self._items[len(self._items) - n:] + self._items[:len(self._items) - n]
  def clear(self):
    self._items = []
  def copy(self):
    return deque(self._items, self.maxlen)
  def count(self, item):
    return self._items.count(item)
  def index(self, item):
    return self._items.index(item)
  def insert(self, index, item):
    self._items.insert(index, item)
  def remove(self, item):
    self._items.remove(item)
  def reverse(self):
    self._items.reverse()
  def __len__(self):
    return len(self._items)
  def __iter__(self):
    return iter(list(self._items))
  def __contains__(self, item):
    return item in self._items
  def __getitem__(self, index):
    return self._items[index]
  def __setitem__(self, index, item):
    self._items[index] = item
  def __eq__(self, other):
    return isinstance(other, deque) and self._items == other._items
  def __repr__(self):
    return f"deque({self._items!r})" if self.maxlen is None else f"deque({self._items!r}, maxlen={self.maxlen})"
