#include "layouts/cost/Conflicts.h"

#include "layouts/cost/AccessGroups.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

constexpr int kRows = 8;          // rows of a matrix
constexpr int kRowBytes = 16;     // bytes per row of a matrix
constexpr int kFragmentBytes = 4; // bytes of a matrix per lane

/// The most byte addresses that a report keeps (64 MiB of them).
constexpr int64_t kMaxAddresses = int64_t(1) << 24;

int warpsOf(const ElementMap &map) { return (map.threads() + kLanesPerWarp - 1) / kLanesPerWarp; }

/// Reserves room for the addresses of `instructions` instructions.
Result<void> reserve(ConflictReport &report, int64_t instructions) {
  int64_t count = saturatingMultiply(instructions, int64_t(report.warps) * kLanesPerWarp);
  if (count > kMaxAddresses)
    return error("too-large", Message("{} instructions of {warps} warps are more than the {limit} accesses that one "
                                      "report holds; ask for a smaller shape",
                                      instructions, report.warps, kMaxAddresses / kLanesPerWarp));
  report.addresses.assign(static_cast<size_t>(count), kNoAddress);
  report.instructions.resize(static_cast<size_t>(instructions));
  return {};
}

void count(ConflictReport &report) {
  for (size_t i = 0; i < report.instructions.size(); ++i) {
    InstructionCost &cost = report.instructions[i];
    int worst = -1;
    for (int warp = 0; warp < report.warps; ++warp) {
      SmemCount one = smemWavefronts(report.op, report.addressesOf(static_cast<int>(i), warp));
      cost.wavefronts += one.wavefronts;
      cost.ideal += one.phases;
      if (one.wavefronts > worst) {
        worst = one.wavefronts;
        cost.worstWarp = warp;
      }
    }
    report.wavefronts += cost.wavefronts;
    report.ideal += cost.ideal;
  }
}

/// Gives the byte address of a thread's value; kNoAddress if the thread holds no element there.
class Places {
public:
  Places(const ElementMap &map, const AddressMap &memory)
      : map_(map), offsets_(memory.offsets()), bitwidth_(memory.bitwidth()) {}
  int32_t byte(int thread, int32_t slot) const {
    if (thread >= map_.threads())
      return kNoAddress;
    int32_t element = map_.elements()[static_cast<size_t>(thread) * map_.values() + slot];
    return element < 0 ? kNoAddress : static_cast<int32_t>(int64_t(offsets_[element]) * bitwidth_ / 8);
  }

private:
  const ElementMap &map_;
  std::span<const int32_t> offsets_;
  int bitwidth_;
};

std::unexpected<Diagnostics> notAFragment(const SmemOp &op, int warp, std::string why) {
  return error("matrix-fragment",
               Message("the registers of warp {warp} are not what `{instruction}` moves: {}{}{}", warp, smemOpText(op),
                       why, op.isLoad() ? "; use `ld.shared`" : "; use `st.shared`",
                       op.trans ? ", or the form without `.trans`" : ", or `.trans` for rows along the lanes"));
}

/// Groups the values of each 32-bit fragment register: by address or, for .trans, as the two values of a register in
/// order.
Result<AccessGroups> fragments(const SmemOp &op, const ElementMap &map, const AddressMap &memory) {
  if (!op.trans)
    return groupAccesses(map, memory.offsets(), memory.bitwidth(), kFragmentBytes);
  if (memory.bitwidth() != 16)
    return error("matrix-fragment",
                 Message("`{instruction}` transposes matrices of 16-bit elements, not of {bits}-bit ones",
                         smemOpText(op), memory.bitwidth()));
  if (map.values() % 2 != 0)
    return error("matrix-fragment",
                 Message("a thread holds {values} values; `{instruction}` moves pairs of 16-bit values", map.values(),
                         smemOpText(op)));
  AccessGroups out;
  out.bytes = kFragmentBytes;
  out.perInstruction = 2;
  for (int32_t slot = 0; slot < map.values(); ++slot)
    out.slots.push_back(slot);
  return out;
}

/// The addresses of the eight rows of the matrix that contains fragment `group` of a warp. Row r goes to lanes 4r …
/// 4r+3, one word each; transposed, its element c goes to lane 4c + r/2, half r%2.
Result<std::array<int32_t, kRows>> rowsOf(const SmemOp &op, const Places &places, const AccessGroups &groups,
                                          int fragment, int warp) {
  const int32_t *slots = groups.slots.data() + static_cast<size_t>(fragment) * groups.perInstruction;
  std::array<int32_t, kRows> rows;
  const int parts = op.trans ? kRows : kRowBytes / kFragmentBytes, partBytes = kRowBytes / parts;
  for (int row = 0; row < kRows; ++row) {
    for (int part = 0; part < parts; ++part) {
      int lane = op.trans ? 4 * part + row / 2 : 4 * row + part;
      int32_t byte = places.byte(warp * kLanesPerWarp + lane, op.trans ? slots[row % 2] : slots[0]);
      if (byte == kNoAddress)
        return notAFragment(op, warp, text("lane ", lane, " holds nothing"));
      if (part == 0) {
        rows[row] = byte;
        if (byte % kRowBytes != 0)
          return notAFragment(op, warp,
                              text("row ", row, " of a matrix begins at byte ", byte, ", not at a multiple of 16"));
      } else if (byte != rows[row] + part * partBytes) {
        return notAFragment(op, warp,
                            text("lane ", lane, " is at byte ", byte, " where row ", row, " of a matrix continues at ",
                                 rows[row] + part * partBytes));
      }
    }
  }
  return rows;
}

