# What has an end is a list where each item takes the same work; iterators are functions that are asked until they end.

class _End:
  """What such a function gives when nothing is left."""

_END = _End()

def count(start=0, step=1):
  """start, start + step, … without an end."""
  following = [start]
  def item():
    out = following[0]
    following[0] = out + step
    return out
  return iter(item, _END)

def cycle(items):
  """The items, and again, without an end."""
  items, place = list(items), [-1]
  def item():
    if len(items) == 0:
      return _END
    place[0] = (place[0] + 1) % len(items)
    return items[place[0]]
  return iter(item, _END)

def takewhile(predicate, items):
  """The items up to the first for which it is false."""
  out = []
  for item in iter(items):
    if not predicate(item):
      break
    out.append(item)
  return iter(out)

def dropwhile(predicate, items):
  """The items from the first on for which it is false."""
  rest = iter(items)
  for item in rest:
    if not predicate(item):
      return chain([item], rest)
  return iter([])

def groupby(items, key=None):
  """(key, items) of each run of items with the same key."""
  out = []
  for item in items:
    value = item if key is None else key(item)
    if len(out) > 0 and out[-1][0] == value:
      out[-1][1].append(item)
    else:
      out.append((value, [item]))
  return iter([(value, iter(group)) for value, group in out])

def product(*collections, repeat=1):
  """Tuples of one item of each, the last fastest."""
  rows = [()]
  for items in [list(c) for c in collections] * repeat:
    rows = [row + (item,) for row in rows for item in items]
  return rows

def _chained(collections):
  left = list(collections)
  here = [iter([])]
  def item():
    for _ in static_range(len(left) + 1):
      out = next(here[0], _END)
      if out is not _END or len(left) == 0:
        return out
      here[0] = iter(left.pop(0))
    return next(here[0], _END)
  return iter(item, _END)

class _Chain:
  def __call__(self, *collections):
    """All items of the first, then of the second, …"""
    return _chained(collections)
  def from_iterable(self, collections):
    return _chained(collections)

chain = _Chain()

def repeat(item, times=None):
  """The item `times` times, or without an end."""
  return iter(lambda: item, _END) if times is None else iter([item] * times)

def islice(items, *bounds):
  """A part of the items, by stop, or start, stop and step."""
  start, stop = (0, bounds[0]) if len(bounds) == 1 else (bounds[0] or 0, bounds[1])
  step = bounds[2] or 1 if len(bounds) > 2 else 1
  if stop is None:
    return iter(list(items)[start::step])
  out, rest = [], iter(items)
  for place in static_range(stop):
    item = next(rest, _END)
    if item is _END:
      break
    if place >= start and (place - start) % step == 0:
      out.append(item)
  return iter(out)

def accumulate(items, function=None, initial=None):
  """Running sums, or what `function` makes of them."""
  out = [] if initial is None else [initial]
  for item in items:
    if len(out) == 0:
      out.append(item)
    else:
      out.append(out[-1] + item if function is None else function(out[-1], item))
  return out

def pairwise(items):
  """Each item with its follower."""
  items = list(items)
  return list(zip(items[:-1], items[1:]))

def combinations(items, count):
  """All choices of `count` items, in their order."""
  items = list(items)
  if count == 0:
    return [()]
  return [(items[i],) + rest for i in static_range(len(items)) for rest in combinations(items[i + 1:], count - 1)]

def permutations(items, count=None):
  """All orders of `count` of the items."""
  items = list(items)
  count = len(items) if count is None else count
  if count == 0:
    return [()]
  return [(items[i],) + rest for i in static_range(len(items))
          for rest in permutations(items[:i] + items[i + 1:], count - 1)]

def zip_longest(*collections, fillvalue=None):
  """As zip, up to the longest."""
  columns = [list(c) for c in collections]
  longest = max([len(c) for c in columns])
  return [tuple([c[i] if i < len(c) else fillvalue for c in columns]) for i in static_range(longest)]

def starmap(function, rows):
  """The function of each row's parts."""
  return [function(*row) for row in rows]

def batched(items, n):
  """The items in tuples of n."""
  items = list(items)
  return [tuple(items[i:i + n]) for i in static_range(0, len(items), n)]

def compress(items, selectors):
  """The items beside which something true stands."""
  return iter([item for item, chosen in zip(items, selectors) if chosen])

def filterfalse(predicate, items):
  """The items for which the predicate does not hold; without one, those that are false."""
  return iter([item for item in items if not (item if predicate is None else predicate(item))])

def combinations_with_replacement(items, count):
  """All choices of `count` items, each as often as one likes."""
  items = list(items)
  if count == 0:
    return [()]
  return [(items[i],) + rest for i in static_range(len(items))
          for rest in combinations_with_replacement(items[i:], count - 1)]

def tee(items, n=2):
  """The items, n times."""
  items = list(items)
  return tuple([iter(list(items)) for _ in static_range(n)])
