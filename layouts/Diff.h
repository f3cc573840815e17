// The difference between two placements of one array: how far each element has to travel.
//
//   DiffResult d = *diff(*ElementMap::of(catalogue::wgmma(), {64, 64}), *ElementMap::of(catalogue::tcgen05(), …));
//   d.count(Move::SameThread)  ->  elements that stay in their thread and change the register
//   d.moves[74]                ->  the class of element (1, 10), for a picture
//
// An element with several copies has the class of its worst copy; each place in the second layout is filled from the
// nearest place in the first. A move of class `SameThread` needs only renamed registers, one of class `SameWarp` a
// shuffle, and one of class `OtherWarp` shared memory. For tensor memory, lanes count as threads and its 32-lane
// quarters as warps.
#pragma once

#include "layouts/Placement.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::layouts {

enum class Move : uint8_t {
  None,       // same thread and value; same lane and column; same byte
  SameThread, // another register of the same thread; another column of the same tensor-memory lane
  SameWarp,   // another lane of the same warp (or quarter)
  OtherWarp,
  OtherByte, // another byte of shared memory
  Absent,    // only one of the two layouts holds the element
};
constexpr int kMoves = 6;
/// The class in words: "unchanged", "same lane", "same warp", "other warp", "other byte", "absent".
std::string_view name(Move move);

struct DiffResult {
  Shape shape;
  std::vector<Move> moves; // one per element, row-major
  std::array<int64_t, kMoves> counts{};
  int64_t count(Move move) const { return counts[static_cast<size_t>(move)]; }
  /// The row-major indices of the elements of a class, at most `limit` of them.
  std::vector<int64_t> elements(Move move, size_t limit) const;
};

/// Errors: the shapes differ, or the warps are of different sizes.
Result<DiffResult> diff(const ElementMap &from, const ElementMap &to);
/// Errors: as above; the two maps are of different memories or of different element widths.
Result<DiffResult> diff(const Placement &from, const Placement &to);
/// Compares the two layouts in the requested memory, or in the one that commonReading() finds. Errors: those of
/// placement(); the layouts share no memory.
Result<DiffResult> diff(const Layout &from, const Layout &to, const Shape &shape, int bitwidth,
                        std::optional<Memory> memory = std::nullopt);

} // namespace lanescope::layouts
