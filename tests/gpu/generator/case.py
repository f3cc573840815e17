"""One generated snippet: a kernel, its inputs, and the checks of its outputs."""
import random

BITS = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16, "f8e4m3fn": 8, "f8e5m2": 8, "i1": 8,
        "i8": 8, "i16": 16, "i32": 32, "i64": 64, "u8": 8, "u16": 16, "u32": 32, "u64": 64}
FLOATS = ("f32", "f16", "bf16", "f64")
INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")

# Values at which operations are most often wrong. Each is rounded to the array's dtype.
INF, NAN = 'float("inf")', 'float("nan")'
EDGES = {
    "f32": (0.0, -0.0, 1.0, -1.0, INF, f"-{INF}", NAN, 1e-45, -1e-45, 1.1754942e-38, 1.17549435e-38, 3.4028235e38,
            -3.4028235e38, 0.5, 1.5, 2.5, -2.5, 0.1, 65504.0, 65520.0, 5.9604645e-08, 2147483648.0, -2147483648.0, 16777217.0,
            1.00048828125, 3.0e9, -7.25, 1e30, 0.33333334, 1e-20),
    "f16": (0.0, -0.0, 1.0, -1.0, INF, f"-{INF}", NAN, 5.9604645e-08, -5.9604645e-08, 6.097555e-05, 6.1035156e-05, 65504.0,
            -65504.0, 0.5, 1.5, 2.5, -2.5, 0.1, 0.33325195, 1024.5, 2049.0, -7.25, 255.0, 300.0),
    "bf16": (0.0, -0.0, 1.0, -1.0, INF, f"-{INF}", NAN, 9.2e-41, -9.2e-41, 1.1663108e-38, 1.17549435e-38, 3.3895314e38,
             -3.3895314e38, 0.5, 1.5, 2.5, -2.5, 0.1, 255.0, 257.0, 1e30, -7.25, 65504.0, 1e-20),
    "i32": (0, 1, -1, 2, -2, 3, -7, 31, 32, 33, 127, -128, 255, 256, 32767, -32768, 65535, 65536, 16777217, -16777217,
            2147483647, -2147483647, 1073741824, -1073741824, 1000003, -99991, 12345678, 10, -10),
    "i1": (0, 1, 1, 0, 0, 1, 0),
    "f64": (0.0, -0.0, 1.0, -1.0, INF, f"-{INF}", NAN, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0.1,
            -2.5, 3.4028235e38, 3.4028236e38, 3.5e38, 65519.99, 1e-45, 1e-46, 1.0000000596046448, 2147483647.5, 1e30, 257.0),
    "f8e4m3fn": (0.0, -0.0, 1.0, -1.0, NAN, 448.0, -448.0, 0.001953125, 0.015625, 0.5, 1.5, -2.5, 7.0, -240.0),
    "f8e5m2": (0.0, -0.0, 1.0, -1.0, INF, f"-{INF}", NAN, 57344.0, -57344.0, 1.5258789e-05, 6.1035156e-05, 1.5, -2.5, 7.0),
}
for _bits in (8, 16, 64):
    _top = 1 << (_bits - 1)
    EDGES[f"i{_bits}"] = (0, 1, -1, 2, -2, 3, -7, 10, 31, 32, 33, 100, _top - 1, *((-_top,) if _bits < 64 else ()), 1 - _top, _top // 2, -_top // 2)
for _bits in (8, 16, 32, 64):
    # A literal is at most the largest i64.
    _top = min((1 << _bits) - 1, (1 << 63) - 1)
    EDGES[f"u{_bits}"] = (0, 1, 2, 3, 7, 10, 31, 32, 33, 100, _top, _top - 1, _top // 2, _top // 2 + 1, _top // 3)

PRELUDE = {
    "pick": """def pick(values, shape, dtype, step):
  count = 1
  for size in shape:
    count = count * size
  return reshape(array([values[(i * step + i // 16) % len(values)] for i in range(count)], dtype), shape)
""",
    # Compares bit for bit, except for the bits of NaN.
    "same": """def same(a, b):
  assert a.shape == b.shape and a.dtype == b.dtype, f"{a.shape} {a.dtype} against {b.shape} {b.dtype}"
  if a.dtype == f8e4m3fn or a.dtype == f8e5m2:
    a, b = a.astype(f32), b.astype(f32)
  if not (a.dtype in (f64, f32, f16, bf16)):
    return all(a == b)
  return all(select(a == b, select(a == 0, 1 / a == 1 / b, a == a), select(a != a, b != b, a == b)))
""",
}


class Case:
    def __init__(self, seed, number):
        self.seed, self.number = seed, number
        self.random = random.Random(f"differential {seed} {number}")
        self.name = f"c{number:05d}"
        self.family = ""
        self.tags = set()  # counted for coverage
        self.options = {}  # arguments of @kernel
        self.scratch = []  # (name, text)
        self.parameters = []  # text
        self.arguments = []  # (name, host expression)
        self.outputs = {}  # name -> tolerance: {} bit for bit, {"ulps": n}, {"absolute": x}, {"nan"} any NaN
        self.host = []  # lines before the kernel
        self.lines = []  # the kernel's lines
        self.checks = []  # lines after the call
        self.needs = set()  # the needed parts of PRELUDE

    # --- randomness
    def chance(self, probability):
        return self.random.random() < probability

    def choose(self, *options):
        return self.random.choice(options)

    def between(self, low, high):
        return self.random.randint(low, high)

    def tag(self, *tags):
        self.tags.update(tags)

    # --- the kernel's things
    def input(self, shape, dtype, kind, name=None):
        """An input with values of a kind: "edge", "plain" (evenly distributed), "small" (integers) or "positive"."""
        name = name or f"x{len(self.arguments)}"
        self.parameters.append(f"{name}: GMEM({shape_text(shape)}, {dtype})")
        self.arguments.append((name, self.values(shape, dtype, kind)))
        self.tag(f"dtype {dtype}", f"values {kind}")
        return name

    def values(self, shape, dtype, kind):
        shape, seed = shape_text(shape), self.between(0, 999)
        if kind == "edge" or dtype == "i1":
            self.needs.add("pick")
            values = list(EDGES[dtype])
            self.random.shuffle(values)
            step = self.choose(1, 5, 11, 17)
            return f"pick(({', '.join(map(str, values))}), {shape}, {dtype}, {step})"
        if dtype in INTEGERS:
            wide = 1000000 if BITS[dtype] > 16 else 100
            low, high = {"small": (-9, 10), "positive": (1, 100), "plain": (-wide, wide)}[kind]
            if dtype[0] == "u":
                low, high = max(0, low), high - min(0, low)
            return f"random({shape}, {dtype}, seed={seed}, low={low}, high={high})"
        if kind == "small":
            return f"random({shape}, i32, seed={seed}, low=-4, high=5).astype({dtype})"
        low, high = {"plain": (-4, 4), "positive": (0.25, 8)}[kind]
        return f"random({shape}, f32, seed={seed}, low={low}, high={high}).astype({dtype})"

    def output(self, shape, dtype, tolerance=None, name=None):
        name = name or f"out{len(self.outputs)}"
        self.parameters.append(f"{name}: Out({shape_text(shape)}, {dtype})")
        self.outputs[name] = tolerance or {}
        self.tag(f"dtype {dtype}")
        return name

    def shared(self, shape, dtype, transforms="", name=None):
        name = name or f"tile{len(self.scratch)}"
        self.scratch.append((name, f"SMEM({shape_text(shape)}, {dtype}{', transforms=' + transforms if transforms else ''})"))
        return name

    def barrier(self, arrivals=1, count=1, name=None):
        name = name or f"bar{len(self.scratch)}"
        self.scratch.append((name, f"Barrier(num_arrivals={arrivals}, num_barriers={count})"))
        self.tag("barrier" if count == 1 else "barrier array")
        return name

    def accumulator(self, shape, dtype):
        name = f"acc{len(self.scratch)}"
        self.scratch.append((name, f"ACC({shape_text(shape)}, {dtype})"))
        return name

    def line(self, text, depth=1):
        self.lines.append("  " * depth + text)

    def expect(self, output, expression):
        """Expects that the host's own evaluation gives the output's bits."""
        self.needs.add("same")
        self.checks.append(f"assert same({output}, {expression}), \"the host differs in {output}\"")
        self.tag("host check")

    def snippet(self):
        options = dict(self.options)
        if self.scratch:
            options["scratch"] = "[" + ",\n                 ".join(text for _, text in self.scratch) + "]"
        parameters = self.parameters + [name for name, _ in self.scratch]
        lines = [f"# Differential case {self.number} of seed {self.seed}: {self.family}"]
        lines += [PRELUDE[name].rstrip("\n") for name in sorted(self.needs)]
        lines += self.host
        lines += [f"@kernel({', '.join(f'{key}={value}' for key, value in options.items())})",
                  f"def {self.name}({', '.join(parameters)}):"]
        lines += self.lines
        lines += [f"{name} = {value}" for name, value in self.arguments]
        call = f"{self.name}({', '.join(name for name, _ in self.arguments)})"
        lines += [f"{', '.join(self.outputs)} = {call}"] + self.checks
        return "\n".join(lines) + "\n"


def shape_text(shape):
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
