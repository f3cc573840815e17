#include "core/gpu/emulator/ptx/PtxOperands.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <iterator>

namespace lanescope::core::emulator {

namespace {

constexpr int kMaxOperandDepth = 4;
constexpr int kMaxExpressionDepth = 16;

/// Integer constant expressions (PTX ISA 4.6): C's operators with C's precedence, on 64 bits.
class Expression {
public:
  explicit Expression(PtxCursor &cursor) : cursor_(cursor) {}

  /// False where there is none; the cursor is anywhere then.
  bool read(uint64_t &value) { return unary(value, 0) && binary(value, 0, 0); }
  /// After a first operand that has been read.
  bool goOn(uint64_t &value) { return binary(value, 0, 0); }
  int operators() const { return operators_; }

private:
  static constexpr std::string_view kOperators[] = {"|", "^", "&", "<<", ">>", "+", "-", "*", "/", "%"};
  static int precedence(size_t op) {
    constexpr int kOf[] = {0, 1, 2, 3, 3, 4, 4, 5, 5, 5};
    return kOf[op];
  }

  bool unary(uint64_t &value, int depth) {
    if (depth > kMaxExpressionDepth)
      return false;
    if (cursor_.take('(')) {
      return unary(value, depth + 1) && binary(value, 0, depth + 1) && cursor_.take(')');
    }
    if (cursor_.take('~')) {
      ++operators_;
      if (!unary(value, depth + 1))
        return false;
      value = ~value;
      return true;
    }
    auto number = cursor_.number();
    if (!number || number->kind != Operand::Kind::Integer)
      return false;
    value = number->bits;
    return true;
  }

  /// What follows `left` as long as it binds at least as tightly as `least`.
  bool binary(uint64_t &left, int least, int depth) {
    for (;;) {
      size_t op = 0;
      while (op < std::size(kOperators) && !cursor_.startsWith(kOperators[op]))
        ++op;
      if (op == std::size(kOperators) || precedence(op) < least)
        return true;
      for (char c : kOperators[op])
        cursor_.take(c);
      ++operators_;
      uint64_t right = 0;
      if (!unary(right, depth + 1) || !binary(right, precedence(op) + 1, depth + 1) || !apply(op, left, right))
        return false;
    }
  }
  static bool apply(size_t op, uint64_t &left, uint64_t right) {
    if (op >= 8 && (right == 0 || right == ~0ull)) // nor INT64_MIN / -1
      return false;
    auto a = static_cast<int64_t>(left), b = static_cast<int64_t>(right);
    switch (op) {
    case 0: left |= right; break;
    case 1: left ^= right; break;
    case 2: left &= right; break;
    case 3: left = right < 64 ? left << right : 0; break;
    case 4: left = static_cast<uint64_t>(a >> std::min<uint64_t>(right, 63)); break;
    case 5: left += right; break;
    case 6: left -= right; break;
    case 7: left *= right; break;
    case 8: left = static_cast<uint64_t>(a / b); break;
    default: left = static_cast<uint64_t>(a % b); break;
    }
    return true;
  }

  PtxCursor &cursor_;
  int operators_ = 0;
};

} // namespace

bool OperandReader::fail(std::string message) {
  if (problem_.empty())
    problem_ = std::move(message);
  return false;
}

bool OperandReader::expect(char c) { return cursor_.take(c) || fail(text("expected `", c, "`")); }

bool OperandReader::integer(uint64_t &value) {
  auto number = cursor_.number();
  if (!number || number->kind != Operand::Kind::Integer)
    return fail("expected an integer");
  value = number->bits;
  return true;
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

bool OperandReader::read(Operand &out, int depth) {
  if (depth > kMaxOperandDepth)
    return fail("operands nest too deeply");
  if (cursor_.take('{')) {
    out.kind = Operand::Kind::Vector;
    return list(out, '}', depth);
  }
  if (cursor_.peek() == '(' || cursor_.peek() == '~') { // `(1)` is a list, `(1 + 2)` a number
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
      if (cursor_.take('+') || cursor_.peek() == '-') {
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
  out.name = cursor_.dottedIdentifier();
  if (out.name.empty())
    return fail("expected an operand");
  if (out.name == "_")
    out.kind = Operand::Kind::Sink;
  if (cursor_.peek() == '|') {
    cursor_.take('|');
    Operand first = std::move(out), second;
    if (!read(second, depth + 1))
      return false;
    out = Operand{};
    out.kind = Operand::Kind::Pair;
    out.parts.push_back(std::move(first));
    out.parts.push_back(std::move(second));
    return true;
  }
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
