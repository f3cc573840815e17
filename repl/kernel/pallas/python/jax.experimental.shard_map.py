def shard_map(f=None, mesh=None, in_specs=None, out_specs=None, check_rep=True, **options):
  """`jax.shard_map`, with its arguments by position."""
  import jax
  return jax.shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs, **options)
