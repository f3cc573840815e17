// What is selected, said so that every picture of the same array can light it up.
//
//   Selection chosen = selectionAt(registers, boxAt(registers, pointer));   // a click in the register grid
//   boxesWith(tmem, chosen.elements);      // the same elements in the tensor-memory picture: outlined
//   boxesWith(smem, chosen.linked);        // all else that the thread holds, in shared memory: lit
//
// The common currency is the element, as its row-major index in the array: an element has owners in a register picture,
// bytes in a shared-memory one, cells in a tensor-memory one. So whatever was clicked (a thread's slot, a byte, a
// cell) becomes the elements that are there, and `linked` what goes with them in the picture that was clicked: what
// the same threads, the same lane or the same 16-byte chunk hold.
#pragma once

#include "viz/scene/CellRaster.h"
#include "viz/scene/Scene.h"

#include <span>
#include <string>
#include <variant>
#include <vector>

namespace lanescope::viz {

struct Selection {
  std::vector<int32_t> elements; // ascending
  std::vector<int32_t> linked;   // ascending; holds `elements` too
  std::string words;             // what it is: the hover text of the place
  bool empty() const { return elements.empty(); }
  bool operator==(const Selection &) const = default;
};

/// Places by which something can be selected without a pointer: from text, from a script.
struct ElementPlace {
  layouts::Shape index;
  bool operator==(const ElementPlace &) const = default;
};
struct ThreadPlace {
  int32_t thread = 0, reg = -1, position = -1; // -1: all
  bool operator==(const ThreadPlace &) const = default;
};
struct BytePlace {
  int64_t byte = 0;
  bool operator==(const BytePlace &) const = default;
};
struct TmemPlace {
  int32_t lane = 0, column = 0, sub = -1; // -1: all of the cell
  bool operator==(const TmemPlace &) const = default;
};
using Place = std::variant<std::monostate, ElementPlace, ThreadPlace, BytePlace, TmemPlace>;

/// Whether selections of one mean something in the other: both show arrays of one shape.
bool sameArray(const Scene &a, const Scene &b);
/// Elements that a box stands for, ascending; empty for none, and in scenes that are not of an array.
std::vector<int32_t> elementsOf(const Scene &scene, int64_t box);
/// Boxes that stand for one of the elements (ascending), ascending.
std::vector<int32_t> boxesWith(const Scene &scene, std::span<const int32_t> elements);
Selection selectionAt(const Scene &scene, int64_t box);
/// Of a cell of the grid, drawn as a box or not.
Selection selectionAt(const Scene &scene, CellAt cell);
/// Errors: a place outside the array or the memory; one that the scene knows nothing of (a byte in a register picture).
Result<Selection> selectionOf(const Scene &scene, const Place &place);

} // namespace lanescope::viz
