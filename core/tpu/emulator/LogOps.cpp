// tpu.log and tpu.log_buffer: lines in the form of XLA's log recorder, each with the subcore that wrote it.
//
//   core 0 subcore 3: Vector value, data: s32[8] { 100, 101, 102, 103, 104, 105, 106, 107 }
#include "core/tpu/emulator/CheckedAccess.h"
#include "core/tpu/emulator/ElementArithmetic.h"
#include "core/tpu/emulator/TpuCostModel.h"
#include "layouts/support/Text.h"

#include <charconv>

namespace lanescope::core::sparsecore {
namespace {

constexpr size_t kMostPrinted = 16 << 20;

/// XLA's name for the type: s32, pred, bf16.
std::string typeName(const Element &element) {
  if (element.isFloat())
    return name(element);
  if (element.kind == Element::Kind::Integer && element.bits == 1)
    return "pred";
  return text("s", element.kind == Element::Kind::Integer ? int{element.bits} : 32);
}

std::string valueText(const Element &element, uint64_t bits) {
  if (!element.isFloat())
    return element.bits == 1 ? text(bits & 1) : text(signedOf(element, bits));
  char digits[64];
  double value = floatOf(element, bits);
  auto end = element.dtype == Dtype::F64 ? std::to_chars(digits, digits + sizeof digits, value)
                                         : std::to_chars(digits, digits + sizeof digits, static_cast<float>(value));
  return std::string(digits, end.ptr);
}

std::string typeText(const Element &element, const std::vector<int64_t> &shape) {
  return text("data: ", typeName(element), "[", joined(shape, ","), "]");
}

void print(Machine &m, Subcore &s, const Instruction &i, const std::string &value) {
  if (m.printed.size() < kMostPrinted)
    m.printed += text(m.nameOf(s), ": ", m.program->texts[i.text], value.empty() ? "" : ", ", value, "\n");
  s.time += cost::kIssue;
}

template <typename At> std::string row(int64_t count, At &&at) {
  std::string out = "{ ";
  for (int64_t k = 0; k < count; ++k)
    out += text(k == 0 ? "" : ", ", at(k));
  return out + " }";
}

/// The rows of the last dimension, each on its own line if there are several.
template <typename At> std::string arrayText(const Element &element, const std::vector<int64_t> &shape, At &&at) {
  std::string out = typeText(element, shape) + " ";
  int64_t columns = shape.empty() ? 1 : shape.back(), rows = columns == 0 ? 0 : layouts::elementCount(shape) / columns;
  if (shape.size() < 2)
    return out + row(columns, at);
  out += "{\n";
  for (int64_t r = 0; r < rows; ++r)
    out += "  " + row(columns, [&](int64_t c) { return at(r * columns + c); }) + (r + 1 < rows ? ",\n" : "\n");
  return out + "}";
}

Outcome log(Machine &m, Subcore &s, const Instruction &i) {
  std::string value;
  for (uint32_t operand : i.operands) {
    const Type &type = typeOf(m, s, operand);
    std::vector<int64_t> shape = type.vector ? type.shape : std::vector<int64_t>{1};
    auto from = cells(s, operand);
    value += (value.empty() ? "" : ", ") + arrayText(type.element, shape, [&](int64_t k) {
               return valueText(type.element, from[static_cast<size_t>(k)]);
             });
  }
  print(m, s, i, value);
  return Outcome::Next;
}

Outcome logBuffer(Machine &m, Subcore &s, const Instruction &i) {
  const MemRef &from = ref(s, i.operands[0]);
  MemRef part = from;
  for (uint32_t d = 0; d < part.rank && d < i.numbers.size(); ++d)
    part.sizes[d] = std::min(part.sizes[d], i.numbers[d]);
  std::vector<std::string> values;
  Accessor by = accessorOf(s, i.place);
  bool good = forEachValue(
      part, [&](uint64_t address, uint64_t bytes) { return noteRead(m, *from.buffer, address, address + bytes, by); },
      [&](uint64_t bits) { values.push_back(valueText(from.element, bits)); });
  if (!good)
    return Outcome::Failed;
  std::vector<int64_t> shape(part.sizes.begin(), part.sizes.begin() + part.rank);
  print(m, s, i, arrayText(from.element, shape, [&](int64_t k) { return values[static_cast<size_t>(k)]; }));
  return Outcome::Next;
}

} // namespace

void addLogs(Handlers &handlers) {
  handlers[static_cast<size_t>(Op::Log)] = log;
  handlers[static_cast<size_t>(Op::LogBuffer)] = logBuffer;
}

} // namespace lanescope::core::sparsecore
