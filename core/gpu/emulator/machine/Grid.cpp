#include "core/gpu/emulator/machine/Grid.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

uint64_t Grid::clusterCount() const {
  uint64_t count = 1;
  for (size_t n = 0; n < 3; ++n)
    count *= size[n] / cluster[n];
  return count;
}

std::array<uint32_t, 3> Grid::firstBlockOf(uint64_t index) const {
  std::array<uint32_t, 3> first{};
  for (size_t n = 0; n < 3; ++n) {
    uint32_t count = size[n] / cluster[n];
    first[n] = static_cast<uint32_t>(index % count) * cluster[n];
    index /= count;
  }
  return first;
}

Span Grid::spanOf(const Instr &instr) const {
  const std::vector<Instruction> &all = program->function->instructions;
  const Instruction &from = all[instr.source];
  // Code that belongs to no line (line 0: LLVM has moved it) is told at the line that runs before it, or else at the
  // next one.
  auto lineOf = [&](const Instruction &of) {
    const SourceLoc *loc = of.loc ? &program->module.locs[of.loc] : nullptr;
    return loc && loc->file == 1 && loc->line > 0 ? loc : nullptr;
  };
  auto begins = [&](size_t n) { // a stretch of code that runs in a row
    return n == 0 || all[n - 1].opcode.starts_with("bra") || all[n - 1].opcode == "ret" ||
           std::ranges::any_of(program->function->labels, [n](const Label &label) { return label.instruction == n; });
  };
  const SourceLoc *loc = snippet ? lineOf(from) : nullptr;
  size_t n = instr.source;
  while (snippet && !loc && !begins(n))
    loc = lineOf(all[--n]);
  for (n = instr.source; snippet && !loc && n < all.size(); ++n)
    loc = lineOf(all[n]);
  if (loc)
    return spanAt(snippet, loc->line, loc->column);
  return {program->module.source, from.begin, std::max(from.end, from.begin + 1)};
}

std::string Grid::lineOf(const Instr &instr) const {
  Span span = spanOf(instr);
  return text(span.source->name(), ":", span.source->lineColumn(span.begin).line);
}

std::string_view Grid::opcodeOf(const Instr &instr) const {
  return program->function->instructions[instr.source].opcode;
}

std::string_view Grid::noteOf(const Instr &instr) const {
  constexpr std::string_view kMark = "// lanescope: ";
  std::string_view rest = program->module.source->text();
  rest.remove_prefix(std::min<size_t>(program->function->instructions[instr.source].end, rest.size()));
  rest.remove_prefix(std::min(rest.find_first_not_of(" ;"), rest.size()));
  return rest.starts_with(kMark) ? rest.substr(kMark.size(), rest.find('\n') - kMark.size()) : std::string_view();
}

} // namespace lanescope::core::emulator
