#include "core/tpu/kernel/TpuTarget.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <array>

namespace lanescope::core {

std::span<const TpuTarget> tpuTargets() {
  constexpr int64_t kKiB = 1024;
  static constexpr std::array<TpuTarget, 6> targets = {{
      {{"7x", "TPU7x"}, 2, 16, 16, 512 * kKiB},
      {{"7", "TPU7"}, 2, 16, 16, 512 * kKiB},
      {{"v5p", "TPU v5p"}, 4, 16, 8, 512 * kKiB},
      {{"v6e", "TPU v6e"}, 2, 16, 8, 256 * kKiB},
      {{"8i", "TPU8i"}, 1, 4, 16, 512 * kKiB},
      {{"8t", "TPU8t"}, 2, 16, 16, 256 * kKiB},
  }};
  return targets;
}

const TpuTarget &defaultTpuTarget() { return tpuTargets().front(); }

const TpuTarget *findTpuTarget(std::string_view name) {
  auto found = std::ranges::find_if(
      tpuTargets(), [&](const TpuTarget &target) { return target.name == name || target.title == name; });
  return found == tpuTargets().end() ? nullptr : &*found;
}

std::string tpuTargetsText() {
  std::string out;
  std::span<const TpuTarget> all = tpuTargets();
  for (size_t i = 0; i < all.size(); ++i)
    out += text(i == 0 ? "" : i + 1 == all.size() ? " and " : ", ", "`", all[i].name, "`");
  return out;
}

std::string noTpuTargetText(std::string_view name) {
  return text("there is no TPU `", name, "` with SparseCores; the supported chips are ", tpuTargetsText());
}

} // namespace lanescope::core
