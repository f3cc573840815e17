def factorial(n):
  result = 1
  for i in static_range(2, n + 1):
    result = result * i
  return result

def comb(n, k):
  result = 1
  for i in static_range(min(k, n - k)):
    result = result * (n - i) // (i + 1)
  return result if 0 <= k <= n else 0

def dist(p, q):
  return sqrt(sum([(a - b) * (a - b) for a, b in zip(p, q)]))

def fsum(items):
  """The sum of floats, rounded once: what each addition loses is kept (Shewchuk's partial sums)."""
  partials = []
  for x in items:
    x, kept = float(x), []
    for y in partials:
      if abs(x) < abs(y):
        x, y = y, x
      high = x + y
      low = y - (high - x)
      if low != 0.0:
        kept.append(low)
      x = high
    partials = kept + [x]
  total, rest = 0.0, 0.0
  for x in reversed(partials):
    if rest == 0.0:
      high = total + x
      rest, total = x - (high - total), high
  return total

def perm(n, k=None):
  result = 1
  for i in static_range(n if k is None else k):
    result = result * (n - i)
  return result

def cbrt(x):
  root = abs(x) ** (1.0 / 3.0)
  return -root if x < 0 else root

def modf(x):
  whole = float(trunc(x))
  return x - whole, whole

def frexp(x):
  """(m, e) with x == m * 2 ** e and m from 0.5 up to 1."""
  if x == 0 or isinf(x) or isnan(x):
    return float(x), 0
  e = floor(log2(abs(x))) + 1
  m = x / 2.0 ** (e // 2) / 2.0 ** (e - e // 2)
  if abs(m) >= 1:
    return m / 2, e + 1
  return (m * 2, e - 1) if abs(m) < 0.5 else (m, e)

def ldexp(x, i):
  return x * 2.0 ** (i // 2) * 2.0 ** (i - i // 2)

def remainder(x, y):
  """What is left of x over the nearest multiple of y."""
  n = round(x / y)
  return float(x - n * y)

def sumprod(p, q):
  return sum([a * b for a, b in zip(p, q)])

def asinh(x):
  return copysign(log(abs(x) + sqrt(x * x + 1.0)), x)

def acosh(x):
  return log(x + sqrt(x * x - 1.0))

def atanh(x):
  return 0.5 * (log1p(x) - log1p(-x))
