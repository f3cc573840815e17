def cuda_runtime_get_version():
  """13.0, the first release that takes all that kernels here are compiled to; no runtime is asked."""
  return 13000
