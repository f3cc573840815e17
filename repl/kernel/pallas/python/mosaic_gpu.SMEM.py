def SMEM(shape, dtype, *, transforms=()):
  """A buffer in shared memory; `transforms=(plgpu.TilingTransform(…), plgpu.SwizzleTransform(…))`. Without any it gets those
  that its uses ask for."""
  return _buffer(shape, dtype, transforms)
