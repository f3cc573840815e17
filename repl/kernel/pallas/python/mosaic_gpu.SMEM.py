def SMEM(shape, dtype, *, transforms=()):
  """A buffer in shared memory; `transforms=(plgpu.TilingTransform(…), plgpu.SwizzleTransform(…))`."""
  return _buffer(shape, dtype, transforms)
