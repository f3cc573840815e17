// Merges the legends of the explorer's open pictures into one list.
#include "viz/gui/explorer/ExplorerModel.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::viz {

std::vector<LegendSection> ExplorerModel::legends() const {
  std::vector<PaneKind> order = {front};
  for (PaneKind kind : openPanes())
    if (kind != front)
      order.push_back(kind);
  std::vector<LegendSection> out;
  std::vector<uint32_t> sets; // for each section: its pictures, as bits that are indices in `order`
  auto add = [&](auto memberOf, auto memberIn) {
    for (size_t i = 0; i < order.size(); ++i) {
      const Scene *scene = pane(order[i]).picture.scene();
      if (!scene)
        continue;
      for (const auto &item : scene->*memberOf) {
        uint32_t set = 0;
        std::string title;
        for (size_t j = 0; j < order.size(); ++j)
          if (const Scene *other = pane(order[j]).picture.scene();
              other && std::ranges::find(other->*memberOf, item) != (other->*memberOf).end()) {
            set |= 1u << j;
            title += text(title.empty() ? "" : ", ", paneEntry(order[j], facts_).title);
          }
        if (set & ((1u << i) - 1))
          continue; // already listed for an earlier picture
        auto at = std::ranges::find(sets, set);
        if (at == sets.end()) {
          sets.push_back(set);
          out.push_back({title, {}, {}});
          at = sets.end() - 1;
        }
        (out[size_t(at - sets.begin())].*memberIn).push_back(item);
      }
    }
  };
  add(&Scene::legend, &LegendSection::entries);
  add(&Scene::notes, &LegendSection::notes);
  return out;
}

} // namespace lanescope::viz
