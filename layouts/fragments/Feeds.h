// Given an element of one operand of an instruction, finds the elements of the other operands that it is combined with,
// and so their registers.
//
//   inputsOf(*parseAtom("mma.m16n8k16.f16"), "d", {3, 5})
//     ->  a (3, 0) in thread 12, register 0, position 0; … a (3, 15); b (0, 5); … c (3, 5)
//   outputsOf(atom, "a", {3, 0})
//     ->  d (3, 0) … d (3, 7)
//
// D = A*B + C: element (i, j) of D comes from row i of A, column j of B and (i, j) of C. A sparse A gives the stored
// part of the row with all its metadata, which choose among the elements of B's column. Scaled operands give all scales
// of that row and column. If C is D's own register (wgmma, tcgen05), it is not named twice. In a load or store,
// registers correspond to cells of tensor memory, or to the rows of shared memory whose addresses the lanes give.
#pragma once

#include "layouts/ElementMap.h"
#include "layouts/fragments/Atom.h"
#include "layouts/TmemMap.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::layouts {

struct Feed {
  std::string operand;
  Shape index;               // the index in that operand's array
  std::vector<Owner> owners; // the threads that hold it, if it is in registers
  /// The cells that hold it, if it is in tensor memory. An element without owners and cells is in shared memory.
  std::vector<TmemCell> cells;
};

/// The elements that an element is computed from. Errors: no such operand, an index outside it, an operand that the
/// instruction only reads.
Result<std::vector<Feed>> inputsOf(const Atom &atom, std::string_view operand, const Shape &index);
/// The elements that an element contributes to. Errors: those of inputsOf, but for an operand that the instruction only
/// writes.
Result<std::vector<Feed>> outputsOf(const Atom &atom, std::string_view operand, const Shape &index);

} // namespace lanescope::layouts
