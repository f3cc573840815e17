"""exp and tanh of f32 by the polynomials of XLA's CPU compiler. With them, a program gets the same numbers on the
host as with JAX. The emulator of SparseCores uses the same polynomials (core/tpu/emulator/XlaFunctions.cpp)."""

import numpy as np

_F = np.float32
_EXP = [_F(c) for c in (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)]
_NUMERATOR = [_F(c) for c in (-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08,
                              1.48572235717979e-05, 6.37261928875436e-04, 4.89352455891786e-03)]  # fmt: skip
_DENOMINATOR = [_F(c) for c in (1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03)]
_EXP_MOST = _F(87)  # for every abs(x) up to this, 2^n in exp() is a normal number
# Tanh x is taken as x below the first number, and as 1 from the second on.
_TANH_LINEAR, _TANH_ONE = _F(0.0004), _F(7.99881172180175781)


def _fma(a, b, c):
    """a * b + c, rounded once, because the product is exact in f64."""
    return (np.asarray(a, np.float64) * np.asarray(b, np.float64) + c).astype(_F)


def _polynomial(coefficients, x):
    """Evaluates a polynomial whose coefficients begin with the highest power."""
    total = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        total = _fma(total, x, coefficient)
    return total


def exp(x):
    if x.dtype != _F:
        return np.exp(x)
    near = np.where(np.abs(x) <= _EXP_MOST, x, _F(0))
    n = np.floor(_fma(near, _F(1.44269504088896341), _F(0.5)))
    rest = _fma(_F(2.12194440e-4), n, _fma(_F(-0.693359375), n, near))
    value = _fma(_polynomial(_EXP, rest), rest * rest, rest) + _F(1)
    return np.where(np.abs(x) <= _EXP_MOST, np.ldexp(value, n.astype(np.int32)), np.exp(x.astype(np.float64)).astype(_F))


def tanh(x):
    if x.dtype != _F:
        return np.tanh(x)
    near = np.clip(x, -_TANH_ONE, _TANH_ONE)
    square = near * near
    value = near * _polynomial(_NUMERATOR, square) / _polynomial(_DENOMINATOR, square)
    return np.where(np.isnan(x) | (np.abs(x) < _TANH_LINEAR), x, value)
