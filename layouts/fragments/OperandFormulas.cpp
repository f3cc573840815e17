#include "layouts/fragments/OperandFormulas.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts::operands {

namespace {

constexpr int kRegisterBits = 32;
constexpr int64_t kRowsPerWarp = 16;

int64_t perRegister(int bits) { return std::max(1, kRegisterBits / bits); }

/// Adds a digit, unless it has only one value and so no effect.
void add(FragmentDigits &digits, FragmentDigit digit) {
  if (digit.size > 1)
    digits.push_back(digit);
}

void addWarps(FragmentDigits &digits, int64_t warps) { add(digits, {warps, 0, kRowsPerWarp}); }

/// The four bytes of a register; bytes [byte, byte + count) hold scales along `dim`.
FragmentDigits bytesHolding(int dim, int64_t byte, int64_t count) {
  FragmentDigits digits;
  add(digits, {count, dim, 1});
  add(digits, {4 / count, -1, 0, byte / count});
  return digits;
}

} // namespace

Fragment multiplicandA(int64_t rows, int64_t columns, int bits, int64_t warps) {
  int64_t v = perRegister(bits);
  Fragment out;
  out.parts[0] = {{4, 1, v}, {8, 0, 1}};
  addWarps(out.parts[0], warps);
  add(out.parts[1], {rows / warps / 8, 0, 8});
  add(out.parts[1], {columns / (4 * v), 1, 4 * v});
  add(out.parts[2], {v, 1, 1});
  return out;
}

Fragment multiplicandB(int64_t rows, int bits) {
  int64_t v = perRegister(bits);
  Fragment out;
  out.parts[0] = {{4, 0, v}, {8, 1, 1}};
  add(out.parts[1], {rows / (4 * v), 0, 4 * v});
  add(out.parts[2], {v, 0, 1});
  return out;
}

Fragment accumulator(int64_t rows, int64_t columns, int bits, int64_t warps) {
  Fragment out;
  out.parts[0] = {{4, 1, 2}, {8, 0, 1}};
  addWarps(out.parts[0], warps);
  add(out.parts[bits < kRegisterBits ? 2 : 1], {2, 1, 1});
  add(out.parts[1], {rows / warps / 8, 0, 8});
  add(out.parts[1], {columns / 8, 1, 8});
  return out;
}

std::string_view selectorChoices(MetadataSpread spread) {
  switch (spread) {
  case MetadataSpread::OneLane: return "0 1 2 3";
  case MetadataSpread::HalvesOfRows:
  case MetadataSpread::RowsOfPair: return "0 1";
  case MetadataSpread::AllLanes: return "0";
  }
  return "0";
}

Operand metadata(int64_t rows, int64_t fields, int fieldBits, MetadataSpread spread, int64_t selector, int64_t warps) {
  Operand out{.name = "e",
              .type = text('b', fieldBits),
              .bits = fieldBits,
              .shape = {rows, fields},
              .doc = {},
              .fragments = {}};
  out.doc = fieldBits == 4 ? "sparsity metadata: the 4-bit index of each element stored of A"
                           : "sparsity metadata: 2-bit indices, two for each chunk of a row of A";
  Fragment fragment;
  FragmentDigits &lanes = fragment.parts[0], &positions = fragment.parts[2];
  int64_t half = fields / 2;
  switch (spread) {
  case MetadataSpread::OneLane:
    lanes = {{4, -1, 0, selector}, {8, 0, 1}};
    positions = {{fields, 1, 1}, {2, 0, 8}};
    break;
  case MetadataSpread::HalvesOfRows:
    lanes = {{2, 1, half}, {2, -1, 0, selector}, {8, 0, 1}};
    positions = {{half, 1, 1}, {2, 0, 8}};
    break;
  case MetadataSpread::RowsOfPair:
    lanes = {{2, 0, 8}, {2, -1, 0, selector}, {8, 0, 1}};
    positions = {{fields, 1, 1}};
    break;
  case MetadataSpread::AllLanes:
    lanes = {{2, 0, 8}, {2, 1, half}, {8, 0, 1}};
    positions = {{half, 1, 1}};
    break;
  }
  addWarps(lanes, warps);
  out.fragments.push_back(std::move(fragment));
  return out;
}

Operand scaleA(std::string_view type, int64_t count, int64_t byte, int64_t pair) {
  Operand out{
      .name = "scale_a", .type = std::string(type), .bits = 8, .shape = {16, count}, .doc = {}, .fragments = {}};
  out.doc = "block scales of A's rows; lanes of the pair `thread_id_a` hold them";
  Fragment fragment;
  fragment.parts = {FragmentDigits{{2, 0, 8}, {2, -1, 0, pair}, {8, 0, 1}}, {}, bytesHolding(1, byte, count)};
  out.fragments.push_back(std::move(fragment));
  return out;
}

Operand scaleB(std::string_view type, int64_t count, int64_t byte, int64_t lane) {
  Operand out{.name = "scale_b", .type = std::string(type), .bits = 8, .shape = {count, 8}, .doc = {}, .fragments = {}};
  out.doc = "block scales of B's columns; lane `thread_id_b` of each four holds them";
  Fragment fragment;
  fragment.parts = {FragmentDigits{{4, -1, 0, lane}, {8, 1, 1}}, {}, bytesHolding(0, byte, count)};
  out.fragments.push_back(std::move(fragment));
  return out;
}

} // namespace lanescope::layouts::operands
