def copy(x):
  """A list, dict, set or array of its own, with the same items."""
  if isinstance(x, list):
    return list(x)
  if isinstance(x, dict):
    return dict(x)
  if isinstance(x, set):
    return set(x)
  if hasattr(x, "__dict__") and not callable(x):
    raise NotImplementedError("lists, tuples, dicts, sets and arrays are copied here; "
                              "`dataclasses.replace(x)` makes another instance")
  return x.copy() if hasattr(x, "copy") else x

def deepcopy(x):
  """A copy whose items are copies."""
  if isinstance(x, list):
    return [deepcopy(item) for item in x]
  if isinstance(x, tuple):
    return tuple([deepcopy(item) for item in x])
  if isinstance(x, dict):
    return {key: deepcopy(value) for key, value in x.items()}
  return copy(x)
