// "Did you mean": the most similar of some names.
//
//   nearest("threadsPerWrap", {"sizePerThread", "threadsPerWarp"})  ->  "threadsPerWarp"
//   nearest("wgmma", {"WGMMA", "WGMMA_ROW"})                        ->  "WGMMA"
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::layouts {

/// Letters to change, add, leave out or exchange with their neighbour; upper and lower case are the same. For words of
/// up to a line: time and memory are the product of their lengths.
size_t editDistance(std::string_view a, std::string_view b);
/// The candidate with the least edit distance to the word, the first of several; empty when more than a third of the
/// word (rounded up) would have to change, or all of the candidate. Words that no one typed (over 100 letters) have
/// none. The result is a view of the candidate.
std::string_view nearest(std::string_view word, const std::vector<std::string_view> &candidates);
std::string_view nearest(std::string_view word, const std::vector<std::string> &candidates);

} // namespace lanescope::layouts
