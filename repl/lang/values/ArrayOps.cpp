#include "repl/lang/values/ArrayOps.h"

#include "layouts/support/Try.h"
#include "repl/lang/values/ArrayNumbers.h"

#include <algorithm>
#include <cmath>

namespace lanescope::repl {

std::optional<int64_t> checkedCount(const Shape &shape) {
  constexpr int64_t kLimit = int64_t{1} << 40;
  int64_t count = 1;
  for (int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count) || count >= kLimit)
      return std::nullopt;
  }
  return count;
}

Result<Shape> broadcastShapes(const Shape &a, const Shape &b) {
  Shape out(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < out.size(); ++i) {
    int64_t m = i < a.size() ? a[a.size() - 1 - i] : 1, n = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (m != n && m != 1 && n != 1)
      return error("shape-mismatch",
                   Message("shapes {shape} and {other_shape} do not broadcast: dimension {dimension} is {size} in one "
                           "and {other_size} in the other",
                           layouts::tupleText(a), layouts::tupleText(b), -static_cast<int64_t>(i) - 1, m, n));
    out[out.size() - 1 - i] = m == 1 ? n : m;
  }
  if (!checkedCount(out))
    return error("too-large", Message("the result would have shape {shape}", layouts::tupleText(out)));
  return out;
}

Dtype narrowed(Dtype dtype) {
  switch (dtype) {
  case Dtype::F64: return Dtype::F32;
  case Dtype::I64: return Dtype::I32;
  case Dtype::U64: return Dtype::U32;
  default: return dtype;
  }
}

ArrayRules commonRules(const Value &a, const Value &b) {
  if (!a.asArray() || !b.asArray())
    return a.asArray() ? a.arrayRules() : b.arrayRules();
  if (a.arrayRules() == b.arrayRules())
    return a.arrayRules();
  return a.arrayRules() == ArrayRules::Jax || b.arrayRules() == ArrayRules::Jax ? ArrayRules::Jax : ArrayRules::Snippet;
}

/// JAX's lattice ("Type promotion semantics") without 64 bits. Floats of 8 bits and less combine with integers, but
/// with no other float; integers below 8 bits combine only with truth values.
static Result<Dtype> jaxPromotion(Dtype a, Dtype b) {
  auto apart = [&] {
    return error("dtype-mismatch",
                 Message("`{dtype}` and `{other_dtype}` do not mix by themselves; convert one with `astype`",
                         layouts::name(a), layouts::name(b)));
  };
  if (a == b || b == Dtype::I1)
    return a;
  if (a == Dtype::I1)
    return b;
  const bool floatA = layouts::isFloat(a), floatB = layouts::isFloat(b);
  if ((!floatA && layouts::bitwidth(a) < 8) || (!floatB && layouts::bitwidth(b) < 8))
    return apart();
  if (floatA != floatB)
    return floatA ? a : b;
  if (floatA && (layouts::bitwidth(a) < 16 || layouts::bitwidth(b) < 16))
    return apart();
  return narrowed(LANESCOPE_TRY(promote(a, b)));
}

Result<Dtype> promote(Dtype a, Dtype b, ArrayRules rules) {
  if (rules == ArrayRules::Jax)
    return jaxPromotion(narrowed(a), narrowed(b));
  if (a == b)
    return a;
  auto narrow = [](Dtype dtype) { return layouts::isFloat(dtype) && layouts::bitwidth(dtype) < 16; };
  if (narrow(a) || narrow(b))
    return error("dtype-mismatch",
                 Message("`{dtype}` and `{other_dtype}` do not mix by themselves; convert one with `astype`",
                         layouts::name(a), layouts::name(b)));
  if (layouts::isFloat(a) && layouts::isFloat(b)) {
    int width = std::max(layouts::bitwidth(a), layouts::bitwidth(b));
    if (width == 64)
      return Dtype::F64;
    return width == 32 || a != b ? Dtype::F32 : a;
  }
  if (layouts::isFloat(a))
    return a;
  if (layouts::isFloat(b))
    return b;
  if (a == Dtype::I1 || b == Dtype::I1)
    return a == Dtype::I1 ? b : a;
  bool sameSign = layouts::isSignedInteger(a) == layouts::isSignedInteger(b);
  int wa = layouts::bitwidth(a), wb = layouts::bitwidth(b);
  if (sameSign)
    return wa >= wb ? a : b;
  int unsignedWidth = layouts::isUnsignedInteger(a) ? wa : wb, signedWidth = layouts::isUnsignedInteger(a) ? wb : wa;
  if (signedWidth > unsignedWidth)
    return layouts::isUnsignedInteger(a) ? b : a;
  switch (unsignedWidth) {
  case 4: return Dtype::I8;
  case 8: return Dtype::I16;
  case 16: return Dtype::I32;
  case 32: return Dtype::I64;
  default:
    return error("dtype-mismatch",
                 Message("no integer dtype holds both `{dtype}` and `{other_dtype}`; convert one with `astype`",
                         layouts::name(a), layouts::name(b)));
  }
}

