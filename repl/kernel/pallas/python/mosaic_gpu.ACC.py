@dataclass
class _Initial:
  """An accumulator that begins with a value, for `pl.run_state`."""
  initial: object
  spec: object

def ACC(shape, dtype=f32):
  """An accumulator of `wgmma`."""
  assert not hasattr(shape, "shape"), "an accumulator that begins with a value is `plgpu.ACC.init(value)`, for `pl.run_state`"
  return _accumulator(shape, dtype)

def init(value):
  """An accumulator that begins with a value, for `pl.run_state`."""
  return _Initial(value, _accumulator(value.shape, value.dtype))
