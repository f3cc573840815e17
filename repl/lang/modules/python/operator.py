def add(a, b):
  return a + b

def sub(a, b):
  return a - b

def mul(a, b):
  return a * b

def truediv(a, b):
  return a / b

def floordiv(a, b):
  return a // b

def mod(a, b):
  return a % b

def neg(a):
  return -a

def and_(a, b):
  return a & b

def or_(a, b):
  return a | b

def eq(a, b):
  return a == b

def lt(a, b):
  return a < b

def itemgetter(*keys):
  def get(x):
    return x[keys[0]] if len(keys) == 1 else tuple([x[key] for key in keys])
  return get

def attrgetter(name):
  def get(x):
    return getattr(x, name)
  return get
