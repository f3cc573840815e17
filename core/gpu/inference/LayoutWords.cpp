#include "core/gpu/inference/LayoutWords.h"

#include "layouts/cost/RelayoutTable.h"
#include "layouts/cost/TmemTransferCost.h"
#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;
using constraints::Constant;
using constraints::Constraint;
using constraints::Expression;

std::string inWords(const Constant &constant) {
  if (const auto *layout = constant.registers())
    return layouts::quoted(*layout);
  if (const auto *layout = constant.tensor())
    return layouts::quoted(*layout);
  const SmemTransforms &transforms = *constant.shared();
  if (!transforms.tiling && !transforms.swizzle)
    return "without transforms";
  return text("`", jaxText(transforms), "`");
}

std::string nameOf(const LayoutSite &site) {
  if (site.use)
    return text("operand ", site.use->getOperandNumber());
  if (auto argument = dyn_cast<BlockArgument>(site.value))
    return text("argument ", argument.getArgNumber());
  auto result = cast<OpResult>(site.value);
  return result.getOwner()->getNumResults() == 1 ? "its result" : text("result ", result.getResultNumber());
}

std::string inWords(const Constraint &constraint) {
  struct Words {
    std::string operator()(const constraints::Equals &equals) const {
      for (const Expression *side : {&equals.lhs, &equals.rhs})
        if (!side->steps.empty()) {
          const constraints::Step &step = side->steps.front();
          return std::holds_alternative<constraints::Reduce>(step)      ? "one layout is the other one, reduced"
                 : std::holds_alternative<constraints::Reshape>(step)   ? "every element stays where it is in a reshape"
                 : std::holds_alternative<constraints::Transpose>(step) ? "one tile is the other one, transposed"
                                                                        : "tiles stay whole when dimensions are joined";
        }
      return "both have one layout";
    }
    std::string operator()(const constraints::Relayout &) const { return "there is such a conversion"; }
    std::string operator()(const constraints::NotOfType &each) const {
      return each.kind == constraints::LayoutKind::Splat     ? "elements differ"
             : each.kind == constraints::LayoutKind::Strided ? "the layout is not strided"
                                                             : "the layout is not tiled";
    }
    std::string operator()(const constraints::TmemTransfer &) const {
      return "an instruction moves it to or from tensor memory";
    }
    std::string operator()(const constraints::SmemTransfer &each) const {
      return each.kind == constraints::TransferKind::Unoptimized
                 ? "vectors of it are contiguous in shared memory"
                 : "it is moved to or from shared memory without bank conflicts";
    }
    std::string operator()(const constraints::Divides &each) const {
      return text("tiles divide ", layouts::tupleText(each.multiples));
    }
    std::string operator()(const constraints::MinorDimDivisibleBy &each) const {
      return text("tiles have a multiple of ", each.divisor, " columns");
    }
    std::string operator()(const constraints::ValidMmaTiling &) const {
      return "the tensor core reads tiles of eight rows and as many columns as the swizzle has";
    }
    std::string operator()(const constraints::SupportedBroadcast &) const { return "elements are repeated in place"; }
    std::string operator()(const constraints::Repeated &) const { return "elements are repeated in place"; }
    std::string operator()(const constraints::OneOf &each) const {
      std::vector<std::string> allowed;
      for (const Constant &constant : each.allowed)
        allowed.push_back(inWords(constant));
      return text("it is one of ", joined(allowed, ", "));
    }
  };
  return std::visit(Words(), constraint);
}

} // namespace lanescope::core
