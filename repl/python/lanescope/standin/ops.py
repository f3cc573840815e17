"""`jax.ops`: sums and extremes of segments."""

from . import dtypes as dt
from . import jnp, missing
from .arrays import asarray

__getattr__ = missing("jax.ops")


def _segments(name, method, first, doc):
    def apply(data, segment_ids, num_segments=None, *_, **__):
        data, ids = asarray(data), asarray(segment_ids)
        count = int(jnp.max(ids)) + 1 if num_segments is None else num_segments
        start = jnp.full((count, *data.shape[1:]), first(data.dtype), data.dtype)
        return getattr(start.at[ids], method)(data, mode="drop")

    apply.__name__, apply.__doc__ = name, doc
    return apply


def _least(dtype):
    return float("-inf") if dtype.kind == "f" else dt.iinfo(dtype).min


def _most(dtype):
    return float("inf") if dtype.kind == "f" else dt.iinfo(dtype).max


segment_sum = _segments("segment_sum", "add", lambda _: 0, "The sums of the rows of each segment.")
segment_prod = _segments("segment_prod", "multiply", lambda _: 1, "The products of the rows of each segment.")
segment_max = _segments("segment_max", "max", _least, "The largest of the rows of each segment.")
segment_min = _segments("segment_min", "min", _most, "The smallest of the rows of each segment.")
