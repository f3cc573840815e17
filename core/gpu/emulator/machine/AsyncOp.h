// An asynchronous copy in flight: the fields that all kinds share, and a struct for each kind. async/Async.h describes
// how it completes.
//
//   AsyncOp op = …;  op.what = BulkLoad{global, {rank, address}, {rank, mbarrier}};
//   if (const Signal *signal = signalOf(op)) …     // it ends at an mbarrier
//   if (StoreState *store = storeOf(op)) …         // it goes to global memory, in two steps
#pragma once

#include "core/gpu/emulator/machine/TensorMap.h"
#include "core/gpu/emulator/numbers/Reduce.h"
#include "layouts/Dtype.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace lanescope::core::emulator {

struct Instr;

/// The time at which an operation's data move.
enum class Landing : uint8_t { Late, OnTime, Soon };

/// An address (window offset) in the shared memory of the cluster's block with that rank.
struct SharedPlace {
  uint32_t rank = 0;
  uint32_t address = 0;
};

/// The mbarrier to which the operation reports its bytes. It is in the block that receives them, except with
/// `.cta_group::2`.
struct Signal {
  uint32_t rank = 0;
  uint32_t mbarrier = 0; // window offset
  // The phase of the mbarrier; only with checks. Until the operation completes, it is the open phase at the issue.
  // Afterwards, it is the phase that counts the bytes.
  uint64_t phase = 0;
};

struct Reduction {
  ReduceOp op = ReduceOp::None;
  layouts::Dtype dtype = layouts::Dtype::I8;
};

inline constexpr uint32_t kChosenRows = 4; // rows of one gather or scatter

/// A box of an array in global memory.
struct Tile {
  TensorMap map;
  std::array<int32_t, 5> coordinates{};
  // im2col modes: the offset of the filter element from its base, innermost dimension first
  std::array<uint16_t, 3> offsets{};
  bool chosenRows = false; // `.tile::gather4` and `.tile::scatter4`: the coordinates are one column and four rows
  uint64_t descriptor = 0; // global address of the descriptor; 0: the descriptor is a parameter
};

/// How far a store has proceeded. A store first reads its source and then writes its target.
struct StoreState {
  uint64_t group = 0;              // sequence number among the lane's groups
  bool readTold = false;           // the group has counted that the source was read
  bool readSeen = false;           // a thread has waited until the source was read
  bool sourceRead = false;         // the source may be overwritten
  std::vector<std::byte> staged{}; // the data between source and target
};

struct BulkLoad {
  uint64_t global = 0; // generic address
  SharedPlace to;
  Signal signal;
};
struct TensorLoad {
  Tile tile;
  SharedPlace to;
  Signal signal;
};
/// A copy from the issuing block's shared memory to another block's in the cluster.
struct SharedCopy {
  uint64_t from = 0; // generic address
  SharedPlace to;
  Signal signal;
  Reduction reduction;
};
/// st.async and red.async.
struct RemoteStore {
  std::array<std::byte, 16> value{};
  SharedPlace to;
  Signal signal;
  Reduction reduction;
};
/// clusterlaunchcontrol.try_cancel: the response that one block gets.
struct LaunchAnswer {
  std::array<std::byte, 16> value{};
  SharedPlace to;
  Signal signal;
};
/// cp.async: the copy of one lane.
struct CpAsync {
  uint64_t global = 0;      // generic address
  uint32_t sourceBytes = 0; // the rest is zero
  uint32_t to = 0;          // window offset in the issuing block
  uint64_t group = 0;       // sequence number among the lane's groups
};
/// cp.async.mbarrier.arrive: an arrival at the mbarrier after the lane's earlier copies have completed.
struct CpArrive {
  Signal signal;
  uint32_t epoch = 0; // the checker's epoch of the last of these copies
};
/// tcgen05.commit: an arrival at the mbarrier once the tensor core has finished the operations that a thread has
/// issued.
struct Tcgen05Commit {
  Signal signal;
  uint64_t upTo = 0;   // the commit covers the queue's operations below this number
  uint32_t ticket = 0; // the checker's ticket for what was ordered before the commit (Ordering::commit)
};
struct BulkStore {
  uint32_t from = 0;   // window offset in the issuing block
  uint64_t global = 0; // generic address
  Reduction reduction;
  StoreState state;
  uint16_t byteMask = 0xFFFF; // `.cp_mask`: which bytes of each 16 are copied
};
struct TensorStore {
  uint32_t from = 0; // window offset in the issuing block
  Tile tile;
  ReduceOp reduction = ReduceOp::None; // applied to elements of the array's type
  StoreState state;
};

struct AsyncOp {
  std::variant<BulkLoad, TensorLoad, SharedCopy, RemoteStore, LaunchAnswer, CpAsync, CpArrive, Tcgen05Commit, BulkStore,
               TensorStore>
      what;
  Landing landing = Landing::Late;
  bool landed = false; // the data have been moved
  uint32_t bytes = 0;
  uint64_t time = 0; // cycle at which it completes
  uint64_t issued = 0;
  uint64_t order = 0; // breaks ties, in issue order
  const Instr *instr = nullptr;
  uint32_t rank = 0, warp = 0, lane = 0; // the lane that issued it
};

/// The number of bytes between the first and the last byte of shared memory that the operation touches.
inline uint32_t sharedExtent(const AsyncOp &op) {
  const auto *load = std::get_if<TensorLoad>(&op.what);
  const TensorMap *map = load ? &load->tile.map : nullptr;
  return map && map->sharedBytes ? op.bytes / map->elementBytes * map->sharedBytes : op.bytes;
}
/// Returns null if the operation signals no mbarrier.
inline const Signal *signalOf(const AsyncOp &op) {
  return std::visit(
      [](const auto &what) -> const Signal * {
        if constexpr (requires { what.signal; })
          return &what.signal;
        else
          return nullptr;
      },
      op.what);
}
inline Signal *signalOf(AsyncOp &op) { return const_cast<Signal *>(signalOf(std::as_const(op))); }

/// Returns null if the operation is not a store to global memory.
inline StoreState *storeOf(AsyncOp &op) {
  auto *bulk = std::get_if<BulkStore>(&op.what);
  auto *tensor = std::get_if<TensorStore>(&op.what);
  return bulk ? &bulk->state : tensor ? &tensor->state : nullptr;
}
inline const StoreState *storeOf(const AsyncOp &op) { return storeOf(const_cast<AsyncOp &>(op)); }
inline bool isStore(const AsyncOp &op) { return storeOf(op) != nullptr; }

} // namespace lanescope::core::emulator
