#include "core/gpu/runtime/LoadedModules.h"

#include <algorithm>
#include <string_view>

namespace lanescope::core {

namespace {

/// True if the PTX declares variables that kernels may write. A bare `.global` is no sign of this, because it also
/// appears in opcodes and in pointer parameters (`.ptr .global`).
bool hasMemory(std::string_view ptx) {
  constexpr std::string_view kSpace = ".global", kPointer = ".ptr ";
  for (size_t at = ptx.find(kSpace); at != std::string_view::npos; at = ptx.find(kSpace, at + 1)) {
    size_t behind = at + kSpace.size();
    bool declares = behind < ptx.size() && (ptx[behind] == ' ' || ptx[behind] == '\t' || ptx[behind] == '\n');
    if (declares && !ptx.substr(0, at).ends_with(kPointer))
      return true;
  }
  return false;
}

} // namespace

std::list<LoadedModules::Loaded>::iterator LoadedModules::find(cuda::Context context, const std::string &ptx) {
  return std::ranges::find_if(loaded_, [&](const Loaded &one) { return one.context == context && one.ptx == ptx; });
}

void LoadedModules::prepare(cuda::Context context, const std::string &ptx) {
  cuda::Module module = nullptr;
  if (find(context, ptx) == loaded_.end() && !api_.moduleLoadDataEx(&module, ptx.c_str(), 0, nullptr, nullptr))
    add(context, ptx, module);
}

cuda::Module LoadedModules::take(cuda::Context context, const std::string &ptx) {
  auto found = find(context, ptx);
  if (found == loaded_.end())
    return nullptr;
  cuda::Module module = found->module;
  loaded_.erase(found);
  return module;
}

void LoadedModules::keep(cuda::Context context, const std::string &ptx, cuda::Module module) {
  if (hasMemory(ptx))
    api_.moduleUnload(module);
  else
    add(context, ptx, module);
}

void LoadedModules::add(cuda::Context context, const std::string &ptx, cuda::Module module) {
  loaded_.push_front({context, ptx, module});
  if (loaded_.size() <= kMost)
    return;
  // The module to unload must be of the current context, so that no switch of contexts is needed.
  auto last =
      std::ranges::find_if(loaded_.rbegin(), loaded_.rend(), [&](const Loaded &one) { return one.context == context; });
  api_.moduleUnload(last->module);
  loaded_.erase(std::next(last).base());
}

} // namespace lanescope::core
