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
