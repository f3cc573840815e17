#include "core/gpu/emulator/ChosenBlocks.h"

#include "core/gpu/emulator/machine/Grid.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <optional>

namespace lanescope::core {

Result<BlockChoice> parseBlockChoice(std::string_view all) {
  auto wrong = [&] {
    return error("launch", Message("`{}` names no blocks; they are numbers and ranges such as `0-7,100`, or "
                                   "`sample:16`, so many of them spread over the grid",
                                   all));
  };
  constexpr std::string_view kSample = "sample:";
  if (all.starts_with(kSample)) {
    std::optional<uint64_t> count = parseInteger<uint64_t>(all.substr(kSample.size()));
    return count && *count > 0 ? Result<BlockChoice>(BlockChoice{.sample = *count}) : wrong();
  }
  BlockChoice choice;
  for (std::string_view rest = all; !rest.empty();) {
    std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    size_t dash = part.find('-');
    std::optional<uint64_t> first = parseInteger<uint64_t>(part.substr(0, dash)),
                            last = dash == part.npos ? first : parseInteger<uint64_t>(part.substr(dash + 1));
    if (!first || !last || *last < *first)
      return wrong();
    choice.ranges.emplace_back(*first, *last);
  }
  return choice.ranges.empty() ? wrong() : Result<BlockChoice>(std::move(choice));
}

namespace emulator {

Result<std::vector<uint64_t>> clustersOf(const BlockChoice &choice, const Grid &grid) {
  std::vector<uint64_t> clusters;
  if (choice.isAll())
    return clusters;
  const uint64_t count = grid.clusterCount(), blocks = uint64_t{grid.size[0]} * grid.size[1] * grid.size[2];
  if (choice.sample > 0) {
    const uint64_t sample = std::min(choice.sample, count);
    for (uint64_t n = 0; n < sample; ++n) // with the first and the last, which often differ from the others
      clusters.push_back(sample == 1 ? 0 : n * (count - 1) / (sample - 1));
    return clusters;
  }
  for (auto [first, last] : choice.ranges) {
    if (last >= blocks)
      return error("launch",
                   Message("there is no block {block}: the grid has {blocks} blocks, numbered from 0", last, blocks));
    for (uint64_t block = first; block <= last; ++block)
      clusters.push_back(grid.clusterOf(block));
  }
  std::ranges::sort(clusters);
  clusters.erase(std::ranges::unique(clusters).begin(), clusters.end());
  return clusters;
}

} // namespace emulator
} // namespace lanescope::core
