// Folds special functions of constants that ptxas 13.0 evaluates itself (numbers/FoldedFunctions.h). A register is a
// constant if its only write is an unguarded move, conversion or sum of constants. ptxas does not evaluate `fma`, IEEE
// quotients and IEEE roots, so their results are not constants.
//
//   mov.f32 %f1, 0f3F000000;  ex2.approx.f32 %f2, %f1;     %f2 is evaluated at compile time, correctly rounded
#include "core/gpu/emulator/decode/DecodedCode.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace lanescope::core::emulator {

namespace {

bool keepsConstants(std::string_view opcode) {
  constexpr auto kRoots = std::to_array<std::string_view>(
      {"mov", "cvt", "add", "sub", "mul", "neg", "abs", "min", "max", "and", "or", "xor", "not", "shl", "shr"});
  return std::ranges::find(kRoots, opcode.substr(0, opcode.find('.'))) != kRoots.end();
}

bool isNumber(const Operand &operand) {
  return operand.kind == Operand::Kind::Integer || operand.kind == Operand::Kind::Float32 ||
         operand.kind == Operand::Kind::Float64;
}

} // namespace

void foldConstants(DecodedCode &code) {
  if (code.foldable.empty())
    return;
  std::unordered_map<uint32_t, uint32_t> writes; // by slot
  for (const NamedUse &use : code.uses)
    if (use.write)
      ++writes[use.slot];
  std::unordered_set<uint32_t> constants; // slots of the registers that are constants
  for (size_t first = 0, end = 0; first < code.uses.size(); first = end) {
    uint32_t pc = code.uses[first].instruction;
    for (end = first; end < code.uses.size() && code.uses[end].instruction == pc;)
      ++end;
    auto folds = code.foldable.find(pc);
    const Instr &instr = code.program.code[pc];
    const Instruction &source = code.source(instr);
    if (instr.guard != kNone || (folds == code.foldable.end() && !keepsConstants(source.opcode)))
      continue;
    std::span uses(code.uses.begin() + static_cast<long>(first), code.uses.begin() + static_cast<long>(end));
    // Special registers and variables are names that have no entry in code.uses.
    bool constant =
        std::ranges::all_of(source.operands.begin() + 1, source.operands.end(), [&](const Operand &operand) {
          return isNumber(operand) || std::ranges::any_of(uses, [&](const NamedUse &use) {
                   return !use.write && operand.kind == Operand::Kind::Name && use.name == operand.name &&
                          constants.contains(use.slot);
                 });
        });
    if (!constant)
      continue;
    if (folds != code.foldable.end())
      code.program.code[pc].run = folds->second;
    for (const NamedUse &use : uses)
      if (use.write && writes[use.slot] == 1)
        constants.insert(use.slot);
  }
}

} // namespace lanescope::core::emulator
