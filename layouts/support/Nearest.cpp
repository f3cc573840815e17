#include "layouts/support/Nearest.h"

#include <algorithm>

namespace lanescope::layouts {

size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> beforeLast(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    beforeLast.swap(last);
    last.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], beforeLast[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view> &candidates) {
  std::string_view best;
  size_t least = word.size() / 3 + 2;
  for (std::string_view candidate : candidates)
    if (size_t steps = editDistance(word, candidate); steps < least && steps < candidate.size()) {
      least = steps;
      best = candidate;
    }
  return best;
}

} // namespace lanescope::layouts
