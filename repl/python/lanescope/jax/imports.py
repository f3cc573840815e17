"""Acts when a program imports JAX. A program that does not import JAX loses no time."""
import importlib.abc
import importlib.util
import sys


class OnImport(importlib.abc.MetaPathFinder):
    """Calls `act()` once, after the process's first `import NAME` has run the package's own code."""

    def __init__(self, name, act):
        self.name, self.act = name, act
        sys.meta_path.insert(0, self)

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_act(module):
            execute(module)
            self.act()

        spec.loader.exec_module = execute_and_act
        return spec
