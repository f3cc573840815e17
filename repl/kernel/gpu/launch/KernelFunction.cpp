#include "repl/kernel/gpu/launch/KernelFunction.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/launch/Results.h"

#include <algorithm>

namespace lanescope::repl {

Result<std::shared_ptr<KernelFunction>> KernelFunction::make(Context &context, std::shared_ptr<const Function> function,
                                                             KernelSettings settings,
                                                             std::shared_ptr<KernelRuntime> runtime) {
  if (settings.name.empty())
    settings.name = function->syntax->name;
  auto parameters = LANESCOPE_TRY(KernelParameters::make(context, std::move(function), settings.name));
  return std::shared_ptr<KernelFunction>(
      new KernelFunction(std::move(parameters), std::move(settings), std::move(runtime)));
}

std::shared_ptr<KernelFunction> KernelFunction::of(KernelParameters parameters, KernelSettings settings,
                                                   std::shared_ptr<KernelRuntime> runtime) {
  return std::shared_ptr<KernelFunction>(
      new KernelFunction(std::move(parameters), std::move(settings), std::move(runtime)));
}

std::string KernelFunction::repr() const {
  std::vector<std::string> names;
  for (const KernelParameters::Slot &slot : parameters_.slots())
    if (slot.role != KernelParameters::Role::Scratch)
      names.push_back(slot.syntax->name);
  return text("<kernel ", name(), "(", joined(names, ", "), ")>");
}

} // namespace lanescope::repl