Result<void> matrixAccesses(ConflictReport &report, const ElementMap &map, const AddressMap &memory) {
  const SmemOp &op = report.op;
  auto groups = fragments(op, map, memory);
  if (!groups)
    return std::unexpected(std::move(groups.error()));
  int all = groups->instructions();
  if (all % op.matrices != 0)
    return error("matrix-count", Message("each warp has {}, not a multiple of {}; use `.x{}`",
                                         counted(all, "matrix", "matrices"), op.matrices, all % 2 == 0 ? 2 : 1));
  if (map.threads() % kLanesPerWarp != 0)
    return error("matrix-fragment", Message("`{instruction}` needs whole warps, the layout has {threads} threads",
                                            smemOpText(op), map.threads()));
  if (auto room = reserve(report, all / op.matrices); !room)
    return room;
  report.slots = std::move(groups->slots);
  report.slotsPerInstruction = groups->perInstruction * op.matrices;
  groups->slots = report.slots;
  Places places(map, memory);
  for (int fragment = 0; fragment < all; ++fragment)
    for (int warp = 0; warp < report.warps; ++warp) {
      auto rows = rowsOf(op, places, *groups, fragment, warp);
      if (!rows)
        return std::unexpected(std::move(rows.error()));
      auto *to =
          report.addresses.data() + (static_cast<size_t>(fragment / op.matrices) * report.warps + warp) * kLanesPerWarp;
      std::copy(rows->begin(), rows->end(), to + fragment % op.matrices * kRows);
    }
  return {};
}

Result<void> plainAccesses(ConflictReport &report, const ElementMap &map, const AddressMap &memory) {
  auto groups = groupAccesses(map, memory.offsets(), memory.bitwidth(), report.op.bytes);
  if (!groups)
    return std::unexpected(std::move(groups.error()));
  if (auto room = reserve(report, groups->instructions()); !room)
    return room;
  Places places(map, memory);
  auto *to = report.addresses.data();
  for (int i = 0; i < groups->instructions(); ++i)
    for (int thread = 0; thread < report.warps * kLanesPerWarp; ++thread)
      *to++ = places.byte(thread, groups->first(i));
  report.slots = std::move(groups->slots);
  report.slotsPerInstruction = groups->perInstruction;
  return {};
}

} // namespace

Result<ConflictReport> conflicts(const SmemOp &op, const ElementMap &map, const AddressMap &memory) {
  if (map.shape() != memory.shape())
    return error(
        "shape-mismatch",
        Message("the registers hold an array of shape {shape}, and the shared memory holds one of {other_shape}",
                tupleText(map.shape()), tupleText(memory.shape())));
  if (Result<void> warps = checkNvidiaWarps(map, "bank conflicts are counted for"); !warps) {
    warps.error().front().notes.push_back(
        {{}, "those of AMD's LDS are counted for `ds_read_b64`, `ds_write_b64` and others"});
    return std::unexpected(std::move(warps.error()));
  }
  if (memory.bytes() > int64_t(1) << 30)
    return error("too-large", Message("a buffer of {bytes} bytes is not one of shared memory", memory.bytes()));
  ConflictReport report;
  report.op = op;
  report.warps = warpsOf(map);
  report.bitwidth = memory.bitwidth();
  auto made = op.isMatrix() ? matrixAccesses(report, map, memory) : plainAccesses(report, map, memory);
  if (!made)
    return std::unexpected(std::move(made.error()));
  count(report);
  return report;
}

Result<ConflictReport> plannedConflicts(bool load, const TiledLayout &layout, const TransferMemory &memory) {
  auto map = ElementMap::of(layout, memory.shape());
  if (!map)
    return std::unexpected(std::move(map.error()));
  auto plan = planTransfer(layout, memory);
  if (!plan)
    return std::unexpected(std::move(plan.error()));
  ConflictReport report;
  report.op = {.kind = load ? SmemOp::Kind::Load : SmemOp::Kind::Store, .bytes = plan->bytes, .matrices = 0};
  report.warps = warpsOf(*map);
  report.bitwidth = memory.bitwidth;
  if (auto room = reserve(report, map->registers()); !room)
    return std::unexpected(std::move(room.error()));
  report.slotsPerInstruction = map->vector();
  for (int32_t slot = 0; slot < map->values(); ++slot)
    report.slots.push_back(slot);
  auto *to = report.addresses.data();
  std::vector<int32_t> offsets = memory.elementOffsets();
  for (int step = 0; step < map->registers(); ++step)
    for (int thread = 0; thread < map->threads(); ++thread) {
      int reg = static_cast<int>(plan->reg(step, thread % kLanesPerWarp));
      int64_t byte = int64_t(offsets[map->element(thread, reg, 0)]) * memory.bitwidth / 8;
      *to++ = static_cast<int32_t>(swizzledByte(static_cast<uint64_t>(byte), memory.swizzle));
    }
  report.plan = std::move(*plan);
  count(report);
  return report;
}

} // namespace lanescope::layouts
