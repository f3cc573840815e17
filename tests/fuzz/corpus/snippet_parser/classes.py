from dataclasses import dataclass, field
@dataclass(frozen=True)
class A:
  x: int = 1
  y: list = field(default_factory=list)
  @property
  def z(self): return self.x
class P(NamedTuple):
  a: int
try:
  raise ValueError(f"{A(2).z:>4}")
except (TypeError, ValueError) as e:
  print(e)
finally:
  del e
