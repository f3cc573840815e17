// What changes between two placements of one array: per element, how far it has to travel.
//
//   DiffResult d = *diff(*ElementMap::of(catalogue::wgmma(), {64, 64}), *ElementMap::of(catalogue::tcgen05(), …));
//   d.count(Move::SameThread)  ->  elements that stay in their thread and change the register
//   d.moves[74]                ->  the class of element (1, 10), for a picture
//
// With replication an element is judged by its worst copy: every place that the second layout wants must be filled from
// the nearest place in the first. So `SameThread` means renaming registers suffices, `SameWarp` a shuffle does,
// `OtherWarp` shared memory is needed. Tensor memory reads lanes as threads, its 32-lane quarters as warps.
#pragma once

#include "layouts/Placement.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::layouts {

enum class Move : uint8_t {
  None,       // stays where it is: same thread and value; same lane and column; same byte
  SameThread, // another register of the same thread; another column of the same tensor-memory lane
  SameWarp,   // another lane of the same warp (or quarter)
  OtherWarp,
  OtherByte, // of shared memory
  Absent,    // only one of the two layouts holds the element
};
constexpr int kMoves = 6;
/// "unchanged", "same lane", "same warp", "other warp", "other byte", "absent".
std::string_view name(Move move);

struct DiffResult {
  Shape shape;
  std::vector<Move> moves; // per element, row-major
  std::array<int64_t, kMoves> counts{};
  int64_t count(Move move) const { return counts[static_cast<size_t>(move)]; }
  /// Row-major indices of the elements of a class, at most `limit`.
  std::vector<int64_t> elements(Move move, size_t limit) const;
};

/// Errors: the shapes differ, or the warps are of different sizes.
Result<DiffResult> diff(const ElementMap &from, const ElementMap &to);
/// Errors: as above, or the two are maps of different memories, or of element widths that differ.
Result<DiffResult> diff(const Placement &from, const Placement &to);
/// The two layouts' placements in the memory asked for, else the one that commonReading() finds. Errors: as for
/// placement(), or they share none.
Result<DiffResult> diff(const Layout &from, const Layout &to, const Shape &shape, int bitwidth,
                        std::optional<Memory> memory = std::nullopt);

} // namespace lanescope::layouts
