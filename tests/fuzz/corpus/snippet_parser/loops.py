for i in range(4):
  a = [j for j in range(i) if j % 2]
  while a:
    a.pop()
  else_ = [*range(3)], (*a,), {**{"k": i}}
f = lambda *r, k=1, **o: (r, k, o)
*first, last = f(1, *[2, 3], k=4, **{"z": 5})
x, (y, *z) = 1, (2, 3, 4)
g = f"{x!r:>{y}} {z[0]:08.3e} {{}}"
