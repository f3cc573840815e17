def get_default_device():
  import jax
  return jax.devices()[0]
