"""Elementwise operations as classes that inherit an abstract one; a registry by decorator.

lanescope samples/pallas/elementwise_classes.py
"""
import abc
import collections
import dataclasses
from typing import Callable, ClassVar, Dict, Type

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

REGISTRY: Dict[str, Type["Elementwise"]] = {}


def register(cls):
  REGISTRY[cls.__name__.lower()] = cls
  return cls


@dataclasses.dataclass
class Elementwise(abc.ABC):
  block: int = 256
  launches: ClassVar[int] = 0

  @abc.abstractmethod
  def compute(self, x):
    ...

  @abc.abstractmethod
  def reference(self, x):
    ...

  def __call__(self, x):
    def body(x_ref, o_ref):
      here = pl.ds(lax.axis_index("i") * self.block, self.block)
      o_ref[here] = self.compute(x_ref[here])
    return plgpu.kernel(body, out_type=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=(x.size // self.block,), grid_names=("i",))(x)


@register
@dataclasses.dataclass
class Tanh(Elementwise):
  def compute(self, x):
    return jnp.tanh(x)

  def reference(self, x):
    return np.tanh(x)


@register
@dataclasses.dataclass
class HardSwish(Elementwise):
  shift: float = 3.0

  def compute(self, x):
    return x * jnp.clip(x + self.shift, 0.0, 6.0) / 6.0

  def reference(self, x):
    return x * np.clip(x + self.shift, 0, 6) / 6


@register
class Cube(Elementwise):
  def __init__(self, power=3):
    super().__init__(block=128)
    self.power = power

  def compute(self, x):
    return x**self.power

  def reference(self, x):
    return x**self.power


def main():
  x = jnp.linspace(-4, 4, 1024)
  counts = collections.Counter()
  worst = collections.defaultdict(float)
  for name, cls in sorted(REGISTRY.items()):
    op = cls()
    assert isinstance(op, Elementwise) and issubclass(cls, Elementwise)
    got = np.asarray(op(x))
    worst[name] = max(worst[name], float(np.abs(got - op.reference(np.asarray(x))).max()))
    counts.update([name, "all"])
  for name, err in worst.items():
    assert err < 1e-4, f"{name:<10}|{err:>8.1e}"
  assert counts.most_common(1) == [("all", 3)] and str(HardSwish(shift=2.0)) == "HardSwish(block=256, shift=2.0)"
  print("elementwise_classes: ok")


if __name__ == "__main__":
  main()
