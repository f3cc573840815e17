#include "layouts/support/Nearest.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

bool sameLetter(char a, char b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
  return lower(a) == lower(b);
}

template <typename Names> std::string_view nearestOf(std::string_view word, const Names &candidates) {
  constexpr size_t kLongest = 100;
  std::string_view best;
  if (word.size() > kLongest)
    return best;
  size_t least = (word.size() + 2) / 3 + 1; // one more than the allowed distance
  for (std::string_view candidate : candidates) {
    if (candidate == word || candidate.size() >= word.size() + least || word.size() >= candidate.size() + least)
      continue;
    if (size_t steps = editDistance(word, candidate); steps < least && steps < candidate.size()) {
      least = steps;
      best = candidate;
    }
  }
  return best;
}

} // namespace

size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> beforeLast(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    beforeLast.swap(last);
    last.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (sameLetter(a[i - 1], b[j - 1]) ? 0 : 1)});
      if (i > 1 && j > 1 && sameLetter(a[i - 1], b[j - 2]) && sameLetter(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], beforeLast[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view> &candidates) {
  return nearestOf(word, candidates);
}
std::string_view nearest(std::string_view word, const std::vector<std::string> &candidates) {
  return nearestOf(word, candidates);
}
std::string didYouMean(std::string_view name) {
  return name.empty() ? std::string() : text("; did you mean `", name, "`?");
}

} // namespace lanescope::layouts