Dtype floatOf(Dtype integer) { return layouts::bitwidth(integer) == 64 ? Dtype::F64 : Dtype::F32; }

Dtype promoteScalar(Dtype array, const Value &scalar, ArrayRules rules) {
  if (rules == ArrayRules::Jax)
    array = narrowed(array);
  if (layouts::isFloat(array))
    return array;
  if (scalar.asFloat())
    return floatOf(array);
  return array == Dtype::I1 && scalar.asInt() ? Dtype::I32 : array;
}

Value elementOf(const Array &array, int64_t index) {
  if (array.dtype == Dtype::I1)
    return array.integer(index) != 0;
  if (layouts::isInteger(array.dtype))
    return array.integer(index);
  return array.number(index);
}

Value scalarOf(const Array &array, int64_t index) {
  if (array.dtype != Dtype::U64 || array.integer(index) >= 0)
    return elementOf(array, index);
  Array alone = Array::zeros(Dtype::U64, {});
  alone.setInteger(0, array.integer(index));
  return Value(std::move(alone));
}

void setElement(Array &array, int64_t index, const Value &scalar) {
  if (const double *x = scalar.asFloat())
    array.setNumber(index, array.dtype == Dtype::I1 ? (*x != 0 ? 1.0 : 0.0) : *x);
  else if (array.dtype == Dtype::I1)
    array.setInteger(index, scalar.integer().value_or(0) != 0);
  else
    array.setInteger(index, scalar.integer().value_or(0));
}

