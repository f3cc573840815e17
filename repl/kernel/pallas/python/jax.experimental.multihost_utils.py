# One process has all devices.

def process_allgather(in_tree, tiled=False):
  """What each process has, along a new first dimension, or with `tiled` joined along the first: this one's."""
  import jax
  import numpy as np
  return jax.tree.map(lambda x: np.asarray(x) if tiled else np.asarray(x)[None], in_tree)

def broadcast_one_to_all(in_tree, is_source=None):
  return in_tree

def sync_global_devices(name):
  """Nothing: there is nobody to wait for."""
