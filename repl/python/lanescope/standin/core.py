"""`jax.core`"""

from . import missing
from .refs import freeze, new_ref  # noqa: F401
from .spaces import Space as MemorySpace  # noqa: F401
from .transforms import ShapeDtypeStruct as ShapedArray  # noqa: F401
from .transforms import typeof  # noqa: F401

__getattr__ = missing("jax.core")