namespace {

/// Steps through a shape in row-major order, and keeps one flat offset for each operand. Dimensions of size 1 repeat.
class Walk {
public:
  Walk(const Shape &shape, std::initializer_list<const Shape *> operands) : shape_(shape), index_(shape.size(), 0) {
    for (const Shape *operand : operands) {
      Shape own = layouts::contiguousStrides(*operand), strides(shape.size(), 0);
      size_t lead = shape.size() - operand->size();
      for (size_t i = 0; i < operand->size(); ++i)
        strides[lead + i] = (*operand)[i] == 1 ? 0 : own[i];
      strides_.push_back(std::move(strides));
      offsets_.push_back(0);
    }
  }
  int64_t offset(size_t operand) const { return offsets_[operand]; }
  void next() {
    for (size_t d = shape_.size(); d-- > 0;) {
      ++index_[d];
      for (size_t k = 0; k < offsets_.size(); ++k)
        offsets_[k] += strides_[k][d];
      if (index_[d] < shape_[d])
        return;
      for (size_t k = 0; k < offsets_.size(); ++k)
        offsets_[k] -= strides_[k][d] * shape_[d];
      index_[d] = 0;
    }
  }

private:
  const Shape &shape_;
  Shape index_;
  std::vector<Shape> strides_;
  std::vector<int64_t> offsets_;
};

/// A Python scalar as an array of rank 0 with the given dtype. Error: an int does not fit.
Result<Array> scalarArray(const Value &scalar, Dtype dtype) {
  Array out = Array::zeros(dtype, {});
  if (const int64_t *n = scalar.asInt(); n && layouts::isInteger(dtype)) {
    out.setInteger(0, *n);
    if (out.integer(0) != *n || (*n < 0 && layouts::isUnsignedInteger(dtype)))
      return error("integer-overflow",
                   Message("{value} does not fit in `{dtype}`; convert the array with `astype` first", *n,
                           layouts::name(dtype)));
    return out;
  }
  setElement(out, 0, scalar);
  return out;
}

struct Operands {
  Array scalarStore;
  const Array *left = nullptr, *right = nullptr;
  Dtype dtype = Dtype::F32; // dtype of the computation
  Shape shape;
  ArrayRules rules = ArrayRules::Snippet;
};

Result<void> prepare(Operands &out, const Value &left, const Value &right) {
  out.left = left.asArray();
  out.right = right.asArray();
  out.rules = commonRules(left, right);
  if (out.left && out.right) {
    out.dtype = LANESCOPE_TRY(promote(out.left->dtype, out.right->dtype, out.rules));
  } else {
    const Array &array = out.left ? *out.left : *out.right;
    const Value &scalar = out.left ? right : left;
    if (!scalar.number())
      return error("type", Message("an array and `{type}` do not combine", scalar.typeName()));
    if (out.rules == ArrayRules::Jax && scalar.asFloat() && layouts::isInteger(array.dtype) &&
        array.dtype != Dtype::I1 && layouts::bitwidth(array.dtype) < 8)
      return error("dtype-mismatch",
                   Message("`{dtype}` and a float do not mix by themselves; convert the array with `astype`",
                           layouts::name(array.dtype)));
    out.dtype = promoteScalar(array.dtype, scalar, out.rules);
    out.scalarStore = LANESCOPE_TRY(scalarArray(scalar, out.dtype));
    (out.left ? out.right : out.left) = &out.scalarStore;
  }
  out.shape = LANESCOPE_TRY(broadcastShapes(out.left->shape, out.right->shape));
  return {};
}

double floatOp(BinaryOp op, double a, double b) {
  switch (op) {
  case BinaryOp::Add: return a + b;
  case BinaryOp::Subtract: return a - b;
  case BinaryOp::Multiply: return a * b;
  case BinaryOp::Divide:
  case BinaryOp::FloorDivide: return a / b;
  case BinaryOp::Modulo: {
    double r = std::fmod(a, b);
    return r == 0 ? std::copysign(r, b) : (r < 0) != (b < 0) ? r + b : r;
  }
  default: return std::pow(a, b);
  }
}

/// NumPy's and JAX's `//` of floats agrees with their `%`: 1 // 0.1 is 9, because 0.1 is a little more than a tenth.
double floorOfFloats(double a, double b) {
  if (b == 0)
    return a / b;
  const double rest = std::fmod(a, b);
  const double quotient = (a - rest) / b - (rest != 0 && (b < 0) != (rest < 0) ? 1 : 0), whole = std::floor(quotient);
  return quotient == 0 ? std::copysign(0., a / b) : quotient - whole > 0.5 ? whole + 1 : whole;
}

/// The result for integers, which wraps on overflow; nullopt for a division by zero. `wide`: the operands are u64.
std::optional<int64_t> integerOp(BinaryOp op, int64_t a, int64_t b, bool wide, int width) {
  auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (op) {
  case BinaryOp::Add: return static_cast<int64_t>(ua + ub);
  case BinaryOp::Subtract: return static_cast<int64_t>(ua - ub);
  case BinaryOp::Multiply: return static_cast<int64_t>(ua * ub);
  case BinaryOp::FloorDivide:
    if (b == 0)
      return std::nullopt;
    if (wide)
      return static_cast<int64_t>(ua / ub);
    if (b == -1)
      return static_cast<int64_t>(-ua);
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
  case BinaryOp::Modulo: {
    if (b == 0)
      return std::nullopt;
    if (wide)
      return static_cast<int64_t>(ua % ub);
    if (b == -1)
      return 0;
    int64_t r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
  }
  case BinaryOp::BitAnd: return a & b;
  case BinaryOp::BitOr: return a | b;
  case BinaryOp::BitXor: return a ^ b;
  case BinaryOp::ShiftLeft: return ub >= static_cast<uint64_t>(width) ? 0 : static_cast<int64_t>(ua << ub);
  case BinaryOp::ShiftRight:
    if (wide)
      return ub >= 64 ? 0 : static_cast<int64_t>(ua >> ub);
    return ub >= 64 ? (a < 0 ? -1 : 0) : a >> ub;
  default: {
    uint64_t out = 1;
    for (; ub != 0; ub >>= 1, ua *= ua)
      if (ub & 1)
        out *= ua;
    return static_cast<int64_t>(out);
  }
  }
}

} // namespace

