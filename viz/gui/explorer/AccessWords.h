// The cost of moving the array between registers and shared memory with one instruction. There are sentences about the
// whole array, and about one element.
//
//   AccessCost cost = countAccess("ld.shared.b32", wgmma, {.shape = {64, 64}, .dtype = F16, .tiling = {8, 64}});
//   cost.sentences  ->  "ld.shared.b32: 16 instructions of 4 warps, 512 wavefronts where 64 would do"
//   cost.of(130)    ->  "instruction 0, warp 0: 8 wavefronts where 1 would do", "bank 1: lanes 1, 5, 9 …"
#pragma once

#include "layouts/cost/Conflicts.h"
#include "layouts/Layout.h"
#include "viz/scene/SmemScene.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::viz {

/// The instructions that the explorer offers: loads and stores of every width, ldmatrix, stmatrix.
const std::vector<std::string> &accessNames();

class AccessCost {
public:
  std::vector<std::string> sentences; // about the whole array, or the reason why nothing is counted
  bool bad = false;                   // conflicts, or an error

  struct Answer {
    std::vector<std::string> sentences;
    // The elements in the words that conflict with the element's word in its bank, including those in the element's own
    // word.
    std::vector<int32_t> elements;
  };
  /// The sentences about the instruction that moves the element. Empty if no instruction moves it.
  Answer of(int64_t element) const;

private:
  friend AccessCost countAccess(const std::string &, const layouts::Layout &, const SmemSpec &);
  std::optional<layouts::ElementMap> map_;
  std::optional<layouts::AddressMap> memory_;
  layouts::ConflictReport report_;
};

/// Counts the instruction named `op`; `layout` holds the array in registers.
AccessCost countAccess(const std::string &op, const layouts::Layout &layout, const SmemSpec &memory);

} // namespace lanescope::viz
