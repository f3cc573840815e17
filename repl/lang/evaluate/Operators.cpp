#include "repl/lang/evaluate/Operators.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/values/DtypeNames.h"
#include "repl/lang/values/Equality.h"

#include <algorithm>
#include <cmath>

namespace lanescope::repl {

int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
int64_t floorModulo(int64_t a, int64_t b) {
  int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

namespace {

std::unexpected<Diagnostics> overflow(BinaryOp op, int64_t a, int64_t b) {
  return error(
      "integer-overflow",
      Message("{left} {operator} {right} does not fit in 64 bits; with a float operand the result is rounded instead",
              a, spelling(op), b));
}
std::unexpected<Diagnostics> divisionByZero() { return error("division-by-zero", "division by zero"); }

Result<Value> integerPower(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 0)
      return divisionByZero();
    return std::pow(static_cast<double>(base), static_cast<double>(exponent));
  }
  int64_t out = 1, square = base;
  for (int64_t rest = exponent; rest > 0;) {
    if ((rest & 1) && __builtin_mul_overflow(out, square, &out))
      return overflow(BinaryOp::Power, base, exponent);
    rest >>= 1;
    if (rest > 0 && __builtin_mul_overflow(square, square, &square))
      return overflow(BinaryOp::Power, base, exponent);
  }
  return out;
}

Result<Value> integerBinary(BinaryOp op, int64_t a, int64_t b) {
  int64_t out = 0;
  switch (op) {
  case BinaryOp::Add: return __builtin_add_overflow(a, b, &out) ? Result<Value>(overflow(op, a, b)) : out;
  case BinaryOp::Subtract: return __builtin_sub_overflow(a, b, &out) ? Result<Value>(overflow(op, a, b)) : out;
  case BinaryOp::Multiply: return __builtin_mul_overflow(a, b, &out) ? Result<Value>(overflow(op, a, b)) : out;
  case BinaryOp::Divide:
    if (b == 0)
      return divisionByZero();
    return static_cast<double>(a) / static_cast<double>(b);
  case BinaryOp::FloorDivide:
    if (b == 0)
      return divisionByZero();
    if (a == INT64_MIN && b == -1)
      return overflow(op, a, b);
    return floorDivide(a, b);
  case BinaryOp::Modulo:
    if (b == 0)
      return divisionByZero();
    return b == -1 ? 0 : floorModulo(a, b);
  case BinaryOp::Power: return integerPower(a, b);
  case BinaryOp::BitAnd: return a & b;
  case BinaryOp::BitOr: return a | b;
  case BinaryOp::BitXor: return a ^ b;
  case BinaryOp::ShiftLeft:
    if (b < 0)
      return error("value", Message("cannot shift by {bits} bits", b));
    if (a != 0 && (b > 62 || __builtin_mul_overflow(a, int64_t{1} << b, &out)))
      return overflow(op, a, b);
    return a == 0 ? 0 : out;
  case BinaryOp::ShiftRight:
    if (b < 0)
      return error("value", Message("cannot shift by {bits} bits", b));
    return a >> std::min<int64_t>(b, 63);
  default: return error("type", "`@` needs arrays, not ints");
  }
}

Result<Value> floatBinary(BinaryOp op, double a, double b) {
  switch (op) {
  case BinaryOp::Add: return a + b;
  case BinaryOp::Subtract: return a - b;
  case BinaryOp::Multiply: return a * b;
  case BinaryOp::Divide: return b == 0 ? Result<Value>(divisionByZero()) : a / b;
  case BinaryOp::FloorDivide: return b == 0 ? Result<Value>(divisionByZero()) : std::floor(a / b);
  case BinaryOp::Modulo: {
    if (b == 0)
      return divisionByZero();
    double r = std::fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
  }
  case BinaryOp::Power: {
    double out = std::pow(a, b);
    if (std::isnan(out) && !std::isnan(a) && !std::isnan(b))
      return error("value", "a negative number to a fractional power is not real");
    if (a == 0 && b < 0)
      return divisionByZero();
    return out;
  }
  default: return error("type", Message("`{operator}` does not apply to floats", spelling(op)));
  }
}

Result<Value> repeat(Evaluator &evaluator, const Value &sequence, int64_t times, const Span &span) {
  times = std::max<int64_t>(times, 0);
  if (const std::string *s = sequence.asStr()) {
    int64_t bytes = 0;
    if (__builtin_mul_overflow(static_cast<int64_t>(s->size()), times, &bytes))
      bytes = INT64_MAX;
    LANESCOPE_CHECK(evaluator.reserveString(bytes, span));
    std::string out;
    out.reserve(static_cast<size_t>(bytes));
    if (!s->empty())
      for (int64_t i = 0; i < times; ++i)
        out += *s;
    return Value(std::move(out));
  }
  const std::vector<Value> &items = *sequence.asListOrTuple();
  int64_t count = 0;
  if (__builtin_mul_overflow(static_cast<int64_t>(items.size()), times, &count))
    count = INT64_MAX;
  LANESCOPE_CHECK(evaluator.reserveItems(count, span));
  std::vector<Value> out;
  out.reserve(static_cast<size_t>(count));
  if (!items.empty())
    for (int64_t i = 0; i < times; ++i)
      out.insert(out.end(), items.begin(), items.end());
  return sequence.asList() ? Value::list(std::move(out)) : Value::tuple(std::move(out));
}

std::unexpected<Diagnostics> noSuchOperation(BinaryOp op, const Value &left, const Value &right) {
  std::string mend;
  if (op == BinaryOp::Add && (left.asStr() || right.asStr()))
    mend = "; convert with `str(…)` or use an f-string";
  return error("type", Message("`{operator}` does not combine `{left_type}` and `{right_type}`{}", spelling(op),
                               left.typeName(), right.typeName(), mend));
}

} // namespace

