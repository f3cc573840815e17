// Test cases that are snippets: each builds its inputs, runs kernels, and checks the results with assertions.
//
//   std::vector<Case> cases;
//   for (int m : {64, 128})
//     cases.push_back({text("m", m), text("M = ", m, "\n", R"(@kernel() …)")});
//   runCases("FA reduce", cases);      // the cases' item of the inventory
//
// A spread-out sample runs by default; all cases run with LANESCOPE_FULL=1 in the environment. With LANESCOPE_CASES=DIR
// the snippets are also written to that folder, as files for `lanescope run --device …`, so that the same cases can run
// on a GPU.
#pragma once

#include "../repl/KernelSupport.h"

#include "layouts/support/Text.h"

#include <string>
#include <vector>

namespace lanescope::repl {

struct Case {
  std::string name; // letters, digits and underscores
  std::string text;
};

void runCases(const std::string &group, const std::vector<Case> &cases, size_t sample = 12);

} // namespace lanescope::repl
