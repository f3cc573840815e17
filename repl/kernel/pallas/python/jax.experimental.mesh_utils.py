def create_device_mesh(mesh_shape, devices=None, **options):
  """The first devices, as many as the sizes ask for, in lists of lists: for `jax.sharding.Mesh`."""
  import jax
  return jax.make_mesh(mesh_shape, tuple([f"axis{i}" for i in range(len(mesh_shape))]), devices=devices).devices