Result<Value> arrayBinary(BinaryOp op, const Value &left, const Value &right) {
  Operands in;
  LANESCOPE_CHECK(prepare(in, left, right));
  bool bitwise = op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor;
  bool shift = op == BinaryOp::ShiftLeft || op == BinaryOp::ShiftRight;
  if ((bitwise || shift) && layouts::isFloat(in.dtype))
    return error("dtype-mismatch",
                 Message("`{operator}` needs integers, not `{dtype}`", spelling(op), layouts::name(in.dtype)));
  Dtype dtype = in.dtype;
  const bool jax = in.rules == ArrayRules::Jax;
  if (op == BinaryOp::Divide && layouts::isInteger(dtype))
    dtype = floatOf(dtype);
  else if (jax && dtype == Dtype::I1 && op == BinaryOp::Subtract)
    return error("type", "JAX does not subtract truth values; use `^`, or convert them with `astype`");
  else if (jax && dtype == Dtype::I1 && (op == BinaryOp::Add || op == BinaryOp::Multiply))
    op = op == BinaryOp::Add ? BinaryOp::BitOr : BinaryOp::BitAnd;
  else if (dtype == Dtype::I1 && !bitwise)
    dtype = Dtype::I32;
  Array out = Array::zeros(dtype, in.shape);
  Walk walk(out.shape, {&in.left->shape, &in.right->shape});
  int64_t count = out.size();
  if (layouts::isFloat(dtype)) {
    for (int64_t i = 0; i < count; ++i, walk.next()) {
      const double a = in.left->number(walk.offset(0)), b = in.right->number(walk.offset(1));
      out.setNumber(i, jax && op == BinaryOp::FloorDivide ? floorOfFloats(a, b) : floatOp(op, a, b));
      if (!jax && op == BinaryOp::FloorDivide) // as on the device, the quotient is rounded to the dtype first
        out.setNumber(i, std::floor(out.number(i)));
    }
    return Value(std::move(out), in.rules);
  }
  bool wide = dtype == Dtype::U64;
  int width = layouts::bitwidth(dtype);
  for (int64_t i = 0; i < count; ++i, walk.next()) {
    int64_t exponent = in.right->integer(walk.offset(1));
    if (op == BinaryOp::Power && exponent < 0 && !wide)
      return error("value",
                   "integers are raised to a negative power; convert the array to a float dtype with `astype`");
    auto value = integerOp(op, in.left->integer(walk.offset(0)), exponent, wide, width);
    if (!value)
      return error("division-by-zero", Message("division by zero in element {element}", i));
    out.setInteger(i, *value);
  }
  return Value(std::move(out), in.rules);
}

Result<Value> arrayCompare(CompareOp op, const Value &left, const Value &right) {
  // An int may lie outside the array's dtype, as in `x < 300` for an x of u8. The array is then widened.
  Value widened;
  const Value *a = &left, *b = &right;
  auto widen = [&](const Value &array, const Value &scalar) {
    const int64_t *n = scalar.asInt();
    if (!array.asArray() || !n || !layouts::isInteger(array.asArray()->dtype) ||
        scalarArray(scalar, promoteScalar(array.asArray()->dtype, scalar, array.arrayRules())))
      return false;
    auto wide = cast(*array.asArray(), Dtype::I64);
    widened = Value(std::move(*wide), array.arrayRules());
    return true;
  };
  if (widen(left, right))
    a = &widened;
  else if (widen(right, left))
    b = &widened;
  Operands in;
  LANESCOPE_CHECK(prepare(in, *a, *b));
  Array out = Array::zeros(Dtype::I1, in.shape);
  Walk walk(out.shape, {&in.left->shape, &in.right->shape});
  auto holds = [op](auto x, auto y) {
    switch (op) {
    case CompareOp::Equal: return x == y;
    case CompareOp::NotEqual: return x != y;
    case CompareOp::Less: return x < y;
    case CompareOp::LessEqual: return x <= y;
    case CompareOp::Greater: return x > y;
    default: return x >= y;
    }
  };
  int64_t count = out.size();
  for (int64_t i = 0; i < count; ++i, walk.next()) {
    if (layouts::isFloat(in.dtype))
      out.setInteger(i, holds(in.left->number(walk.offset(0)), in.right->number(walk.offset(1))));
    else if (in.dtype == Dtype::U64)
      out.setInteger(i, holds(static_cast<uint64_t>(in.left->integer(walk.offset(0))),
                              static_cast<uint64_t>(in.right->integer(walk.offset(1)))));
    else
      out.setInteger(i, holds(in.left->integer(walk.offset(0)), in.right->integer(walk.offset(1))));
  }
  return Value(std::move(out), in.rules);
}

