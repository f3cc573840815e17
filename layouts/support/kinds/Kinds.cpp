#include "layouts/support/kinds/Kinds.h"

#include "layouts/support/kinds/Areas.h"

#include <algorithm>
#include <array>

namespace lanescope {

static_assert(std::ranges::is_sorted(detail::kKindNames), "the names of KindNames.inc are not in order");

std::span<const KindArea> kindAreas() {
  static const std::array kAreas{fileKinds(),     languageKinds(),   kernelKinds(), runningKinds(),
                                 emulatorKinds(), sparseCoreKinds(), layoutKinds(), memoryKinds(),
                                 notationKinds(), costKinds(),       pictureKinds()};
  return kAreas;
}

const KindEntry *findKind(std::string_view name) {
  for (const KindArea &area : kindAreas())
    if (auto found = std::ranges::find(area.kinds, name, &KindEntry::name); found != area.kinds.end())
      return &*found;
  return nullptr;
}

} // namespace lanescope
