// Compares two layouts of one array, in sentences.
//
//   compareInWords(wgmma, transposed, {64, 64}, 32)
//     ->  "3072 of 4096 elements change owner; the first is (0, 1): thread 0 value 1, then thread 4 value 0"
//         "1024 stay, 3072 go to another lane of their warp"
//         "A relayout costs 16 shuffles and 48 selects a warp; keep the array in `WGMMA` and it is free."
#pragma once

#include "layouts/Layout.h"

#include <string>
#include <vector>

namespace lanescope::viz {

struct Comparison {
  bool equal = false;
  std::vector<std::string> sentences;
};

/// Compares in `memory` or, if it is not given, in the memory that commonReading() chooses. If the layouts cannot be
/// compared, a sentence gives the reason.
Comparison compareInWords(const layouts::Layout &from, const layouts::Layout &to, const layouts::Shape &shape,
                          int bitwidth, std::optional<layouts::Memory> memory = std::nullopt);

} // namespace lanescope::viz
