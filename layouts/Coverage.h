// Which elements of an array a map reaches, and what its reader has to know of that.
//
//   coverageNote(*elementMapOf(parse("Tiler_MN: (_16,_8) LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))"), {32, 8}))
//     ->  "the layout's tile of (16, 8) repeats 2 x 1 times over the array of shape (32, 8)"
//   coverageNote(*elementMapOf(parse("(_4,_2):(_2,_1)"), {4, 4}))
//     ->  "8 of the 16 elements of shape (4, 4) have no owner: the first is (0, 2)"
//
// A layout that does not fit an array has three honest answers: its map, a repetition that is said, an error. Whoever
// shows a map, or counts with one, shows this note beside it.
#pragma once

#include "layouts/Placement.h"

#include <string>

namespace lanescope::layouts {

/// A foreign layout that states which array it is for, and applies to some others too: its tile repeats over them, or
/// they are a part of it. Mosaic's and Triton's layouts repeat by definition, and are none.
class StatesArray {
public:
  /// How the layout applies to an array of that shape, which it has a map of, as a sentence without a full stop; empty
  /// where it is the one stated.
  virtual std::string application(const Shape &shape) const = 0;
  /// The layout to write where this one reaches a part of the array alone; empty where there is no advice.
  virtual std::string whereShort() const { return ""; }

protected:
  ~StatesArray() = default;
};

/// How the layout applies to an array that is not the stated one, and elements without an owner, as sentences without a
/// full stop; empty where there is neither.
std::string coverageNote(const ElementMap &map);
std::string coverageNote(const TmemMap &map);
std::string coverageNote(const Placement &placement);

} // namespace lanescope::layouts
