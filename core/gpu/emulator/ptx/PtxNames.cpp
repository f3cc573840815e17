#include "core/gpu/emulator/ptx/PtxNames.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr size_t kMostDigits = 10; // the most digits of a number below 2^32

/// Calls `visit(prefix, number)` for each split of the name into prefix and number: "%r12" is %r and 12, or %r1 and 2.
void forEachNumbering(std::string_view name, auto visit) {
  for (size_t digits = 1; digits <= std::min(kMostDigits, name.size()); ++digits) {
    std::string_view number = name.substr(name.size() - digits);
    if (number[0] < '0' || number[0] > '9')
      return;
    if (number[0] == '0' && digits > 1)
      continue; // numbers have no leading zeros
    if (auto value = parseInteger<uint32_t>(number))
      visit(name.substr(0, name.size() - digits), *value);
  }
}

} // namespace

bool DeclaredNames::add(std::string_view name) {
  bool numbered = false;
  forEachNumbering(name, [&](std::string_view prefix, uint32_t number) {
    auto found = counts_.find(prefix);
    numbered |= found != counts_.end() && number < found->second;
  });
  if (numbered || !names_.insert(name).second)
    return false;
  forEachNumbering(name, [&](std::string_view prefix, uint32_t number) {
    uint32_t &smallest = smallest_.try_emplace(prefix, number).first->second;
    smallest = std::min(smallest, number);
  });
  return true;
}

bool DeclaredNames::addNumbered(std::string_view prefix, uint32_t count) {
  auto single = smallest_.find(prefix);
  if (single != smallest_.end() && single->second < count)
    return false;
  return counts_.emplace(prefix, count).second;
}

} // namespace lanescope::core::emulator
