def mean(data):
  values = list(data)
  if len(values) == 0:
    raise ValueError("`mean` of nothing")
  total, n = sum(values), len(values)
  return total // n if isinstance(total, int) and total % n == 0 else total / n

def fmean(data):
  return float(mean(data))

def median(data):
  values = sorted(data)
  if len(values) == 0:
    raise ValueError("`median` of nothing")
  middle = len(values) // 2
  return values[middle] if len(values) % 2 == 1 else (values[middle - 1] + values[middle]) / 2

def variance(data):
  values = list(data)
  if len(values) < 2:
    raise ValueError("`variance` of fewer than two")
  middle = mean(values)
  return sum([(x - middle) ** 2 for x in values]) / (len(values) - 1)

def stdev(data):
  return variance(data) ** 0.5
