def SMEM(shape, dtype, *, transforms=()):
  """A buffer in shared memory with `transforms=(plgpu.TilingTransform(…), plgpu.SwizzleTransform(…))`. Without any,
  it gets the transforms that its uses require."""
  return _buffer(shape, dtype, transforms)
