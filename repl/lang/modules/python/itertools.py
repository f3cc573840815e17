# As lists, for there are no generators; what has no end is left out.

def product(*collections, repeat=1):
  """Tuples of one item of each, the last fastest."""
  rows = [()]
  for items in [list(c) for c in collections] * repeat:
    rows = [row + (item,) for row in rows for item in items]
  return rows

def chain(*collections):
  """All items of the first, then of the second, …"""
  return [item for items in collections for item in items]

def repeat(item, times):
  """The item `times` times."""
  return [item] * times

def islice(items, *bounds):
  """A part of the items, by stop, or start, stop and step."""
  items = list(items)
  if len(bounds) == 1:
    return items[:bounds[0]]
  return items[bounds[0]:bounds[1]:bounds[2] if len(bounds) > 2 else None]

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
