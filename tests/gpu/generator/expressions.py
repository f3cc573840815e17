"""Random statements over arrays of one shape and scalars: the part of a snippet that computes.

`Program` writes a function `body(…)` that a kernel calls with arrays in registers. If all its operations are exact and
the host has them too (`hosted`), the snippet calls the same function with the host's arrays and compares.
"""
from .case import BITS, FLOATS, INTEGERS

COMPARES = ("==", "!=", "<", "<=", ">", ">=")
INT_BINARY = ("+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>")
# Exact on the device, but not equal to the correctly rounded results of the host.
SOFTWARE_MATH = ("exp", "exp2", "log", "log2", "sin", "cos", "tanh", "rsqrt", "erf")
CONSTANTS = {"wide": ("1", "-1", "2", "3", "-5", "7", "100", "-1000", "65537", "2147483647"),
             "narrow": ("1", "-1", "2", "3", "-5", "7", "100"), "unsigned": ("1", "2", "3", "7", "100"),
             "float": ("2", "0.5", "-1.5", "3", "0.1", "-0.25", "100.0", "1", "0")}


def constants(dtype):
    kind = "float" if dtype in FLOATS else "unsigned" if dtype[0] == "u" else "narrow" if BITS[dtype] < 32 else "wide"
    return CONSTANTS[kind]


def clamped(name, to):
    """A float clamped to the range of an integer, because beyond it the host's conversion differs."""
    low, high = (0, 100) if to[0] == "u" else (-100, 100) if to == "i8" else (-1000, 1000)
    return f"minimum(maximum(select({name} == {name}, {name}, 0), {low}), {high}).astype({to})"


class Variable:
    def __init__(self, name, dtype, product=False, layout=0):
        self.name, self.dtype, self.layout = name, dtype, layout
        self.product = product  # a float product; `+` may be contracted to a fused multiply-add, which the host lacks


