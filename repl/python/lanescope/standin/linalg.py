"""`jax.numpy.linalg`, made of NumPy's functions."""

import numpy as np

from . import missing
from .arrays import asarray, computed

__getattr__ = missing("jax.numpy.linalg")


def _over(name):
    function = getattr(np.linalg, name)

    def apply(a, *arguments, **named):
        a = asarray(a)
        found = a.dtype if a.dtype.kind == "f" else np.dtype("float32")
        out = function(a._values.astype(np.float64), *(x._values if hasattr(x, "_values") else x for x in arguments), **named)
        if isinstance(out, tuple):
            return tuple(computed(part, found) for part in out)
        return computed(out, found)

    apply.__name__ = name
    return apply


for _name in ("norm", "inv", "det", "slogdet", "solve", "cholesky", "qr", "svd", "eigh", "eigvalsh", "pinv", "matrix_power", "cond"):
    globals()[_name] = _over(_name)
