import enum
class A[T](enum.IntEnum):
  X = enum.auto()
if (n := 3) > 2: print(n, A.X)
[y for x in (1, 2) if (y := x)]
while (k := 0): pass
lambda: (z := 1)
