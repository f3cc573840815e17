@dataclass
class ShapeDtypeStruct:
  """The shape and dtype of an array that does not exist yet."""
  shape: tuple
  dtype: object
  sharding: object = field(default=None, repr=False)
  weak_type: bool = field(default=False, repr=False)
  def __post_init__(self):
    self.shape = tuple(self.shape) if isinstance(self.shape, (tuple, list)) else (self.shape,)
    for size in self.shape:
      assert isinstance(size, int) and size >= 0, f"a shape is made of ints, not {size!r}"
    self.dtype = zeros((), self.dtype).dtype
    self.ndim = len(self.shape)

def named_scope(name):
  """`with jax.named_scope("name"):` makes a region in a kernel's profile."""
  return region(name)
