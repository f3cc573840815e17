// Describes how a map covers an array: the elements that it does not reach, or its repetition over the array.
//
//   coverageNote(*elementMapOf(parse("Tiler_MN: (_16,_8) LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))"), {32, 8}))
//     ->  "the layout's tile of (16, 8) repeats 2 x 1 times over the array of shape (32, 8)"
//   coverageNote(*elementMapOf(parse("(_4,_2):(_2,_1)"), {4, 4}))
//     ->  "8 of the 16 elements of shape (4, 4) have no owner: the first is (0, 2)"
//
// For a layout that does not fit an array, three answers are correct: its partial map, a stated repetition, or an
// error. Code that shows a map, or counts with one, must show this note beside it.
#pragma once

#include "layouts/Placement.h"

#include <string>

namespace lanescope::layouts {

/// A foreign layout that states its array, and also applies to some other arrays: its tile repeats over them, or they
/// are a part of its array. Mosaic's and Triton's layouts are not of this class, since they repeat by definition.
class StatesArray {
public:
  /// A sentence without a full stop on how the layout applies to an array of that shape, for which it has a map. Empty
  /// if `shape` is the array that the layout itself states.
  virtual std::string application(const Shape &shape) const = 0;
  /// Advice on a layout to use if this one reaches only a part of the array; empty if there is none.
  virtual std::string whereShort() const { return ""; }

protected:
  ~StatesArray() = default;
};

/// Sentences without a full stop: how the layout applies to an array that it does not state, and which elements have no
/// owner. Empty if neither is the case.
std::string coverageNote(const ElementMap &map);
std::string coverageNote(const TmemMap &map);
std::string coverageNote(const Placement &placement);

} // namespace lanescope::layouts
