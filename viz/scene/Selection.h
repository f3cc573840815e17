// A selection in a form that every picture of the same array can highlight.
//
//   Selection chosen = selectionAt(registers, boxAt(registers, pointer));   // a click in the register grid
//   boxesWith(tmem, chosen.elements);      // the same elements in the tensor-memory picture: outlined
//   boxesWith(smem, chosen.linked);        // all else that the thread holds, in shared memory: lit
//
// Pictures exchange elements, as row-major indices in the array. In a register picture, an element has owners; in one
// of shared memory, bytes; in one of tensor memory, cells. So a click on any place (a thread's slot, a byte, a cell)
// selects the elements there. `linked` has the elements that are linked with these in the clicked picture: those of the
// same threads, the same lane or the same 16-byte chunk.
#pragma once

#include "viz/scene/CellRaster.h"
#include "viz/scene/Scene.h"

#include <span>
#include <string>
#include <variant>
#include <vector>

namespace lanescope::viz {

struct Selection {
  std::vector<int32_t> elements; // in ascending order
  std::vector<int32_t> linked;   // in ascending order; includes `elements`
  std::string words;             // the hover text of the selected place
  bool empty() const { return elements.empty(); }
  bool operator==(const Selection &) const = default;
};

/// The places that a text or a script can select without a pointer.
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
  int32_t lane = 0, column = 0, sub = -1; // `sub`: -1 for the whole cell
  bool operator==(const TmemPlace &) const = default;
};
using Place = std::variant<std::monostate, ElementPlace, ThreadPlace, BytePlace, TmemPlace>;

/// True if a selection in one scene applies to the other, because both show arrays of the same shape.
bool sameArray(const Scene &a, const Scene &b);
/// The elements of a box, in ascending order. Empty if the box has none, or if the scene shows no array.
std::vector<int32_t> elementsOf(const Scene &scene, int64_t box);
/// The boxes that stand for one of the elements. Both lists are in ascending order.
std::vector<int32_t> boxesWith(const Scene &scene, std::span<const int32_t> elements);
Selection selectionAt(const Scene &scene, int64_t box);
/// The selection for a cell of the grid. The cell need not be drawn as a box.
Selection selectionAt(const Scene &scene, CellAt cell);
/// Errors: a place outside of the array or the memory, or a place that the scene does not have (such as a byte in a
/// register picture).
Result<Selection> selectionOf(const Scene &scene, const Place &place);

} // namespace lanescope::viz
