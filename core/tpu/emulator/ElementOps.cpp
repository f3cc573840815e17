// Constants, and operations on one element after another.
#include "core/tpu/emulator/ElementArithmetic.h"
#include "core/tpu/emulator/Operations.h"
#include "core/tpu/emulator/TpuCostModel.h"

namespace lanescope::core::sparsecore {
namespace {

Outcome constant(Machine &, Subcore &s, const Instruction &i) {
  auto to = cells(s, i.results[0]);
  for (size_t k = 0; k < to.size(); ++k)
    to[k] = i.data[i.data.size() == 1 ? 0 : k];
  std::ranges::fill(contents(s, i.results[0]), kDefined);
  return Outcome::Next;
}

bool isFunction(Elementwise op) {
  return op == Elementwise::DivFloat || op == Elementwise::RemFloat || op == Elementwise::DivSigned ||
         op == Elementwise::DivUnsigned || op == Elementwise::RemSigned || op == Elementwise::RemUnsigned ||
         (op >= Elementwise::Exp && op <= Elementwise::Power);
}

/// If the condition is a scalar, it selects for all lanes.
Outcome selects(Machine &m, Subcore &s, const Instruction &i) {
  auto condition = cells(s, i.operands[0]);
  auto yes = cells(s, i.operands[1]), no = cells(s, i.operands[2]), to = cells(s, i.results[0]);
  auto conditionContent = contents(s, i.operands[0]), yesContent = contents(s, i.operands[1]),
       noContent = contents(s, i.operands[2]), content = contents(s, i.results[0]);
  for (size_t k = 0; k < to.size(); ++k) {
    size_t c = condition.size() == 1 ? 0 : k;
    bool take = condition[c] & 1;
    to[k] = take ? yes[k] : no[k];
    if (!content.empty())
      content[k] =
          conditionContent[c] != kDefined ? computedWith(conditionContent[c]) : (take ? yesContent : noContent)[k];
  }
  charge(m, s, i.results[0], to.size() > 1 ? cost::kVector : cost::kScalar);
  return Outcome::Next;
}

Outcome elements(Machine &m, Subcore &s, const Instruction &i) {
  ElementwiseForm form{static_cast<Elementwise>(i.sub), i.mode, typeOf(m, s, i.operands[0]).element,
                       typeOf(m, s, i.results[0]).element};
  if (form.op == Elementwise::Select) {
    if (!valueOf(s, i.results[0]).memref)
      return selects(m, s, i);
    if (!requireDefined(m, s, i, i.operands[0], "which reference is taken"))
      return Outcome::Failed;
    ref(s, i.results[0]) = ref(s, i.operands[cells(s, i.operands[0])[0] & 1 ? 1 : 2]);
    return Outcome::Next;
  }
  std::span<uint64_t> operands[3];
  for (size_t k = 0; k < i.operands.size() && k < 3; ++k)
    operands[k] = cells(s, i.operands[k]);
  auto to = cells(s, i.results[0]);
  std::vector<uint64_t> repeated; // the exponent of fpowi may be a scalar
  if (operands[1].size() == 1 && to.size() > 1) {
    repeated.assign(to.size(), operands[1][0]);
    operands[1] = repeated;
  }
  elementwise(form, operands[0], operands[1], operands[2], to);
  if (auto content = contents(s, i.results[0]); !content.empty())
    for (size_t k = 0; k < content.size(); ++k) {
      Content sum = kDefined;
      for (uint32_t operand : i.operands) {
        auto from = contents(s, operand);
        sum = merged(sum, from[from.size() == 1 ? 0 : k]);
      }
      content[k] = sum;
    }
  bool scalar = to.size() == 1;
  charge(m, s, i.results[0], isFunction(form.op) ? cost::kFunction : scalar ? cost::kScalar : cost::kVector);
  return Outcome::Next;
}

} // namespace

void addElements(Handlers &handlers) {
  handlers[static_cast<size_t>(Op::Constant)] = constant;
  handlers[static_cast<size_t>(Op::Elementwise)] = elements;
}

} // namespace lanescope::core::sparsecore