class Program:
    """`arrays`: [(name, dtype)] that the function gets; `scalars`: names of i32 scalars with small positive values."""

    def __init__(self, case, arrays, scalars, shape, hosted, dtypes):
        self.case, self.shape, self.hosted, self.dtypes = case, shape, hosted, dtypes
        self.lines, self.count, self.depth = [], 0, 1
        self.parameters = [name for name, _ in arrays] + list(scalars)
        self.arrays = [Variable(name, dtype) for name, dtype in arrays]
        self.scalars = list(scalars)
        self.results = []

    # --- pieces
    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def fresh(self):
        self.count += 1
        return f"v{self.count}"

    def pick(self, dtypes=None, product=True):
        """A variable of one of the dtypes, later variables more often; None if there is none."""
        fit = [v for v in self.arrays if (dtypes is None or v.dtype in dtypes) and (product or not v.product)]
        if not fit:
            return None
        return fit[max(self.case.between(0, len(fit) - 1), self.case.between(0, len(fit) - 1))]

    def bind(self, text, dtype, product=False):
        name = self.fresh()
        self.line(f"{name} = {text}")
        self.arrays.append(Variable(name, dtype, product))
        return self.arrays[-1]

    def of(self, dtype, product=True):
        """A variable of that dtype, if necessary converted from another variable."""
        found = self.pick((dtype,), product)
        if found:
            return found
        source = self.pick()
        return self.cast(source, dtype)

    def cast(self, source, dtype):
        case = self.case
        case.tag("op astype", f"convert {source.dtype} {dtype}")
        if dtype == "i1":
            return self.bind(f"{source.name} != 0", "i1")
        if source.dtype in FLOATS and dtype in INTEGERS:
            if self.hosted or case.chance(0.8):
                return self.bind(clamped(source.name, dtype), dtype)
            case.tag("convert beyond the range")
        if self.hosted and source.dtype in ("i64", "u64") and dtype in FLOATS:
            return self.bind(f"({source.name} & 65535).astype({dtype})", dtype)
        return self.bind(f"{source.name}.astype({dtype})", dtype, source.product)

    def second(self, dtype, product=True):
        """The other operand: a variable, a constant or a scalar."""
        case = self.case
        if case.chance(0.25):
            case.tag("operand constant")
            return case.choose(*constants(dtype)), False
        if self.scalars and (dtype in FLOATS or dtype == "i32") and case.chance(0.15):
            case.tag("operand scalar")
            return case.choose(*self.scalars), False
        v = self.of(dtype, product)
        return v.name, v.product

    # --- statements
    def step(self):
        kind = self.case.random.choices(
            (self.arithmetic, self.extremum, self.unary, self.compare, self.logic, self.select, self.convert, self.math,
             self.index, self.rarer), (30, 8, 10, 8, 4, 8, 8, 14, 3, 20))[0]
        kind()

    def arithmetic(self):
        case = self.case
        dtype = case.choose(*[d for d in self.dtypes if d != "i1"])
        if dtype in INTEGERS:
            return self.integer(dtype)
        op = case.choose("+", "-", "*", "/", "+", "-", "*")
        exact = self.hosted and op in "+-"
        a = self.of(dtype, product=not exact)
        b, _ = self.second(dtype, product=not exact)
        case.tag(f"op float {op}")
        left, right = (b, a.name) if case.chance(0.2) else (a.name, b)
        self.bind(f"{left} {op} {right}", dtype, op in "*/")

    def integer(self, dtype):
        case = self.case
        op = case.choose(*INT_BINARY)
        a, b = self.of(dtype).name, self.second(dtype)[0]
        case.tag(f"op integer {op}", f"integer {op} {dtype}")
        if op in ("//", "%"):
            # Never divides by zero, and never the smallest integer by -1, because neither has a result.
            b = case.choose("3", "7", "16", "100", f"(({b} & 63) + 1)", *(() if dtype[0] == "u" else ("-3", "-8", f"(-2 - ({b} & 63))")))
            case.tag("divide by negative" if "-" in b[:2] else "divide by positive")
        elif op in ("<<", ">>"):
            b = case.choose("1", "4", str(BITS[dtype] - 1), f"({b} & {BITS[dtype] - 1})", f"({b} & 63)", str(BITS[dtype] + 8))
            if b == str(BITS[dtype] + 8) or "63" in b:
                case.tag("shift beyond the width")
        self.bind(f"{a} {op} {b}", dtype)

    def extremum(self):
        name = self.case.choose("maximum", "minimum")
        a = self.of(self.case.choose(*[d for d in self.dtypes if d != "i1"]))
        b, product = self.second(a.dtype)
        self.case.tag(f"op {name} {'float' if a.dtype in FLOATS else 'integer'}")
        self.bind(f"{name}({a.name}, {b})", a.dtype, a.product or product)

    def unary(self):
        case = self.case
        a = self.pick(INTEGERS + FLOATS) or self.of(self.dtypes[0])
        op = case.choose("-", "abs", *(("~",) if a.dtype in INTEGERS else () if a.dtype == "f64" else ("floor", "sqrt", "**")))
        case.tag(f"op {op} {'integer' if a.dtype in INTEGERS else 'float'}")
        text = {"-": f"-{a.name}", "abs": f"abs({a.name})", "~": f"~{a.name}", "floor": f"floor({a.name})",
                "sqrt": f"sqrt(abs({a.name}))"}.get(op)
        if op == "**":
            power = case.choose(2, 0.5) if self.hosted else case.choose(2, 3, 5, -1, -2, 0.5)
            text = f"sqrt(abs({a.name}))" if power == 0.5 and self.hosted else f"{a.name} ** {power}"
            if power == 2 and self.hosted:
                text = f"{a.name} * {a.name}"
        self.bind(text, a.dtype, op == "**" or (op in ("-", "abs") and a.product))

    def condition(self):
        case = self.case
        existing = self.pick(("i1",))
        if existing and case.chance(0.4):
            return existing.name
        a = self.pick([d for d in self.dtypes if d != "i1"]) or self.of(self.dtypes[0])
        b, _ = self.second(a.dtype)
        op = case.choose(*COMPARES)
        case.tag(f"op {op}")
        return f"({a.name} {op} {b})"

    def compare(self):
        self.bind(self.condition(), "i1")

    def logic(self):
        op = self.case.choose("&", "|", "^", "~")
        self.case.tag(f"op i1 {op}")
        a = self.condition()
        self.bind(f"~{a}" if op == "~" else f"{a} {op} {self.condition()}", "i1")

    def select(self):
        case = self.case
        a = self.of(case.choose(*[d for d in self.dtypes if d != "i1"]))
        b, product = self.second(a.dtype)
        name = "select" if self.hosted else case.choose("select", "where")
        case.tag(f"op {name}")
        self.bind(f"{name}({self.condition()}, {a.name}, {b})", a.dtype, a.product or product)

    def convert(self):
        to = self.case.choose(*self.dtypes)
        source = self.pick([d for d in FLOATS + INTEGERS + ("i1",) if d != to])
        if not source:
            return self.arithmetic()
        self.cast(source, to)

    def math(self):
        if self.hosted:
            return self.unary()
        name = self.case.choose(*SOFTWARE_MATH)
        a = self.pick(("f32", "f16", "bf16"))
        if not a:
            return self.arithmetic()
        self.case.tag(f"op {name}")
        self.bind(f"{name}({a.name})", a.dtype)

    def rarer(self):
        """Operations that the host lacks."""
        if self.hosted:
            return self.arithmetic()
        case = self.case
        whole = self.pick(INTEGERS)
        if whole and case.chance(0.3):
            op = case.choose("trunc_div", "trunc_div", "clz", "sign", "shift_right_logical", "shift_right_arithmetic")
            case.tag(f"op {op}")
            second = f", {case.choose('3', '7', '16', '100')}" if op not in ("clz", "sign") else ""
            return self.bind(f"{op}({whole.name}{second})", whole.dtype)
        a = self.pick(("f32", "f16", "bf16"))
        if not a:
            return self.arithmetic()
        op = case.choose("ceil", "round", "away", "atan2", "copysign", "fmod", "clamp", "//", "%", "sign", "gelu", "logistic")
        case.tag(f"op {op} float" if op in ("//", "%") else f"op {op}")
        b = self.of(a.dtype)
        text = {"away": f'round({a.name}, halves="away")', "clamp": f"clamp(-2, {a.name}, 3)", "//": f"{a.name} // {b.name}",
                "%": f"{a.name} % {b.name}"}.get(op)
        if not text:
            alone = ("ceil", "round", "sign", "gelu", "logistic")
            text = f"{op}({a.name})" if op in alone else f"{op}({a.name}, {b.name})"
        self.bind(text, a.dtype)

    def index(self):
        axis = self.case.between(0, len(self.shape) - 1)
        dtype = self.case.choose(*[d for d in self.dtypes if d != "i1"])
        if dtype in INTEGERS and BITS[dtype] < 32:
            dtype = "i32"
        shape = f"({', '.join(map(str, self.shape))},)"
        self.case.tag("op broadcasted_iota")
        if self.hosted:
            self.needs_index = True
        call = "index" if self.hosted else "broadcasted_iota"
        self.bind(f"{call}({dtype}, {shape}, {axis})", dtype)

    needs_index = False

    # --- control flow
    def nested(self, steps, emit):
        """Statements one level deeper. Variables made there stay there. Returns True if `emit` wrote anything."""
        known, self.depth = len(self.arrays), self.depth + 1
        for _ in range(steps):
            self.step()
        emit()
        del self.arrays[known:]
        self.depth -= 1

    def carried(self, dtype, product=True):
        """A new variable that a loop or branch will change."""
        start = self.of(dtype, product)
        name = self.fresh()
        self.line(f"{name} = {start.name}")
        return Variable(name, dtype, start.product)

    def update(self, v):
        other, _ = self.second(v.dtype, product=not self.hosted)
        if v.dtype in INTEGERS:
            op = self.case.choose("+", "-", "*", "^")
        else:
            op = self.case.choose("+", "-") if self.hosted else self.case.choose("+", "-", "*")
        self.line(f"{v.name} = {v.name} {op} {other}")

    def flow(self, level=0):
        kind = self.case.choose("for", "for", "dynamic for", "if", "if else", "while", "static_range")
        if not self.scalars and kind in ("dynamic for", "if", "if else", "while"):
            kind = "for"
        dtype = self.case.choose(*[d for d in self.dtypes if d != "i1"])
        self.case.tag(f"flow {kind}", *(["flow nested"] if level else []))
        made = [self.carried(dtype, product=not self.hosted)]
        if self.case.chance(0.5):
            made.append(self.carried(self.case.choose(*[d for d in self.dtypes if d != "i1"]), product=not self.hosted))
            self.case.tag("flow several carried")
        self.arrays += made

        def inside(extra=None):
            if level < 2 and self.case.chance(0.35):
                self.flow(level + 1)
            for v in made:
                self.update(v)
            if extra:
                self.line(extra)

        i = f"k{self.count}"
        if kind in ("if", "if else"):
            scalar = self.case.choose(*self.scalars)
            self.line(f"if {scalar} {self.case.choose(*COMPARES)} {self.case.between(1, 6)}:")
            self.nested(self.case.between(0, 2), inside)
            if kind == "if else":
                self.line("else:")
                self.nested(self.case.between(0, 2), inside)
        elif kind == "while":
            self.line(f"{i} = 0")
            self.line(f"while {i} < {self.case.choose(*self.scalars)}:")
            self.nested(self.case.between(0, 2), lambda: inside(f"{i} = {i} + {self.case.choose(1, 2)}"))
        else:
            bounds = {"for": self.case.choose("3", "0, 7, 2", "5, 0, -2", "2, 2"), "static_range": "3"}.get(kind)
            if not bounds:
                scalar = self.case.choose(*self.scalars)
                bounds = self.case.choose(scalar, f"1, {scalar}", f"0, {scalar}, 2")
            self.line(f"for {i} in {'static_range' if kind == 'static_range' else 'range'}({bounds}):")
            if self.case.chance(0.4):
                self.case.tag("operand loop index")
                plain = made[0].dtype == "i32" or (made[0].dtype in FLOATS and not self.hosted)
                self.nested(self.case.between(0, 2),
                            lambda: inside(f"{made[0].name} = {made[0].name} + {i}" if plain else None))
            else:
                self.nested(self.case.between(0, 2), inside)

    # --- the whole
    def write(self, steps, flows, results):
        """Makes the function. Returns the dtypes of its results, which are never i1."""
        for number in range(steps):
            self.step()
            if flows and self.case.chance(0.4):
                self.flow()
                flows -= 1
        values = []
        for _ in range(results):
            v = self.pick([d for d in self.dtypes if d != "i1"])
            if v is None or v in values:
                v = self.of(self.case.choose(*[d for d in self.dtypes if d != "i1"]))
            values.append(v)
        self.line(f"return ({', '.join(v.name for v in values)},)")
        self.results = [v.dtype for v in values]
        parameters = self.parameters + (["index"] if self.needs_index else [])
        return [f"def body({', '.join(parameters)}):"] + self.lines

    def call(self, arguments, host=False):
        if self.needs_index:
            arguments = list(arguments) + [
                "lambda dtype, shape, axis: iota(shape, dtype, axis=axis)" if host else "broadcasted_iota"]
        return f"body({', '.join(arguments)})"