Result<Value> arrayUnary(UnaryOp op, const Array &operand) {
  bool isFloat = layouts::isFloat(operand.dtype);
  if (op == UnaryOp::Plus)
    return Value(operand);
  if (op == UnaryOp::Invert && isFloat)
    return error("dtype-mismatch", Message("`~` needs integers, not `{dtype}`", layouts::name(operand.dtype)));
  Array out = operand;
  int64_t count = out.size();
  for (int64_t i = 0; i < count; ++i) {
    if (isFloat)
      out.setNumber(i, -operand.number(i));
    else if (op == UnaryOp::Invert)
      out.setInteger(i, operand.dtype == Dtype::I1 ? operand.integer(i) == 0 : ~operand.integer(i));
    else
      out.setInteger(i, static_cast<int64_t>(-static_cast<uint64_t>(operand.integer(i))));
  }
  return Value(std::move(out));
}

Array mapFloat(const Array &array, const std::function<double(double)> &function) {
  Array out = Array::zeros(layouts::isFloat(array.dtype) ? array.dtype : floatOf(array.dtype), array.shape);
  int64_t count = out.size();
  for (int64_t i = 0; i < count; ++i)
    out.setNumber(i, function(array.number(i)));
  return out;
}

static Result<Array> matrixProduct(const Array &a, const Array &b, const std::function<Result<void>()> &poll,
                                   ArrayRules rules) {
  int64_t m = a.shape[0], k = a.shape[1], n = b.shape[1];
  if (b.shape[0] != k)
    return error("shape-mismatch", Message("`@` of shapes {shape} and {other_shape}: the left one's columns "
                                           "({columns}) are not the right one's rows ({rows})",
                                           layouts::tupleText(a.shape), layouts::tupleText(b.shape), k, b.shape[0]));
  Dtype dtype = LANESCOPE_TRY(promote(a.dtype, b.dtype, rules));
  if (dtype == Dtype::I1)
    dtype = rules != ArrayRules::Snippet ? Dtype::I1 : Dtype::I32;
  if (!checkedCount({m, n}))
    return error("too-large", Message("the result would have shape {shape}", layouts::tupleText({m, n})));
  Array out = Array::zeros(dtype, {m, n});
  auto compute = [&](auto zero, auto read, auto write) -> Result<void> {
    using T = decltype(zero);
    std::vector<T> right(static_cast<size_t>(k * n)), row(static_cast<size_t>(n));
    for (int64_t i = 0; i < k * n; ++i)
      right[static_cast<size_t>(i)] = read(b, i);
    for (int64_t i = 0; i < m; ++i) {
      LANESCOPE_CHECK(poll());
      std::ranges::fill(row, zero);
      for (int64_t l = 0; l < k; ++l) {
        T x = read(a, i * k + l);
        const T *from = right.data() + l * n;
        for (int64_t j = 0; j < n; ++j)
          row[static_cast<size_t>(j)] += x * from[j];
      }
      for (int64_t j = 0; j < n; ++j)
        write(i * n + j, row[static_cast<size_t>(j)]);
    }
    return {};
  };
  if (layouts::isFloat(dtype))
    LANESCOPE_CHECK(compute(
        0.0, [](const Array &from, int64_t i) { return from.number(i); },
        [&](int64_t i, double x) { out.setNumber(i, x); }));
  else
    LANESCOPE_CHECK(compute(
        uint64_t{0}, [](const Array &from, int64_t i) { return static_cast<uint64_t>(from.integer(i)); },
        [&](int64_t i, uint64_t x) { out.setInteger(i, static_cast<int64_t>(x)); }));
  return out;
}

