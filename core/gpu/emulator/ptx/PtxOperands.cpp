#include "core/gpu/emulator/ptx/PtxOperands.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace lanescope::core::emulator {

namespace {

constexpr int kMaxOperandDepth = 4;
constexpr int kMaxExpressionDepth = 16;

constexpr int64_t number(uint64_t bits) { return static_cast<int64_t>(bits); }

struct Operator {
  std::string_view text;
  int precedence;
  uint64_t (*apply)(uint64_t, uint64_t);
};
constexpr int kDivision = 10; // has the precedence of `*`
/// An operator must come before its own prefixes in this list.
constexpr auto kOperators = std::to_array<Operator>({
    {"||", 0, [](uint64_t a, uint64_t b) -> uint64_t { return a || b; }},
    {"&&", 1, [](uint64_t a, uint64_t b) -> uint64_t { return a && b; }},
    {"==", 5, [](uint64_t a, uint64_t b) -> uint64_t { return a == b; }},
    {"!=", 5, [](uint64_t a, uint64_t b) -> uint64_t { return a != b; }},
    {"<<", 7, [](uint64_t a, uint64_t b) -> uint64_t { return b < 64 ? a << b : 0; }},
    {">>", 7, [](uint64_t a, uint64_t b) { return static_cast<uint64_t>(number(a) >> (b < 63 ? b : 63)); }},
    {"<=", 6, [](uint64_t a, uint64_t b) -> uint64_t { return number(a) <= number(b); }},
    {">=", 6, [](uint64_t a, uint64_t b) -> uint64_t { return number(a) >= number(b); }},
    {"<", 6, [](uint64_t a, uint64_t b) -> uint64_t { return number(a) < number(b); }},
    {">", 6, [](uint64_t a, uint64_t b) -> uint64_t { return number(a) > number(b); }},
    {"|", 2, [](uint64_t a, uint64_t b) { return a | b; }},
    {"^", 3, [](uint64_t a, uint64_t b) { return a ^ b; }},
    {"&", 4, [](uint64_t a, uint64_t b) { return a & b; }},
    {"+", 8, [](uint64_t a, uint64_t b) { return a + b; }},
    {"-", 8, [](uint64_t a, uint64_t b) { return a - b; }},
    {"*", 9, [](uint64_t a, uint64_t b) { return a * b; }},
    {"/", kDivision, [](uint64_t a, uint64_t b) { return static_cast<uint64_t>(number(a) / number(b)); }},
    {"%", kDivision, [](uint64_t a, uint64_t b) { return static_cast<uint64_t>(number(a) % number(b)); }},
});

/// Integer constant expressions (PTX ISA 4.6): C's operators with C's precedence, on 64 bits.
class Expression {
public:
  explicit Expression(PtxCursor &cursor) : cursor_(cursor) {}

  /// Returns false if there is no expression. The cursor's position is undefined in that case.
  bool read(uint64_t &value) { return unary(value, 0) && goOn(value, 0); }
  /// Reads the rest of an expression after its first operand.
  bool goOn(uint64_t &value) { return goOn(value, 0); }
  int operators() const { return operators_; }

private:
  static int tightness(const Operator &op) { return op.precedence == kDivision ? 9 : op.precedence; }

  bool unary(uint64_t &value, int depth) {
    if (depth > kMaxExpressionDepth)
      return false;
    if (cursor_.take('(')) {
      for (std::string_view cast : {".s64", ".u64"})
        if (cursor_.startsWith(cast)) {
          cursor_.directive();
          ++operators_;
          return cursor_.take(')') && unary(value, depth + 1);
        }
      return unary(value, depth + 1) && goOn(value, depth + 1) && cursor_.take(')');
    }
    if (auto literal = cursor_.number()) {
      value = literal->bits;
      return literal->kind == Operand::Kind::Integer;
    }
    for (char sign : {'~', '!', '-', '+'})
      if (cursor_.take(sign)) {
        ++operators_;
        if (!unary(value, depth + 1))
          return false;
        value = sign == '~' ? ~value : sign == '!' ? uint64_t{value == 0} : sign == '-' ? 0 - value : value;
        return true;
      }
    return false;
  }

  /// Reads operators, and `? :`, which has the lowest precedence.
  bool goOn(uint64_t &value, int depth) {
    if (depth > kMaxExpressionDepth || !binary(value, 0, depth))
      return false;
    if (!cursor_.take('?'))
      return true;
    ++operators_;
    uint64_t yes = 0, no = 0;
    if (!unary(yes, depth + 1) || !goOn(yes, depth + 1) || !cursor_.take(':') || !unary(no, depth + 1) ||
        !goOn(no, depth + 1))
      return false;
    value = value ? yes : no;
    return true;
  }

