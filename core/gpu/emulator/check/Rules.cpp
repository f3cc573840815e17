#include "core/gpu/emulator/check/Rules.h"

#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <vector>

namespace lanescope::core {

Result<void> checkRuleNames(std::span<const std::string> names) {
  for (const std::string &name : names) {
    if (std::ranges::find(kCheckerRules, name) != kCheckerRules.end())
      continue;
    std::string_view meant = layouts::nearest(name, std::vector(kCheckerRules.begin(), kCheckerRules.end()));
    std::string all;
    for (std::string_view known : kCheckerRules)
      all += text(all.empty() ? "`" : ", `", known, "`");
    return error("no-rule", Message("there is no rule `{name}`{} The rules are {}", name,
                                    meant.empty() ? std::string(".") : layouts::didYouMean(meant), all));
  }
  return {};
}

} // namespace lanescope::core
