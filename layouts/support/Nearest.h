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

/// The number of letters to change, add, leave out or exchange with their neighbour; case does not count. For texts of
/// up to a line: time and memory grow with the product of their lengths.
size_t editDistance(std::string_view a, std::string_view b);
/// The candidate with the least edit distance to the word, the first of several. Empty if more than a third of the word
/// (rounded up) or all of the candidate would have to change, and for words of over 100 letters, which no user typed.
/// The result is a view of the candidate.
std::string_view nearest(std::string_view word, const std::vector<std::string_view> &candidates);
std::string_view nearest(std::string_view word, const std::vector<std::string> &candidates);

} // namespace lanescope::layouts
