import math, numpy as np
from itertools import (product, chain as joined)
from functools import partial
def f(a, /, b: int = 2, *c, d=partial(max, 1), **e) -> int:
  nonlocal_ = 1
  def g():
    nonlocal nonlocal_
    nonlocal_ += 1
  g()
  return nonlocal_
x: float = np.arange(3)[[0, 1]][:, None].sum(axis=-1, keepdims=True)
np.random.default_rng([1, 2]).integers(0, 9, size=(2,))
np.einsum("...i,i->...", np.ones((2, 3)), [1, 2, 3])
