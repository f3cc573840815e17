// Counts the cost of converting an array from one register layout to another.
//
//   relayout(catalogue::wgmma(), catalogue::wgmmaTransposed(), {64, 64}, 32)
//       ->  shuffles: 16 per thread, 48 selects, as the kernel compiler does it
//   relayout(catalogue::wgmma(), catalogue::tcgen05(), {128, 64}, 32)
//       ->  a round trip through shared memory: values change warps
//
// The mechanisms, the cheapest first, are: nothing; renaming registers; byte permutes (prmt) within a thread; shuffles
// within a warp, with selects or byte permutes around them; a store to shared memory and a load from it. Values below
// 32 bits share a hardware register if they are in one register of the layout. A layout of another language that
// numbers only values (CuTe, Triton) counts as an array of values without gaps.
//
// If the kernel compiler (core/gpu/lowering/arrays/LayoutCast.cpp) or JAX Mosaic GPU (fragmented_array.py, `to_layout`)
// has its own conversion, the counts are those of that conversion. For all other pairs they are those of a plan found
// here; a lower bound on the shuffles shows how good the plan is.
#pragma once

#include "layouts/ElementMap.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::layouts {

enum class RelayoutMechanism { Nothing, Renaming, BytePermutes, Shuffles, SharedMemory };
std::string_view name(RelayoutMechanism mechanism); // "nothing", "renaming registers", …

/// How far a value travels between its old and its new register.
enum class MoveKind : uint8_t { Stays, SameThread, SameWarp, OtherWarp };
std::string_view name(MoveKind kind); // "same register", "same thread", "same warp", "other warp"

/// One value of the result. Slots are indices into the maps' elements() (ElementMap::ownerOf decodes them).
struct RelayoutMove {
  int32_t from, to;
  MoveKind kind;
};

/// The source of the counts.
enum class RelayoutBasis {
  Lowering, // the kernel compiler's own conversion
  Plan,     // a plan found here
};

/// Instructions per thread, which equal the instructions that its warp issues. Address computations and lane tests are
/// not counted.
struct RelayoutCounts {
  int64_t registersMoved = 0; // 32-bit registers of the result whose value was in another register before
  int64_t prmt = 0;           // byte permutes; nibbles that change places in a byte take a shift and a mask instead
  int64_t shuffles = 0;       // 32-bit shuffles
  int64_t selects = 0;
  bool operator==(const RelayoutCounts &) const = default;
};

/// The cost of storing the array to a scratch buffer and loading it back, with the widest accesses that the layouts
/// allow.
struct SharedMemoryTrip {
  std::string scratch; // "row-major", "row-major, rows padded by 32 bytes": the order with the fewest wavefronts
  int64_t bytes = 0;   // size of the scratch buffer
  int storeBytes = 0, loadBytes = 0;               // bytes per lane and instruction
  int64_t stores = 0, loads = 0;                   // instructions per thread
  int64_t storeWavefronts = 0, loadWavefronts = 0; // summed over all warps
  int64_t conflicts = 0;                           // stores and loads together
  bool operator==(const SharedMemoryTrip &) const = default;
};

struct RelayoutReport {
  RelayoutMechanism mechanism = RelayoutMechanism::Nothing;
  RelayoutBasis basis = RelayoutBasis::Plan;
  bool lowered = false; // true if the kernel compiler has this conversion
  int bitwidth = 0, threads = 0;
  /// The counts of the mechanism, for the warp that needs most. For the round trip through shared memory, all but
  /// registersMoved are 0.
  RelayoutCounts counts;
  /// A lower bound on the shuffles of any plan. If it equals counts.shuffles, no better plan exists.
  int64_t shufflesAtLeast = 0;
  /// The round trip through shared memory. Nothing if no value leaves its thread, or if the elements do not fill whole
  /// bytes.
  std::optional<SharedMemoryTrip> shared;
  /// Values of the result by how far they travel: [MoveKind].
  int64_t values[4] = {};
  /// Every value of the result that holds an element, in the order of its slots; empty for a splat.
  std::vector<RelayoutMove> moves;
  /// One sentence: "per 32-bit register one shuffle to the lane 4 on, …".
  std::string how;
};

/// Errors: a shape that a layout does not apply to; different numbers of threads; a splat as the result; an element
/// that no thread holds; more than 2^22 values.
Result<RelayoutReport> relayout(const Layout &from, const Layout &to, const Shape &shape, int bitwidth);
/// Counts the cost for two maps of one shape. It does not handle splats.
Result<RelayoutReport> relayout(const ElementMap &from, const ElementMap &to, int bitwidth);

} // namespace lanescope::layouts
