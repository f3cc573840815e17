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

def pos(a):
  return +a

def invert(a):
  return ~a

def not_(a):
  return not a

def truth(a):
  return bool(a)

def abs(a):
  return -a if a < 0 else a

def pow(a, b):
  return a ** b

def matmul(a, b):
  return a @ b

def xor(a, b):
  return a ^ b

def lshift(a, b):
  return a << b

def rshift(a, b):
  return a >> b

def ne(a, b):
  return a != b

def le(a, b):
  return a <= b

def gt(a, b):
  return a > b

def ge(a, b):
  return a >= b

def is_(a, b):
  return a is b

def is_not(a, b):
  return a is not b

def contains(a, b):
  return b in a

def concat(a, b):
  return a + b

def index(a):
  return int(a)

def getitem(a, b):
  return a[b]

def setitem(a, b, c):
  a[b] = c

def methodcaller(name, *arguments, **named):
  def call(x):
    return getattr(x, name)(*arguments, **named)
  return call

def attrgetter(name):
  def get(x):
    return getattr(x, name)
  return get
