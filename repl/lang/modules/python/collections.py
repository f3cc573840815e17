def OrderedDict(pairs=()):
  """A dict: all of them keep their order."""
  return dict(pairs)
