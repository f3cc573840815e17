// Counts the cost of transfers between registers and shared memory, from the layout, the reference and its transforms.
#include "core/gpu/dumps/PageParts.h"

#include "core/gpu/dumps/PageText.h"
#include "layouts/cost/Conflicts.h"
#include "layouts/cost/SmemTransfer.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <bit>
#include <expected>
#include <numeric>

namespace lanescope::core::dumps {

namespace {

/// The result, or the reason why there is none.
template <typename T> using Counted = std::expected<T, std::string>;

constexpr int64_t kMostElements = 1 << 20; // limit for an array to be counted

/// The reference's layout in memory. A tiled view keeps the strides that the rows had before tiling: adjacent tiles
/// along a dimension are `stride * tile` apart, and a tile is stored row by row.
Counted<layouts::TransferMemory> memoryOfView(const DumpValue &value) {
  size_t rank = value.shape.size();
  layouts::Shape strides = value.strides;
  if (strides.size() != rank)
    return std::unexpected(std::string("its strides are not known"));
  std::vector<size_t> order(rank); // from outer to inner in memory; a transposed view has its dimensions swapped
  std::iota(order.begin(), order.end(), size_t(0));
  std::ranges::stable_sort(order, std::greater(), [&](size_t dim) { return strides[dim]; });
  layouts::TransferMemory memory;
  memory.bitwidth = layouts::bitwidth(*value.dtype);
  memory.swizzle = std::max(value.transforms ? value.transforms->swizzle : 0, layouts::kSwizzleChunkBytes);
  memory.sizes.resize(rank), memory.strides.resize(rank);
  layouts::Shape tile(rank, 0);
  if (value.transforms && value.transforms->tiling) {
    const layouts::Shape &tiling = *value.transforms->tiling;
    if (tiling.size() > rank)
      return std::unexpected(std::string("its tiles have more dimensions than it has"));
    std::ranges::copy(tiling, tile.end() - static_cast<ptrdiff_t>(tiling.size()));
  }
  int64_t outer = 1; // product of the tile's sizes so far
  int64_t inner = 1; // elements of the tile after a dimension
  for (size_t dim = 0; dim < rank; ++dim)
    inner *= std::max<int64_t>(tile[dim], 1);
  for (size_t dim : order) {
    if (tile[dim] == 0) {
      memory.sizes[dim] = {value.shape[dim]}, memory.strides[dim] = {strides[dim]};
      continue;
    }
    if (value.shape[dim] % tile[dim] != 0)
      return std::unexpected(std::string("its tiles do not divide it"));
    outer *= tile[dim], inner /= tile[dim];
    memory.sizes[dim] = {value.shape[dim] / tile[dim], tile[dim]};
    memory.strides[dim] = {strides[dim] * outer, inner};
  }
  return memory;
}

/// Counts the accesses of a layout that distributes elements along rows. An access is as wide as a vector of the
/// layout.
Counted<Transfer> strided(const layouts::RegisterLayout &layout, const DumpValue &reference,
                          const layouts::TransferMemory &memory, bool load) {
  auto map = layouts::ElementMap::of(layout, reference.shape);
  if (!map)
    return std::unexpected(map.error().front().message);
  std::vector<int32_t> offsets = memory.elementOffsets();
  auto bits = static_cast<uint64_t>(memory.bitwidth);
  for (int32_t &offset : offsets)
    offset = static_cast<int32_t>(layouts::swizzledByte(static_cast<uint64_t>(offset) * bits / 8, memory.swizzle) * 8 /
                                  bits);
  auto addresses = layouts::AddressMap::make("", reference.shape, memory.bitwidth, std::move(offsets));
  if (!addresses)
    return std::unexpected(addresses.error().front().message);
  auto bytes = static_cast<uint64_t>(layouts::vectorLength(layout)) * bits / 8;
  layouts::SmemOp op{.kind = load ? layouts::SmemOp::Kind::Load : layouts::SmemOp::Kind::Store,
                     .bytes = static_cast<int>(std::min<uint64_t>(std::bit_floor(std::max<uint64_t>(bytes, 1)), 16))};
  auto report = layouts::conflicts(op, *map, *addresses);
  if (!report)
    return std::unexpected(report.error().front().message);
  return Transfer{.instructions = layouts::smemOpText(op), .wavefronts = report->wavefronts, .ideal = report->ideal};
}

Counted<Transfer> costOf(const DumpValue &array, const DumpValue &reference, bool load) {
  auto unknown = [](std::string why) { return std::unexpected(std::move(why)); };
  if (array.shape != reference.shape)
    return unknown("the reference has another shape than the array");
  if (!reference.dtype || !reference.transforms)
    return unknown("its transforms are not known");
  auto elements = layouts::checkedElementCount(reference.shape);
  if (!elements || *elements > kMostElements || *elements == 0)
    return unknown("it is too large to count");
  auto memory = memoryOfView(reference);
  if (!memory)
    return unknown(memory.error());
  if (const auto *tiled = std::get_if<layouts::TiledLayout>(&*array.layout)) {
    auto chosen = layouts::chooseTransfer(load, *tiled, *memory, {.bytes = layouts::widestAccess(*tiled, *memory)});
    if (!chosen)
      return unknown("the layout does not fit the way the reference is tiled");
    return Transfer{.instructions = chosen->text(), .wavefronts = chosen->wavefronts, .ideal = chosen->ideal};
  }
  if (std::holds_alternative<layouts::WGSplatFragLayout>(*array.layout))
    return unknown("every thread holds the same value");
  return strided(*array.layout, reference, *memory, load);
}

} // namespace

std::vector<Transfer> transfersOf(const Dump &dump) {
  std::vector<Transfer> out;
  for (size_t number = 0; number < dump.ops.size(); ++number) {
    const DumpOp &op = dump.ops[number];
    bool load = op.name == "mosaic_gpu.vector_load" || op.name == "vector.load";
    bool store = op.name == "mosaic_gpu.vector_store" || op.name == "vector.store";
    if (!load && !store)
      continue;
    auto in = [](const std::vector<DumpValue> &values, DumpValue::Place place) {
      auto found = std::ranges::find(values, place, &DumpValue::place);
      return found == values.end() ? nullptr : &*found;
    };
    const DumpValue *array = in(load ? op.results : op.operands, DumpValue::Place::Registers);
    const DumpValue *reference = in(op.operands, DumpValue::Place::SharedMemory);
    if (!array || !reference || !array->layout)
      continue;
    auto cost = costOf(*array, *reference, load);
    Transfer transfer = cost ? *std::move(cost) : Transfer{.unknown = std::move(cost.error())};
    transfer.op = number, transfer.load = load;
    transfer.layout = storageWords(*array);
    transfer.memory = reference->transforms ? transformsText(*reference->transforms) : "?";
    transfer.inLoop = inLoop(dump, number);
    out.push_back(std::move(transfer));
  }
  return out;
}

} // namespace lanescope::core::dumps
