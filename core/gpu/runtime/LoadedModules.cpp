#include "core/gpu/runtime/LoadedModules.h"

#include <algorithm>
#include <string_view>

namespace lanescope::core {

namespace {

/// Whether the PTX declares variables that kernels may write. `.global` is also part of opcodes, and says of pointer
/// parameters where they lead to (`.ptr .global`).
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
  if (find(context, ptx) != loaded_.end() ||
      std::ranges::any_of(preparing_, [&](const Preparing &one) { return one.context == context && one.ptx == ptx; }))
    return;
  Preparing &next = preparing_.emplace_back(context, ptx);
  next.module = std::async(std::launch::async, [this, &next]() -> cuda::Module {
    cuda::Module module = nullptr;
    if (api_.ctxSetCurrent(next.context) || api_.moduleLoadDataEx(&module, next.ptx.c_str(), 0, nullptr, nullptr))
      return nullptr; // who wants it loads it again, for the driver's log
    return module;
  });
}

cuda::Module LoadedModules::take(cuda::Context context, const std::string &ptx) {
  if (auto found = find(context, ptx); found != loaded_.end()) {
    cuda::Module module = found->module;
    loaded_.erase(found);
    return module;
  }
  auto next =
      std::ranges::find_if(preparing_, [&](const Preparing &one) { return one.context == context && one.ptx == ptx; });
  if (next == preparing_.end())
    return nullptr;
  cuda::Module module = next->module.get();
  preparing_.erase(next);
  return module;
}

void LoadedModules::settle() {
  for (; !preparing_.empty(); preparing_.pop_front()) {
    Preparing &one = preparing_.front();
    if (cuda::Module module = one.module.get(); module && !api_.ctxSetCurrent(one.context))
      keep(one.context, one.ptx, module);
  }
}

void LoadedModules::keep(cuda::Context context, const std::string &ptx, cuda::Module module) {
  if (hasMemory(ptx)) {
    api_.moduleUnload(module);
    return;
  }
  loaded_.push_front({context, ptx, module});
  if (loaded_.size() <= kMost)
    return;
  // Of the current context, so that it can be unloaded without another one's coming in between.
  auto last =
      std::ranges::find_if(loaded_.rbegin(), loaded_.rend(), [&](const Loaded &one) { return one.context == context; });
  api_.moduleUnload(last->module);
  loaded_.erase(std::next(last).base());
}

} // namespace lanescope::core
