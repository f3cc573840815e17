def norm(x, ord=None, axis=None, keepdims=False):
  """The root of the sum of squares, or with `ord` 1 or inf the sum or the largest of the magnitudes."""
  if not hasattr(x, "dtype"):
    import numpy as np
    x = np.asarray(x)
  if ord == 1:
    return sum(abs(x), axis=axis, keepdims=keepdims)
  if ord == float("inf"):
    return max(abs(x), axis=axis, keepdims=keepdims)
  if ord is not None and ord != 2 and ord != "fro":
    raise NotImplementedError(f"norm of order {ord}; there are 1, 2 and inf")
  return sqrt(sum(x * x, axis=axis, keepdims=keepdims))

def as_matrix(x):
  import numpy as np
  return x if hasattr(x, "dtype") else np.asarray(x)

def cholesky(a):
  """The lower triangle whose product with its transpose is `a`, a symmetric positive matrix."""
  a = as_matrix(a)
  n = a.shape[-1]
  rows = []
  for i in static_range(n):
    row = []
    for j in static_range(i + 1):
      rest = float(a[i, j])
      for k in static_range(j):
        rest = rest - row[k] * (rows[j][k] if j < i else row[k])
      if i == j and rest <= 0:
        raise ValueError("the matrix is not positive definite")
      row.append(rest ** 0.5 if i == j else rest / rows[j][j])
    rows.append(row)
  out = a * 0
  for i in static_range(n):
    for j in static_range(i + 1):
      out = out.at[i, j].set(rows[i][j])
  return out

def solve(a, b):
  """x with a @ x == b, by elimination with the largest pivots."""
  a, b = as_matrix(a), as_matrix(b)
  n = a.shape[0]
  left = [[float(x) for x in row] for row in a]
  right = [[float(x) for x in row] for row in (b if b.ndim > 1 else b[:, None])]
  for k in static_range(n):
    best = max([(abs(left[i][k]), i) for i in static_range(k, n)])[1]
    if left[best][k] == 0:
      raise ValueError("the matrix is singular")
    left[k], left[best] = left[best], left[k]
    right[k], right[best] = right[best], right[k]
    for i in static_range(n):
      if i != k:
        share = left[i][k] / left[k][k]
        left[i] = [x - share * y for x, y in zip(left[i], left[k])]
        right[i] = [x - share * y for x, y in zip(right[i], right[k])]
  out = b * 0.0
  for i in static_range(n):
    found = [x / left[i][i] for x in right[i]]
    out = out.at[i].set(found if b.ndim > 1 else found[0])
  return out

def inv(a):
  """The matrix whose product with `a` is the identity."""
  a = as_matrix(a)
  one = a * 0.0
  for i in static_range(a.shape[0]):
    one = one.at[i, i].set(1.0)
  return solve(a, one)

def det(a):
  """The determinant, by elimination with the largest pivots."""
  import numpy as np
  a = as_matrix(a)
  left, total = [[float(x) for x in row] for row in a], 1.0
  for k in static_range(a.shape[0]):
    best = max([(abs(left[i][k]), i) for i in static_range(k, a.shape[0])])[1]
    if left[best][k] == 0:
      return np.float64(0.0)
    if best != k:
      left[k], left[best] = left[best], left[k]
      total = -total
    total = total * left[k][k]
    for i in static_range(k + 1, a.shape[0]):
      share = left[i][k] / left[k][k]
      left[i] = [x - share * y for x, y in zip(left[i], left[k])]
  return np.float64(total)

def multi_dot(arrays):
  """The product of all, from the left."""
  total = as_matrix(arrays[0])
  for a in arrays[1:]:
    total = total @ as_matrix(a)
  return total

def matrix_norm(x, ord="fro"):
  return norm(x, ord)

def vector_norm(x, ord=2, axis=None, keepdims=False):
  return norm(x, ord, axis, keepdims)

def svd(a, full_matrices=True):
  raise NotImplementedError("there are norm, det, cholesky, solve and inv here")

def eigh(a):
  raise NotImplementedError("there are norm, det, cholesky, solve and inv here")

def qr(a):
  raise NotImplementedError("there are norm, det, cholesky, solve and inv here")
