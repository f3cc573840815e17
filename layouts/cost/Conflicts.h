// Counts the bank conflicts of moving an array between registers and shared memory, instruction by instruction.
//
//   auto map = *ElementMap::of(catalogue::wgmma(), {64, 32});
//   auto memory = AddressMap::of(*SmemMap::of({64, 32}, 32, {8, 32}, {}));  // f32, tiles of 8 rows, no swizzle
//   conflicts(*parseSmemOp("ld.shared.b64"), map, memory)
//       ->  8 instructions x 4 warps, 256 wavefronts where 64 would do, 192 conflicts
//
// Each instruction moves the same registers in every lane (AccessGroups); ldmatrix and stmatrix move one 32-bit
// register per 8x8 matrix. smemWavefronts counts each warp's access. Addresses assume a buffer aligned to 1024 bytes.
// Conflicts between warps do not exist, because a wavefront serves one warp.
#pragma once

#include "layouts/AddressMap.h"
#include "layouts/cost/SmemAccess.h"
#include "layouts/cost/TransferPlan.h"
#include "layouts/ElementMap.h"

#include <optional>
#include <string>
#include <vector>

namespace lanescope::layouts {

/// The cost of one instruction, summed over all warps.
struct InstructionCost {
  int64_t wavefronts = 0, ideal = 0;
  int worstWarp = 0; // the warp with the most wavefronts
  int64_t conflicts() const { return wavefronts - ideal; }
};

class ConflictReport {
public:
  SmemOp op;
  int warps = 0;
  int bitwidth = 0;
  /// The values that each instruction names in every lane: [instruction][k], each as reg*vector + position in the
  /// layout. In a staggered plan, some lanes take other registers at the same step: plan->reg.
  std::vector<int32_t> slots;
  int slotsPerInstruction = 1;
  std::vector<InstructionCost> instructions;
  /// Byte addresses: [instruction][warp][lane].
  std::vector<int32_t> addresses;
  int64_t wavefronts = 0;
  int64_t ideal = 0;                // wavefronts without conflicts
  std::optional<TransferPlan> plan; // set for a planned transfer

  int64_t conflicts() const { return wavefronts - ideal; }
  LaneAddresses addressesOf(int instruction, int warp) const {
    return LaneAddresses(addresses.data() + (static_cast<size_t>(instruction) * warps + warp) * 32, 32);
  }
  /// Shows which lanes meet in which bank, for one warp of one instruction.
  std::vector<SmemPhase> phases(int instruction, int warp) const {
    return smemPhases(op, addressesOf(instruction, warp));
  }
};

/// An access by an instruction of the user's choice. `memory`: offsets for the map's shape. Errors: different shapes;
/// values that the instruction cannot move together (see groupAccesses); registers that are not the fragments of
/// ldmatrix/stmatrix (PTX ISA, "Warp-level matrix load instruction: ldmatrix"), or not a multiple of its matrices.
Result<ConflictReport> conflicts(const SmemOp &op, const ElementMap &map, const AddressMap &memory);

/// A load or store as Mosaic GPU plans it. Errors: those of planTransfer and of
/// ElementMap::of.
Result<ConflictReport> plannedConflicts(bool load, const TiledLayout &layout, const TransferMemory &memory);

} // namespace lanescope::layouts
