"""Makes snippets for tests/gpu/differential.py: `make(seed, number)` gives one `Case`, the same on every machine."""
from .case import Case
from .families import FAMILIES


def make(seed, number):
    """The case with that number. The number's place in a fixed, weighted round determines its family."""
    case = Case(seed, number)
    weights = [weight for weight, _ in FAMILIES]
    family = case.random.choices([family for _, family in FAMILIES], weights)[0]
    case.family = family.__name__
    family(case)
    return case
