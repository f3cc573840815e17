class SimpleNamespace:
  """Names as attributes: `SimpleNamespace(block=64).block`."""
  def __init__(self, **names):
    for name, value in names.items():
      setattr(self, name, value)
