# Functions of Pallas for kernels of every target. `when`, `loop` and `run_state` become `if`, `for` and scopes.

def cdiv(a, b):
  """a / b, rounded up."""
  return (a + b - 1) // b

def align_to(x, a):
  """x, rounded up to a multiple of a."""
  return cdiv(x, a) * a

def when(condition):
  """`@pl.when(condition)` above a function runs it if the condition holds."""
  def decorate(body):
    if condition:
      body()
  return decorate

def loop(lower, upper, *, step=1, init_carry=None, unroll=None):
  """`@pl.loop(lower, upper)` above a function runs it for each index. With a carry, it takes and returns the carry."""
  if _on_subcore():
    if init_carry is None:
      return _subcore_loop(lower, upper, step=step)
    return _subcore_loop(lower, upper, step=step, init_carry=init_carry)
  def decorate(body):
    if init_carry is None:
      if unroll is True:
        for i in static_range(lower, upper, step):
          body(i)
      else:
        for i in range(lower, upper, step):
          body(i)
      return None
    carried = _tuples(init_carry)
    for i in range(lower, upper, step):
      carried = _tuples(body(i, _restored(carried, init_carry)))
    return _restored(carried, init_carry)
  return decorate

def run_state(body):
  """A function of values. It puts them into references, calls `body` with these, and returns their final values."""
  def run(*inits):
    tree = inits[0] if len(inits) == 1 else inits
    values = leaves(tree)
    def scoped(*refs):
      for ref, value in zip(refs, values):
        start = getattr(value, "initial", value)
        if start is not None:
          ref[...] = start
      body(_filled(tree, refs)) if len(inits) == 1 else body(*_filled(tree, refs))
      return tuple([ref[...] for ref in refs])
    return _filled(tree, run_scoped(scoped, *[getattr(value, "spec", value) for value in values]))
  return run

def _filled(tree, values):
  waiting = list(values)
  def following(_):
    return waiting.pop(0)
  return map(following, tree)

def load(ref, idx=()):
  """Reads a part of a reference."""
  return ref[idx if idx != () else ...]

def store(ref, idx, value):
  """Writes a part of a reference."""
  ref[idx] = value
