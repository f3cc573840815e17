// Fuses products and sums that have no rounding modifier into one operation, as the PTX ISA allows (`mul`, `add`,
// `sub`). ptxas does so wherever it can, and the bits of the result differ from those of two operations. Examples are
// cuComplex's products and sums of squares. The rules are derived from code of ptxas 13.0. A product is fused into all
// sums that use it, if every use is a sum in the product's basic block that can take it. A sum of two products takes
// the first one. ptxas also replaces a division by a constant by a multiplication with its reciprocal.
//
//   d = a * b;  e = d + c      ->  e = fma(a, b, c)
//   d = a * b;  store d        ->  stays a product
#include "core/gpu/emulator/decode/DecodedCode.h"
#include "core/gpu/emulator/decode/FlowGraph.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

namespace lanescope::core::emulator {

/// Replaces a quotient with a constant divisor by a product with the reciprocal, if the reciprocal is a normal number.
static void multiplyByConstants(DecodedCode &code, RegisterFile &file) {
  // By slot; constants: the bits; writes: the pc of the only write.
  std::unordered_map<uint32_t, uint32_t> constants, writes;
  for (const auto &[bits, slot] : file.constants(32))
    constants.emplace(slot, static_cast<uint32_t>(bits));
  for (const NamedUse &use : code.uses)
    if (use.write)
      if (auto [found, fresh] = writes.emplace(use.slot, use.instruction); !fresh)
        found->second = kNone;
  auto constantOf = [&](uint32_t slot) {
    if (auto write = writes.find(slot); write != writes.end() && write->second != kNone)
      if (const Instr &move = code.program.code[write->second];
          move.guard == kNone && code.source(move).opcode.starts_with("mov."))
        slot = move.a;
    auto found = writes.contains(slot) ? constants.end() : constants.find(slot);
    return found == constants.end() ? 0.0f : std::bit_cast<float>(found->second);
  };
  constexpr float kLeast = 0x1p-126f, kMost = 0x1p126f;
  for (auto &[pc, part] : code.fusible) {
    if (!part.product)
      continue;
    Instr &quotient = code.program.code[pc];
    float divisor = constantOf(quotient.b), magnitude = std::abs(divisor);
    if (!(magnitude >= kLeast && magnitude <= kMost))
      continue;
    quotient.b = file.constant(std::bit_cast<uint32_t>(1 / divisor), 32);
    quotient.run = part.product;
    quotient.cost = Instr{}.cost;
    part.quotientPlus = nullptr;
  }
}

void contract(DecodedCode &code, RegisterFile &file) {
  multiplyByConstants(code, file);
  if (code.fusible.empty())
    return;
  FlowGraph graph = FlowGraph::of(code.program);
  auto blockOf = [&](uint32_t pc) { return std::ranges::upper_bound(graph.start, pc) - graph.start.begin(); };
  std::unordered_map<uint32_t, std::vector<uint32_t>> reads, writes; // by slot: pcs, ascending
  for (const NamedUse &use : code.uses)
    (use.write ? writes : reads)[use.slot].push_back(use.instruction);
  auto partAt = [&](uint32_t pc) {
    auto found = code.fusible.find(pc);
    return found == code.fusible.end() ? nullptr : &found->second;
  };
  auto isWrittenBetween = [&](uint32_t slot, uint32_t first, uint32_t last) {
    const std::vector<uint32_t> &all = writes[slot];
    auto next = std::ranges::upper_bound(all, first);
    return next != all.end() && *next < last;
  };
  // A guarded load separates the code before it from the code after it, like a branch.
  std::vector<uint32_t> loads;
  for (uint32_t pc = 0; pc < code.program.code.size(); ++pc)
    if (code.program.code[pc].guard != kNone && code.program.code[pc].load)
      loads.push_back(pc);
  auto isParted = [&](uint32_t first, uint32_t last) {
    auto next = std::ranges::upper_bound(loads, first);
    return next != loads.end() && *next < last;
  };
  // The products that can be fused into every use, by the slots that they write.
  std::unordered_map<uint32_t, uint32_t> products;
  for (const auto &[pc, part] : code.fusible) {
    const Instr &product = code.program.code[pc];
    if (part.fused || product.guard != kNone || writes[product.d].size() != 1)
      continue;
    const std::vector<uint32_t> &uses = reads[product.d];
    bool allTake = !uses.empty() && std::ranges::all_of(uses, [&](uint32_t use) {
      const FusiblePart *sum = partAt(use);
      const Instr &other = code.program.code[use];
      return sum && sum->fused && sum->format == part.format && !(sum->saturates && part.quotientPlus) && use > pc &&
             !isParted(pc, use) && blockOf(use) == blockOf(pc) && other.a != other.b &&
             !isWrittenBetween(product.a, pc, use) && !isWrittenBetween(product.b, pc, use);
    });
    if (allTake)
      products.emplace(product.d, pc);
  }
  std::set<uint32_t> sums;
  for (const auto &[pc, part] : code.fusible)
    if (const Instr &sum = code.program.code[pc]; part.fused && (products.contains(sum.a) || products.contains(sum.b)))
      sums.insert(pc);
  for (uint32_t pc : sums)
    if (const Instr &sum = code.program.code[pc]; products.contains(sum.a))
      products.erase(sum.b);
  for (uint32_t pc : sums) {
    Instr &sum = code.program.code[pc];
    bool first = products.contains(sum.a);
    if (!first && !products.contains(sum.b))
      continue;
    uint32_t from = products.at(first ? sum.a : sum.b);
    const Instr &product = code.program.code[from];
    Handler ofQuotient = code.fusible.at(from).quotientPlus;
    const FusiblePart &part = code.fusible.at(pc);
    sum.c = first ? sum.b : sum.a;
    sum.a = product.a;
    sum.b = product.b;
    sum.run = ofQuotient ? ofQuotient : part.fused;
    sum.sub = !part.difference ? 0 : first ? kNegatesAddend : kNegatesProduct;
    for (uint32_t slot : {product.a, product.b})
      if (writes.contains(slot))
        code.uses.push_back({pc, slot, false, {}});
    ++code.program.fused;
  }
  std::ranges::stable_sort(code.uses, {}, &NamedUse::instruction);
}

} // namespace lanescope::core::emulator
