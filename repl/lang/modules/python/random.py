# Python's random numbers (MT19937), the same for a seed. Before one is set they are those of 0: nothing is left to chance.

class Random:
  """A stream of its own: `Random(3).random()`."""
  def __init__(self, x=0):
    self.seed(x)
  def seed(self, a=0):
    """Begins the numbers of an int."""
    if a is None:
      a = 0
    if not isinstance(a, int):
      raise NotImplementedError("a seed is an int here")
    a, words = abs(a), []
    while a > 0 or len(words) == 0:
      words.append(a & 4294967295)
      a = a >> 32
    import numpy as np
    self._bits = np.random.RandomState(words)
    self._second = None
  def random(self):
    """A float in [0, 1)."""
    return float(self._bits.random_sample())
  def getrandbits(self, k):
    if k < 1 or k > 32:
      raise NotImplementedError("from 1 to 32 bits are drawn here")
    import numpy as np
    return int(self._bits.randint(0, 4294967296, dtype=np.uint32)) >> (32 - k)
  def _below(self, n):
    bits = n.bit_length()
    out = self.getrandbits(bits)
    while out >= n:
      out = self.getrandbits(bits)
    return out
  def randrange(self, start, stop=None, step=1):
    """An int of range(start, stop, step)."""
    choices = static_range(start) if stop is None else static_range(start, stop, step)
    if len(choices) == 0:
      raise ValueError("randrange() of nothing")
    return choices[self._below(len(choices))]
  def randint(self, a, b):
    """An int from a up to b, both included."""
    return self.randrange(a, b + 1)
  def choice(self, seq):
    if len(seq) == 0:
      raise IndexError("there is nothing to choose from")
    return seq[self._below(len(seq))]
  def choices(self, population, weights=None, *, cum_weights=None, k=1):
    """k of them, with repetition."""
    n = len(population)
    if weights is None and cum_weights is None:
      return [population[int(self.random() * n)] for _ in static_range(k)]
    total, sums = 0.0, []
    for w in (weights or []):
      total = total + w
      sums.append(total)
    sums = sums if cum_weights is None else list(cum_weights)
    return [population[self._place(sums, self.random() * (sums[-1] + 0.0))] for _ in static_range(k)]
  def _place(self, sums, x):
    for i, edge in enumerate(sums[:-1]):
      if x < edge:
        return i
    return len(sums) - 1
  def shuffle(self, x):
    """The items of a list in another order, in place."""
    for i in reversed(static_range(1, len(x))):
      j = self._below(i + 1)
      x[i], x[j] = x[j], x[i]
  def sample(self, population, k):
    """k different ones."""
    n = len(population)
    if k < 0 or k > n:
      raise ValueError("Sample larger than population or is negative")
    size = 21
    if k > 5:
      power = 1
      while power < 3 * k:
        power = power * 4
      size = size + power
    out = []
    if n <= size:
      pool = list(population)
      for i in static_range(k):
        j = self._below(n - i)
        out.append(pool[j])
        pool[j] = pool[n - i - 1]
      return out
    taken = set()
    for _ in static_range(k):
      j = self._below(n)
      while j in taken:
        j = self._below(n)
      taken.add(j)
      out.append(population[j])
    return out
  def uniform(self, a, b):
    return a + (b - a) * self.random()
  def gauss(self, mu=0.0, sigma=1.0):
    """A normal float."""
    import math
    z, self._second = self._second, None
    if z is None:
      turn = self.random() * (2.0 * math.pi)
      length = math.sqrt(-2.0 * math.log(1.0 - self.random()))
      z = math.cos(turn) * length
      self._second = math.sin(turn) * length
    return mu + z * sigma
  def expovariate(self, lambd=1.0):
    import math
    return -math.log(1.0 - self.random()) / lambd

_one = Random(0)

seed = _one.seed
random = _one.random
getrandbits = _one.getrandbits
randrange = _one.randrange
randint = _one.randint
choice = _one.choice
choices = _one.choices
shuffle = _one.shuffle
sample = _one.sample
uniform = _one.uniform
gauss = _one.gauss
expovariate = _one.expovariate
