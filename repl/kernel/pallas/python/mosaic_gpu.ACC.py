class _Initial:
  """An accumulator with a value, for `pl.run_state`."""
  def __init__(self, value):
    self.initial = value
    self.spec = _accumulator(value.shape, value.dtype)

def ACC(shape, dtype=f32):
  """An accumulator of `wgmma`."""
  if hasattr(shape, "shape"):
    raise TypeError("an accumulator that begins with a value is `plgpu.ACC.init(value)`, for `pl.run_state`")
  return _accumulator(shape, dtype)

def init(value):
  """An accumulator that begins with a value, for `pl.run_state`."""
  return _Initial(value)