Result<Array> matmul(const Array &left, const Array &right, const std::function<Result<void>()> &poll,
                     ArrayRules rules) {
  if (left.shape.empty() || right.shape.empty())
    return error("shape-mismatch", "`@` multiplies arrays, and one of these is a scalar; use `*`");
  if (left.shape.size() == 2 && right.shape.size() == 2)
    return matrixProduct(left, right, poll, rules);
  // A vector on the left is a row, and a vector on the right is a column. The result lacks the dimension that this
  // adds. Dimensions before the matrices broadcast.
  Array a = left, b = right;
  if (left.shape.size() == 1)
    a.shape.insert(a.shape.begin(), 1);
  if (right.shape.size() == 1)
    b.shape.push_back(1);
  Shape outerA(a.shape.begin(), a.shape.end() - 2), outerB(b.shape.begin(), b.shape.end() - 2);
  Shape outer = LANESCOPE_TRY(broadcastShapes(outerA, outerB));
  auto spread = [&](const Array &array) {
    Shape shape = outer;
    shape.insert(shape.end(), array.shape.end() - 2, array.shape.end());
    return broadcastTo(array, shape);
  };
  a = LANESCOPE_TRY(spread(a));
  b = LANESCOPE_TRY(spread(b));
  int64_t count = layouts::elementCount(outer);
  auto matrix = [&](const Array &from, int64_t index) {
    Array one{from.dtype, Shape(from.shape.end() - 2, from.shape.end()), {}};
    size_t bytes = from.bytes.size() / static_cast<size_t>(std::max<int64_t>(count, 1));
    one.bytes.assign(std::span(from.bytes).subspan(bytes * static_cast<size_t>(index), bytes));
    return one;
  };
  Array out{LANESCOPE_TRY(promote(a.dtype, b.dtype, rules)), outer, {}};
  for (int64_t i = 0; i < count; ++i) {
    Array part = LANESCOPE_TRY(matrixProduct(matrix(a, i), matrix(b, i), poll, rules));
    out.dtype = part.dtype;
    out.bytes.append(part.bytes);
  }
  if (left.shape.size() > 1)
    out.shape.push_back(left.shape[left.shape.size() - 2]);
  if (right.shape.size() > 1)
    out.shape.push_back(right.shape.back());
  return out;
}

Result<Array> cast(const Array &array, Dtype dtype) {
  Array out = Array::zeros(dtype, array.shape);
  if (layouts::isFloat(array.dtype) && layouts::isFloat(dtype)) {
    bool exact = array.dtype != Dtype::F64; // true if f32 can represent the numbers, so that they are rounded only once
    forNumbers<1>({&array}, [&](int64_t first, const auto &numbers) {
      if (exact)
        writeFloats(out, first, numbers[0]);
      else
        for (size_t i = 0; i < numbers[0].size(); ++i)
          out.setNumber(first + static_cast<int64_t>(i), numbers[0][i]);
      return true;
    });
    return out;
  }
  int64_t count = array.size();
  for (int64_t i = 0; i < count; ++i)
    setElement(out, i, elementOf(array, i));
  return out;
}

/// Handles overflow in floats of 8 bits. A value that rounds beyond the largest one becomes NaN (e4m3fn) or infinite
/// (e5m2), as in JAX and ml_dtypes. The hardware's conversions in kernels saturate.
static void overflow(const Array &from, Array &to) {
  const bool e4m3 = to.dtype == Dtype::F8E4M3FN;
  if (!e4m3 && to.dtype != Dtype::F8E5M2)
    return;
  for (int64_t i = 0; i < from.size(); ++i) {
    const double x = from.number(i);
    if (e4m3 ? std::abs(x) > 464 : std::abs(x) >= 61440)
      to.bytes[static_cast<size_t>(i)] =
          static_cast<std::byte>((std::signbit(x) ? 0x80 : 0) | (e4m3 || std::isnan(x) ? 0x7F : 0x7C));
  }
}

Result<Array> castUnder(const Array &array, Dtype dtype, ArrayRules rules) {
  if (rules != ArrayRules::Jax || !layouts::isFloat(array.dtype) || layouts::isFloat(dtype) || dtype == Dtype::I1) {
    Array out = LANESCOPE_TRY(cast(array, dtype));
    if (rules != ArrayRules::Snippet)
      overflow(array, out);
    return out;
  }
  const bool isUnsigned = layouts::isUnsignedInteger(dtype);
  const int bits = layouts::bitwidth(dtype);
  const double most = std::ldexp(1.0, isUnsigned ? bits : bits - 1), least = isUnsigned ? 0 : -most;
  Array inside = Array::zeros(Dtype::F64, array.shape);
  for (int64_t i = 0; i < array.size(); ++i) {
    const double x = array.number(i);
    inside.setNumber(i, std::isnan(x) ? 0 : std::clamp(std::trunc(x), least, most - 1));
  }
  return cast(inside, dtype);
}

