#include "core/gpu/emulator/ptx/PtxOperands.h"

#include "layouts/support/Text.h"

namespace lanescope::core::emulator {

namespace {

constexpr int kMaxOperandDepth = 4;

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
    return true;
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
