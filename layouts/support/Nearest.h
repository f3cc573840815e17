// Finds the most similar of some names, for "did you mean".
//
//   nearest("threadsPerWrap", {"sizePerThread", "threadsPerWarp"})  ->  "threadsPerWarp"
//   nearest("wgmma", {"WGMMA", "WGMMA_ROW"})                        ->  "WGMMA"
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::layouts {

/// The number of letters to change, add, leave out or exchange with their neighbour; case does not count. Use it only
/// for texts of at most a line, because time and memory grow with the product of the lengths.
size_t editDistance(std::string_view a, std::string_view b);
/// The candidate with the smallest edit distance to the word; if there are several, the first. Empty if more than a
/// third of the word (rounded up), or the whole candidate, would have to change. Also empty for a word of more than 100
/// letters, because no user types such a word. The result is a view of the candidate.
std::string_view nearest(std::string_view word, const std::vector<std::string_view> &candidates);
std::string_view nearest(std::string_view word, const std::vector<std::string> &candidates);
/// The end of a message that proposes a name: "; did you mean `x`?". Empty if the name is.
std::string didYouMean(std::string_view name);

} // namespace lanescope::layouts