Result<Shape> checkedReshape(const Shape &from, Shape shape) {
  int64_t known = 1, wildcard = -1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1 && wildcard < 0)
      wildcard = static_cast<int64_t>(i);
    else if (shape[i] < 0 || __builtin_mul_overflow(known, shape[i], &known))
      return error("value", Message("{shape} is not a shape", layouts::tupleText(shape)));
  }
  int64_t count = layouts::elementCount(from);
  if (wildcard >= 0 && known > 0)
    shape[static_cast<size_t>(wildcard)] = count / known;
  if ((wildcard >= 0 && known == 0) || checkedCount(shape) != count)
    return error("shape-mismatch",
                 Message("an array of shape {shape} has {count} elements, which do not fill the shape {other_shape}",
                         layouts::tupleText(from), count, layouts::tupleText(shape)));
  return shape;
}

Result<Array> reshape(const Array &array, Shape shape) {
  shape = LANESCOPE_TRY(checkedReshape(array.shape, std::move(shape)));
  Array out = array;
  out.shape = std::move(shape);
  return out;
}

Result<std::vector<int64_t>> checkedAxes(size_t dimensions, std::vector<int64_t> axes) {
  auto rank = static_cast<int64_t>(dimensions);
  if (axes.empty())
    for (int64_t i = rank; i-- > 0;)
      axes.push_back(i);
  std::vector<bool> seen(dimensions);
  bool good = static_cast<int64_t>(axes.size()) == rank;
  for (int64_t &axis : axes) {
    axis += axis < 0 ? rank : 0;
    good = good && axis >= 0 && axis < rank && !seen[static_cast<size_t>(axis)];
    if (good)
      seen[static_cast<size_t>(axis)] = true;
  }
  if (!good)
    return error("value", Message("the axes must name each of the {rank} dimensions once", rank));
  return axes;
}

