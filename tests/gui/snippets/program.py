# A Python program: what it imports is no module of the snippet language.
import lanescope as ls


@ls.kernel(grid=(1,))
def double(x: ls.GMEM((64, 64), ls.f32), out: ls.Out((64, 64), ls.f32)):
    with ls.region("double"):
        out[...] = x[...] + x[...]


@ls.kernel(grid=(1,))
def square(x: ls.GMEM((64, 64), ls.f32), out: ls.Out((64, 64), ls.f32)):
    out[...] = x[...] * x[...]


class Report:
    def __str__(self):
        return f"the classes are Python's: {type(self).__mro__[-1].__name__}"


ones = ls.ones((64, 64), ls.f32)
ls.run(double, ones, profile=True)
square(ones)
print(Report())
