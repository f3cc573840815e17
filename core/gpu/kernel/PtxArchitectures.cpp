#include "core/gpu/kernel/PtxArchitectures.h"

#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>
#include <vector>

namespace lanescope::core {

namespace {

constexpr auto kArchitectures = std::to_array<PtxArchitecture>({
    {"sm_10", 10},  {"sm_11", 10},   {"sm_12", 12},   {"sm_13", 12},  {"sm_20", 20},   {"sm_21", 20},
    {"sm_30", 30},  {"sm_32", 40},   {"sm_35", 31},   {"sm_37", 41},  {"sm_50", 40},   {"sm_52", 41},
    {"sm_53", 42},  {"sm_60", 50},   {"sm_61", 50},   {"sm_62", 50},  {"sm_70", 60},   {"sm_72", 61},
    {"sm_75", 63},  {"sm_80", 70},   {"sm_82", 62},   {"sm_86", 71},  {"sm_87", 74},   {"sm_88", 73},
    {"sm_89", 78},  {"sm_90", 78},   {"sm_90a", 80},  {"sm_100", 86}, {"sm_100a", 86}, {"sm_100f", 88},
    {"sm_101", 86}, {"sm_101a", 86}, {"sm_101f", 88}, {"sm_103", 88}, {"sm_103a", 88}, {"sm_103f", 88},
    {"sm_110", 90}, {"sm_110a", 90}, {"sm_110f", 90}, {"sm_120", 87}, {"sm_120a", 87}, {"sm_120f", 88},
    {"sm_121", 88}, {"sm_121a", 88}, {"sm_121f", 88},
});

/// The last minor version of each major version of PTX from 0 to 8. Their versions are all known.
constexpr int kLastMinors[] = {-1, 5, 3, 2, 3, 0, 5, 8, 8};

} // namespace

std::span<const PtxArchitecture> ptxArchitectures() { return kArchitectures; }

const PtxArchitecture *findPtxArchitecture(std::string_view name) {
  auto found = std::ranges::find(kArchitectures, name, &PtxArchitecture::name);
  return found == kArchitectures.end() ? nullptr : &*found;
}

std::string noPtxArchitectureText(std::string_view name) {
  std::vector<std::string_view> names;
  for (const PtxArchitecture &architecture : kArchitectures)
    names.push_back(architecture.name);
  std::string_view meant = layouts::nearest(name, names);
  return text("`", name, "` is no architecture; ",
              meant.empty() ? "PTX names one such as `sm_90a`" : text("did you mean `", meant, "`?"));
}

int ptxVersion(std::string_view digits) {
  constexpr size_t kMostDigits = 3;
  size_t dot = digits.find('.');
  if (dot == std::string_view::npos)
    return 0;
  auto major = parseInteger<int>(digits.substr(0, std::min(dot, kMostDigits)));
  auto minor = parseInteger<int>(digits.substr(dot + 1, kMostDigits));
  if (!major || !minor || *major < 1 || *minor < 0 || *minor > 9 || dot > kMostDigits)
    return 0;
  constexpr int kComplete = static_cast<int>(std::size(kLastMinors));
  return *major < kComplete && *minor > kLastMinors[*major] ? 0 : 10 * *major + *minor;
}

std::string ptxVersionText(int version) { return text(version / 10, ".", version % 10); }

} // namespace lanescope::core
