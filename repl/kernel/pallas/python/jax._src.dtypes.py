def itemsize_bits(dtype):
  """Bits of an element of the dtype."""
  import jax.numpy as jnp
  dtype = jnp.dtype(dtype)
  return (jnp.finfo if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo)(dtype).bits if dtype != jnp.bool_ else 8
