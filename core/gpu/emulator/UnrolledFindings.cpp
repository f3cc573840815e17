#include "core/gpu/emulator/UnrolledFindings.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <string_view>

namespace lanescope::core::emulator {

namespace {

constexpr size_t kFarthest = 1 << 16; // limit for the text between two findings, in bytes

/// True if an instruction with that opcode may change control flow or memory order.
bool changesOrder(std::string_view opcode) {
  for (std::string_view word : {"bra",
                                "brx",
                                "ret",
                                "exit",
                                "call",
                                "bar",
                                "mbarrier",
                                "fence",
                                "membar",
                                "wgmma.wait",
                                "wgmma.commit",
                                "wgmma.fence",
                                "tcgen05.commit",
                                "tcgen05.wait",
                                "tcgen05.fence",
                                "cp.async.wait",
                                "cp.async.commit",
                                "cp.async.bulk.wait",
                                "cp.async.bulk.commit",
                                "atom",
                                "red"})
    if (opcode.starts_with(word))
      return true;
  return false;
}

} // namespace

std::string_view UnrolledFindings::opcodeAt(uint32_t offset) const {
  const std::vector<Instruction> &all = grid_.program->function->instructions;
  auto found = std::ranges::upper_bound(all, offset, {}, &Instruction::begin);
  return found == all.begin() ? std::string_view() : std::string_view((found - 1)->opcode);
}

bool UnrolledFindings::areUnrolled(const Diagnostic &a, const Diagnostic &b) const {
  const SourceRef &ptx = grid_.program->module->source;
  if (a.kind != b.kind || a.severity != Severity::Warning || b.severity != Severity::Warning || a.span.source != ptx ||
      b.span.source != ptx)
    return false;
  auto [first, last] = std::minmax(a.span.begin, b.span.begin);
  if (last - first > kFarthest || opcodeAt(first) != opcodeAt(last) ||
      ptx->text().substr(first, last - first).find(":\n") != std::string_view::npos) // a label: a loop may begin there
    return false;
  const std::vector<Instruction> &all = grid_.program->function->instructions;
  auto begin = std::ranges::lower_bound(all, first, {}, &Instruction::begin),
       end = std::ranges::lower_bound(all, last, {}, &Instruction::begin);
  return std::none_of(begin, end, [](const Instruction &one) { return changesOrder(one.opcode); });
}

bool UnrolledFindings::take(const Diagnostics &told, const Diagnostic &finding) {
  auto same = std::ranges::find_if(told, [&](const Diagnostic &other) { return areUnrolled(other, finding); });
  if (same == told.end())
    return false;
  More &more = more_[static_cast<size_t>(same - told.begin())];
  ++more.count;
  if (!more.last.source || more.last.begin < finding.span.begin)
    more.last = finding.span;
  return true;
}

void UnrolledFindings::addNotes(Diagnostics &told) const {
  for (const auto &[index, more] : more_)
    told[index].notes.push_back({more.last, text("the same holds of ", more.count, " more `", opcodeAt(more.last.begin),
                                                 "`, the last one here")});
}

} // namespace lanescope::core::emulator
