def assert_array_equal(actual, desired, err_msg="", verbose=True):
  """Stops where two arrays differ."""
  _compare(actual, desired, 0.0, 0.0, True, err_msg, True)

def assert_equal(actual, desired, err_msg="", verbose=True):
  if hasattr(actual, "dtype") or hasattr(desired, "dtype"):
    assert_array_equal(actual, desired, err_msg)
  elif actual != desired:
    raise AssertionError(f"the values differ: {actual!r} and {desired!r} {err_msg}")

def assert_allclose(actual, desired, rtol=1e-07, atol=0, equal_nan=True, err_msg="", verbose=True):
  """Stops unless |actual - desired| <= atol + rtol * |desired| everywhere."""
  _compare(actual, desired, rtol, atol, equal_nan, err_msg, False)

def assert_array_almost_equal(actual, desired, decimal=6, err_msg="", verbose=True):
  _compare(actual, desired, 0.0, 1.5 * 10.0 ** -decimal, True, err_msg, False)

def assert_almost_equal(actual, desired, decimal=7, err_msg="", verbose=True):
  _compare(actual, desired, 0.0, 1.5 * 10.0 ** -decimal, True, err_msg, False)

def assert_approx_equal(actual, desired, significant=7, err_msg="", verbose=True):
  _compare(actual, desired, 5.0 * 10.0 ** -significant, 0.0, True, err_msg, False)

def assert_(val, msg=""):
  if not val:
    raise AssertionError(msg)

class _Raises:
  def __init__(self, kinds, pattern):
    self._kinds = kinds
    self._pattern = pattern
  def __enter__(self):
    return self
  def __exit__(self, kind, value, traceback):
    if kind is None:
      raise AssertionError(f"{self._kinds} was not raised")
    self.exception = value
    return isinstance(value, self._kinds)

def assert_raises(exception_class, callable=None, *arguments, **named):
  """`with np.testing.assert_raises(ValueError):` stops unless its block raises such an error; so does a call of `callable`."""
  raised = _Raises(exception_class, None)
  if callable is None:
    return raised
  with raised:
    callable(*arguments, **named)

def assert_array_less(x, y, err_msg="", verbose=True):
  import numpy as np
  if not np.all(np.asarray(x) < np.asarray(y)):
    raise AssertionError(f"the arrays are not ordered: some element of the first is not below the second's {err_msg}")
