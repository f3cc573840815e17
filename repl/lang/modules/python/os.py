# Programs set XLA's flags here. What they set stays in the program.

environ = {}

def getenv(key, default=None):
  """What the program has set."""
  return environ.get(key, default)
