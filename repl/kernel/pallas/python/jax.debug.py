def print(fmt, *args, ordered=False, **named):
  """The text with its fields `{…}` filled in; in a kernel as `pl.debug_print`."""
  if _in_kernel():
    if len(named) > 0:
      raise NotImplementedError("in a kernel, `jax.debug.print` takes its values by position")
    _debug_print(fmt, *args)
  else:
    _print(fmt.format(*args, **named))

def callback(function, *args, ordered=False, **named):
  """The function of the host's values."""
  function(*args, **named)

def breakpoint(**options):
  """Nothing: `lanescope debug` stops in kernels."""
