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
  return float(sum(items))
