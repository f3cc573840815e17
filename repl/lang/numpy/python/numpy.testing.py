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

def assert_array_less(x, y, err_msg="", verbose=True):
  if not all(x < y):
    raise AssertionError(f"the arrays are not ordered: some element of the first is not below the second's {err_msg}")