Result<Array> transpose(const Array &array, std::vector<int64_t> axes) {
  axes = LANESCOPE_TRY(checkedAxes(array.shape.size(), std::move(axes)));
  Shape shape, strides, from = layouts::contiguousStrides(array.shape);
  for (int64_t axis : axes) {
    shape.push_back(array.shape[static_cast<size_t>(axis)]);
    strides.push_back(from[static_cast<size_t>(axis)]);
  }
  Array out = Array::zeros(array.dtype, shape);
  size_t width = static_cast<size_t>(layouts::hostBytes(array.dtype));
  int64_t count = out.size(), offset = 0;
  Shape index(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    std::copy_n(array.bytes.data() + static_cast<size_t>(offset) * width, width,
                out.bytes.data() + static_cast<size_t>(i) * width);
    for (size_t d = shape.size(); d-- > 0;) {
      offset += strides[d];
      if (++index[d] < shape[d])
        break;
      offset -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
  return out;
}

Result<Array> broadcastTo(const Array &array, const Shape &shape) {
  Shape joint = LANESCOPE_TRY(broadcastShapes(array.shape, shape));
  if (joint != shape)
    return error("shape-mismatch", Message("an array of shape {shape} does not broadcast to {other_shape}",
                                           layouts::tupleText(array.shape), layouts::tupleText(shape)));
  if (array.shape == shape)
    return array;
  Array out = Array::zeros(array.dtype, shape);
  Walk walk(out.shape, {&array.shape});
  size_t width = static_cast<size_t>(layouts::hostBytes(array.dtype));
  int64_t count = out.size();
  for (int64_t i = 0; i < count; ++i, walk.next())
    std::copy_n(array.bytes.data() + static_cast<size_t>(walk.offset(0)) * width, width,
                out.bytes.data() + static_cast<size_t>(i) * width);
  return out;
}

// --- reductions ------------------------------------------------------------------------------------------------------

namespace {

/// The running result of a reduction, exact for integers and wide for floats.
struct Running {
  double number = 0;
  int64_t integer = 0;
  int64_t count = 0;

  /// Begins with the result of an empty reduction.
  explicit Running(Reduction reduction)
      : number(reduction == Reduction::Product),
        integer(reduction == Reduction::Product || reduction == Reduction::All) {}

  void add(Reduction reduction, const Array &array, int64_t index) {
    bool first = count++ == 0;
    if (reduction == Reduction::All || reduction == Reduction::Any) {
      bool holds = array.number(index) != 0;
      integer = first ? holds : reduction == Reduction::All ? (integer && holds) : (integer || holds);
      return;
    }
    bool isFloat = layouts::isFloat(array.dtype);
    if (reduction == Reduction::Product) {
      number *= array.number(index);
      integer = static_cast<int64_t>(static_cast<uint64_t>(integer) * static_cast<uint64_t>(array.integer(index)));
      return;
    }
    if (reduction == Reduction::Sum || reduction == Reduction::Mean) {
      if (isFloat || reduction == Reduction::Mean)
        number += array.number(index);
      else
        integer = static_cast<int64_t>(static_cast<uint64_t>(integer) + static_cast<uint64_t>(array.integer(index)));
      return;
    }
    bool isMax = reduction == Reduction::Max;
    if (isFloat) {
      double x = array.number(index);
      bool zeros = x == 0 && number == 0; // -0 is below 0, as on the GPU
      if (first || std::isnan(x) || (zeros ? std::signbit(x) != isMax : isMax ? x > number : x < number))
        number = std::isnan(number) && !first ? number : x;
      return;
    }
    int64_t n = array.integer(index);
    bool better = array.dtype == Dtype::U64 ? (isMax ? static_cast<uint64_t>(n) > static_cast<uint64_t>(integer)
                                                     : static_cast<uint64_t>(n) < static_cast<uint64_t>(integer))
                                            : (isMax ? n > integer : n < integer);
    if (first || better)
      integer = n;
  }
};

Dtype reducedDtype(Reduction reduction, Dtype dtype) {
  switch (reduction) {
  case Reduction::All:
  case Reduction::Any: return Dtype::I1;
  case Reduction::Mean: return layouts::isFloat(dtype) ? dtype : floatOf(dtype);
  case Reduction::Sum:
  case Reduction::Product: return dtype == Dtype::I1 ? Dtype::I32 : dtype;
  default: return dtype;
  }
}

} // namespace

static Result<Array> reduced(Reduction reduction, const Array &array, const std::vector<int64_t> &axes, bool keepDims) {
  std::vector<bool> gone(array.shape.size());
  for (int64_t axis : axes)
    gone[static_cast<size_t>(axis)] = true;
  Shape kept, shape;
  for (size_t i = 0; i < array.shape.size(); ++i) {
    kept.push_back(gone[i] ? 1 : array.shape[i]);
    if (!gone[i] || keepDims)
      shape.push_back(kept.back());
  }
  int64_t count = array.size();
  bool needsElements = reduction == Reduction::Max || reduction == Reduction::Min || reduction == Reduction::Mean;
  if (count == 0 && needsElements)
    return error("value",
                 Message("an array of shape {shape} has no elements to reduce", layouts::tupleText(array.shape)));
  std::vector<Running> running(static_cast<size_t>(layouts::elementCount(kept)), Running(reduction));
  Walk walk(array.shape, {&kept});
  for (int64_t i = 0; i < count; ++i, walk.next())
    running[static_cast<size_t>(walk.offset(0))].add(reduction, array, i);
  Array out = Array::zeros(reducedDtype(reduction, array.dtype), shape);
  for (size_t i = 0; i < running.size(); ++i) {
    const Running &value = running[i];
    if (reduction == Reduction::Mean)
      out.setNumber(static_cast<int64_t>(i), value.number / static_cast<double>(value.count));
    else if (layouts::isFloat(out.dtype))
      out.setNumber(static_cast<int64_t>(i), value.number);
    else
      out.setInteger(static_cast<int64_t>(i), value.integer);
  }
  return out;
}

Result<Value> reduce(Reduction reduction, const Value &array, const std::vector<int64_t> &axes, bool keepDims) {
  ArrayRules rules = array.arrayRules();
  Array out = LANESCOPE_TRY(reduced(reduction, *array.asArray(), axes, keepDims));
  if (rules == ArrayRules::Snippet && out.shape.empty())
    return scalarOf(out, 0);
  return Value(std::move(out), rules);
}

Value underJaxRules(const Value &value) {
  if (const Array *array = value.asArray()) {
    if (value.arrayRules() == ArrayRules::Jax)
      return value;
    const Dtype dtype = narrowed(array->dtype);
    return Value(dtype == array->dtype ? *array : *cast(*array, dtype), ArrayRules::Jax);
  }
  if (!value.number())
    return value;
  Array out = Array::zeros(value.asBool() ? Dtype::I1 : value.asFloat() ? Dtype::F32 : Dtype::I32, {});
  setElement(out, 0, value);
  return Value(std::move(out), ArrayRules::Jax);
}

} // namespace lanescope::repl
