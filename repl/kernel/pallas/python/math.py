# The functions of Python's `math` that kernels' functions use, for numbers.

pi = 3.141592653589793
e = 2.718281828459045
inf = float("inf")
nan = float("nan")

def sqrt(x):
  return float(x) ** 0.5

def floor(x):
  return int(x // 1)

def ceil(x):
  return -int(-x // 1)

def isqrt(n):
  root = int(float(n) ** 0.5)
  return root if root * root <= n else root - 1

def prod(numbers):
  total = 1
  for number in numbers:
    total = total * number
  return total

def gcd(a, b):
  while b:
    a, b = b, a % b
  return abs(a)