  /// Reads the operators that follow `left`, as long as their precedence is at least `least`.
  bool binary(uint64_t &left, int least, int depth) {
    for (;;) {
      const auto op = std::ranges::find_if(kOperators, [&](const Operator &o) { return cursor_.startsWith(o.text); });
      if (op == kOperators.end() || tightness(*op) < least)
        return true;
      for (char c : op->text)
        cursor_.take(c);
      ++operators_;
      uint64_t right = 0;
      if (!unary(right, depth + 1) || !binary(right, tightness(*op) + 1, depth + 1))
        return false;
      if (op->precedence == kDivision && (right == 0 || right == ~0ull)) // also excludes INT64_MIN / -1
        return false;
      left = op->apply(left, right);
    }
  }

  PtxCursor &cursor_;
  int operators_ = 0;
};

} // namespace

bool OperandReader::fail(Message message) {
  if (problem_.words.empty())
    problem_ = std::move(message);
  return false;
}

bool OperandReader::expect(char c) { return cursor_.take(c) || fail(Message("expected `{}`", c)); }

bool OperandReader::integer(uint64_t &value) {
  auto number = cursor_.number();
  if (!number || number->kind != Operand::Kind::Integer)
    return fail("expected an integer");
  value = number->bits;
  return true;
}

bool OperandReader::goOn(Operand &number) {
  return Expression(cursor_).goOn(number.bits) || fail("expected a constant expression");
}

bool OperandReader::list(Operand &out, char close, int depth) {
  while (cursor_.peek() != close) {
    Operand part;
    if (!read(part, depth + 1))
      return false;
    out.parts.push_back(std::move(part));
    if (out.parts.size() > kMaxOperands)
      return fail("too many operands");
    if (!cursor_.take(','))
      break;
  }
  return expect(close);
}

bool OperandReader::pairWith(Operand &first, int depth) {
  Operand pair, second;
  cursor_.take('|');
  if (!read(second, depth + 1))
    return false;
  pair.kind = Operand::Kind::Pair;
  pair.parts.push_back(std::move(first));
  pair.parts.push_back(std::move(second));
  first = std::move(pair);
  return true;
}

bool OperandReader::read(Operand &out, int depth) {
  if (depth > kMaxOperandDepth)
    return fail("operands nest too deeply");
  if (cursor_.take('{')) {
    out.kind = Operand::Kind::Vector;
    return list(out, '}', depth) && (cursor_.peek() != '|' || pairWith(out, depth));
  }
  if (char c = cursor_.peek(); c == '(' || c == '~' || c == '!' || c == '-') { // `(1)` is a list, `(1 + 2)` a number
    PtxCursor here = cursor_;
    Expression expression(cursor_);
    if (uint64_t value = 0; expression.read(value) && expression.operators() > 0) {
      out.kind = Operand::Kind::Integer;
      out.bits = value;
      return true;
    }
    cursor_ = here;
  }
  if (cursor_.take('(')) {
    out.kind = Operand::Kind::List;
    return list(out, ')', depth);
  }
  if (cursor_.take('[')) {
    out.kind = Operand::Kind::Address;
    Operand base;
    if (!read(base, depth + 1))
      return false;
    out.parts.push_back(std::move(base));
    for (;;) {
      if (cursor_.peek() == '-')
        return fail("an offset is added to an address: `[%r1+-4]`, not `[%r1-4]`");
      if (cursor_.take('+')) {
        uint64_t offset = 0;
        if (!integer(offset))
          return false;
        out.offset = static_cast<int64_t>(static_cast<uint64_t>(out.offset) + offset);
      } else if (cursor_.take(',')) {
        Operand part;
        if (!read(part, depth + 1))
          return false;
        out.parts.push_back(std::move(part));
      } else {
        return expect(']');
      }
    }
  }
  if (cursor_.take('!'))
    out.negated = true;
  if (auto number = cursor_.number()) {
    bool negated = out.negated;
    out = std::move(*number);
    out.negated = negated;
    return out.kind != Operand::Kind::Integer || Expression(cursor_).goOn(out.bits) ||
           fail("expected a constant expression");
  }
  if (cursor_.take('-')) // allowed only in video instructions
    out.negated = true;
  out.name = cursor_.dottedIdentifier();
  if (out.name.empty())
    return fail("expected an operand");
  if (out.name == "_")
    out.kind = Operand::Kind::Sink;
  if (cursor_.peek() == '|')
    return pairWith(out, depth);
  // A variable with an offset outside brackets: `mov.u64 %rd1, array+16;`
  if (cursor_.peek() == '+') {
    cursor_.take('+');
    uint64_t offset = 0;
    if (!integer(offset))
      return false;
    out.offset = static_cast<int64_t>(offset);
  }
  return true;
}

} // namespace lanescope::core::emulator
