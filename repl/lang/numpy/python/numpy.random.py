# The functions of NumPy's one RandomState. Before a seed is set, the numbers are those of 0: nothing is left to chance.

_legacy = RandomState(0)

seed = _legacy.seed
rand = _legacy.rand
randn = _legacy.randn
randint = _legacy.randint
random = _legacy.random_sample
random_sample = _legacy.random_sample
ranf = _legacy.random_sample
sample = _legacy.random_sample
standard_normal = _legacy.standard_normal
normal = _legacy.normal
uniform = _legacy.uniform
permutation = _legacy.permutation
shuffle = _legacy.shuffle
choice = _legacy.choice

class PCG64:
  """The bits of `default_rng(seed)`, for `Generator(PCG64(seed))`."""
  def __init__(self, seed=None):
    self.seed = seed

def Generator(bit_generator):
  """`default_rng` of the bits' seed."""
  return default_rng(bit_generator.seed)
