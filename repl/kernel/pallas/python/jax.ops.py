def segment_sum(data, segment_ids, num_segments=None, **options):
  """The sums of the rows of each segment."""
  import jax.numpy as jnp
  data, ids, n = _parts(data, segment_ids, num_segments)
  return jnp.zeros((n,) + data.shape[1:], data.dtype).at[ids].add(data, mode="drop")

def segment_prod(data, segment_ids, num_segments=None, **options):
  import jax.numpy as jnp
  data, ids, n = _parts(data, segment_ids, num_segments)
  return jnp.ones((n,) + data.shape[1:], data.dtype).at[ids].multiply(data, mode="drop")

def segment_max(data, segment_ids, num_segments=None, **options):
  """The largest of the rows of each segment."""
  import jax.numpy as jnp
  data, ids, n = _parts(data, segment_ids, num_segments)
  least = -jnp.inf if jnp.issubdtype(data.dtype, jnp.floating) else jnp.iinfo(data.dtype).min
  return jnp.full((n,) + data.shape[1:], least, data.dtype).at[ids].max(data, mode="drop")

def segment_min(data, segment_ids, num_segments=None, **options):
  """The smallest of the rows of each segment."""
  import jax.numpy as jnp
  data, ids, n = _parts(data, segment_ids, num_segments)
  most = jnp.inf if jnp.issubdtype(data.dtype, jnp.floating) else jnp.iinfo(data.dtype).max
  return jnp.full((n,) + data.shape[1:], most, data.dtype).at[ids].min(data, mode="drop")

def _parts(data, segment_ids, num_segments):
  import jax.numpy as jnp
  data, ids = jnp.asarray(data), jnp.asarray(segment_ids)
  return data, ids, int(jnp.max(ids)) + 1 if num_segments is None else num_segments
