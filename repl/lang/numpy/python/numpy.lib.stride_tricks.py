def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
  """The windows of that shape, whose places come first; a copy, which does not change x."""
  import numpy as np
  x = np.asarray(x)
  sizes = tuple(window_shape) if isinstance(window_shape, (tuple, list)) else (window_shape,)
  axes = tuple(static_range(x.ndim)) if axis is None else tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
  if len(sizes) != len(axes):
    raise ValueError(f"there are {len(sizes)} sizes of windows, and {len(axes)} axes")
  for size, along in zip(sizes, axes):
    along = along % x.ndim
    n = x.shape[along] - size + 1
    if n < 1:
      raise ValueError(f"a window of {size} is larger than dimension {along} of size {x.shape[along]}")
    places = np.arange(n)[:, None] + np.arange(size)
    rank = x.ndim
    x = np.moveaxis(np.take(x, places, axis=along), along + 1, -1)
  return x

def broadcast_to(array, shape, subok=False):
  import numpy as np
  return np.broadcast_to(array, shape)

def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
  raise NotImplementedError("strides are not chosen here; `sliding_window_view`, `x[:, None]` and `x.reshape(…)` give views and windows")
