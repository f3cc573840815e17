// Compares two dumps of one kernel, or a dump before and after an edit. The result has the operations that match, their
// differences, and the costs of the differences.
//
//   Comparison comparison = compare(before, after);
//   comparison.changes[0]               result 0 of wgmma: "WGMMA" before, "WGMMA_TRANSPOSED" after
//   comparisonText(before, after, comparison)
//
// Operations are matched in order by names and types, as many as possible (a longest common subsequence).
#pragma once

#include "core/gpu/dumps/DumpKernelPage.h"

namespace lanescope::core::dumps {

struct Comparison {
  std::vector<std::pair<size_t, size_t>> matched; // operations of the first and the second page
  std::vector<size_t> onlyFirst, onlySecond;
  struct Change {
    size_t first = 0, second = 0; // index of the operation in each page
    bool result = false;
    size_t index = 0;
    std::string before, after;
  };
  std::vector<Change> changes;
  /// Relayouts and transfers, by index in their page, that the matched operation of the other page does not have.
  std::vector<size_t> relayoutsBefore, relayoutsAfter, transfersBefore, transfersAfter;
  bool same() const {
    return onlyFirst.empty() && onlySecond.empty() && changes.empty() && relayoutsBefore.empty() &&
           relayoutsAfter.empty() && transfersBefore.empty() && transfersAfter.empty();
  }
};

Comparison compare(const KernelPage &first, const KernelPage &second);
/// The comparison in words, with costs before and after.
std::string comparisonText(const KernelPage &first, const KernelPage &second, const Comparison &comparison);

} // namespace lanescope::core::dumps
