// "Did you mean": the most similar of some names.
//
//   nearest("threadsPerWrap", {"sizePerThread", "threadsPerWarp"})  ->  "threadsPerWarp"
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace lanescope::layouts {

/// Letters to change, add, leave out or exchange with their neighbour, of short words.
size_t editDistance(std::string_view a, std::string_view b);
/// The most similar of the words by edit distance; empty when none is near.
std::string_view nearest(std::string_view word, const std::vector<std::string_view> &candidates);

} // namespace lanescope::layouts