Result<Value> hostBinary(Evaluator &evaluator, BinaryOp op, const Value &left, const Value &right, const Span &span) {
  if (const bool *a = left.asBool(), *b = right.asBool(); a && b) {
    if (op == BinaryOp::BitAnd)
      return *a && *b;
    if (op == BinaryOp::BitOr)
      return *a || *b;
    if (op == BinaryOp::BitXor)
      return *a != *b;
  }
  auto m = left.integer(), n = right.integer();
  if (m && n)
    return integerBinary(op, *m, *n);
  auto x = left.number(), y = right.number();
  if (x && y)
    return floatBinary(op, *x, *y);
  if (op == BinaryOp::Add) {
    if (left.asStr() && right.asStr()) {
      LANESCOPE_CHECK(
          evaluator.reserveString(static_cast<int64_t>(left.asStr()->size() + right.asStr()->size()), span));
      return Value(*left.asStr() + *right.asStr());
    }
    if ((left.asList() && right.asList()) || (left.asTuple() && right.asTuple())) {
      std::vector<Value> out = *left.asListOrTuple();
      const std::vector<Value> &more = *right.asListOrTuple();
      LANESCOPE_CHECK(evaluator.reserveItems(static_cast<int64_t>(out.size() + more.size()), span));
      out.insert(out.end(), more.begin(), more.end());
      return left.asList() ? Value::list(std::move(out)) : Value::tuple(std::move(out));
    }
  }
  if (op == BinaryOp::Multiply) {
    if ((left.asStr() || left.asListOrTuple()) && n)
      return repeat(evaluator, left, *n, span);
    if ((right.asStr() || right.asListOrTuple()) && m)
      return repeat(evaluator, right, *m, span);
  }
  if (op == BinaryOp::BitOr && left.asDict() && right.asDict()) {
    DictData out = *left.asDict();
    out.born = 0;
    for (const DictData::Item &item : right.asDict()->items())
      out.set(item.key, item.value);
    return Value::dict(std::move(out));
  }
  return noSuchOperation(op, left, right);
}

Result<Value> hostUnary(UnaryOp op, const Value &operand) {
  if (auto n = operand.integer()) {
    if (op == UnaryOp::Negate)
      return *n == INT64_MIN
                 ? Result<Value>(error("integer-overflow", Message("-({value}) does not fit in 64 bits", *n)))
                 : -*n;
    return op == UnaryOp::Invert ? ~*n : *n;
  }
  if (const double *x = operand.asFloat(); x && op != UnaryOp::Invert)
    return op == UnaryOp::Negate ? -*x : *x;
  return error("type", Message("unary `{operator}` does not apply to `{type}`", spelling(op), operand.typeName()));
}

namespace {

/// The order of two values: -1, 0 or 1; 2 if they are unordered (nan).
Result<int> order(const Value &left, const Value &right, int depth, int64_t &budget) {
  constexpr int kMaxDepth = 100;
  if (depth > kMaxDepth || --budget < 0)
    return error("too-large", "these values nest too deep to be ordered");
  auto sign = [](auto a, auto b) { return a < b ? -1 : b < a ? 1 : a == b ? 0 : 2; };
  auto m = left.integer(), n = right.integer();
  if (m && n)
    return sign(*m, *n);
  if (auto x = left.number())
    if (auto y = right.number())
      return sign(*x, *y);
  if (left.asStr() && right.asStr())
    return sign(left.asStr()->compare(*right.asStr()), 0);
  const auto *a = left.asListOrTuple(), *b = right.asListOrTuple();
  if (a && b && (left.asList() != nullptr) == (right.asList() != nullptr)) {
    for (size_t i = 0; i < std::min(a->size(), b->size()); ++i)
      if (!LANESCOPE_TRY(compared((*a)[i], (*b)[i])))
        return order((*a)[i], (*b)[i], depth + 1, budget);
    return sign(a->size(), b->size());
  }
  return error("type", Message("`{left_type}` and `{right_type}` have no order", left.typeName(), right.typeName()));
}

} // namespace

Result<bool> hostCompare(CompareOp op, const Value &left, const Value &right) {
  // As in NumPy, a dtype equals the strings that name it.
  if (const bool first = left.asDtype() && right.asStr(); first || (left.asStr() && right.asDtype()))
    if (op == CompareOp::Equal || op == CompareOp::NotEqual)
      return (dtypeOfText(first ? *right.asStr() : *left.asStr()) == *(first ? left : right).asDtype()) ==
             (op == CompareOp::Equal);
  if (op == CompareOp::Equal)
    return compared(left, right);
  if (op == CompareOp::NotEqual)
    return !LANESCOPE_TRY(compared(left, right));
  int64_t budget = 1'000'000;
  int sign = LANESCOPE_TRY(order(left, right, 0, budget));
  if (sign == 2)
    return false;
  switch (op) {
  case CompareOp::Less: return sign < 0;
  case CompareOp::LessEqual: return sign <= 0;
  case CompareOp::Greater: return sign > 0;
  default: return sign >= 0;
  }
}

Result<bool> lessThan(const Value &left, const Value &right) {
  return hostCompare(CompareOp::Less, left.plain(), right.plain());
}

} // namespace lanescope::repl
