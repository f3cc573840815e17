#include "viz/scene/RegisterModels.h"

#include "layouts/support/Text.h"
#include "viz/scene/Palette.h"
#include "viz/scene/PlaceWords.h"

#include <bit>
#include <numeric>

namespace lanescope::viz {
namespace {

using layouts::ElementMap;
using layouts::Owner;

/// Makes the colours of `count` numbered things.
template <typename Make> std::vector<Colour> table(int64_t count, Make make) {
  std::vector<Colour> out;
  for (int64_t i = 0; i < count; ++i)
    out.push_back(make(i));
  return out;
}

} // namespace

SlotColours::SlotColours(std::shared_ptr<const ElementMap> map, int bitwidth, const LayoutSceneOptions &options)
    : map_(std::move(map)), colourBy_(options.colourBy), values_(map_->values()), vector_(map_->vector()),
      bitwidth_(bitwidth), addresses_(options.addresses), classes_(options.classes) {
  if (std::has_single_bit(static_cast<uint32_t>(values_)))
    shift_ = std::countr_zero(static_cast<uint32_t>(values_));
  switch (colourBy_) {
  case ColourBy::Warp:
    colours_ = table(map_->threads(), [&](int64_t t) { return threadColour(*map_, static_cast<int>(t)); });
    break;
  case ColourBy::Lane:
    colours_ = table(map_->threads(),
                     [&](int64_t t) { return itemColour(map_->laneOf(static_cast<int>(t)), map_->threadsPerWarp()); });
    break;
  case ColourBy::Register:
    colours_ = table(map_->registers(), [&](int64_t r) { return itemColour(r, map_->registers()); });
    break;
  case ColourBy::Vector: colours_ = table(vector_, [&](int64_t v) { return itemColour(v, vector_); }); break;
  case ColourBy::Bank: colours_ = table(layouts::kSmemBanks, bankColour); break;
  case ColourBy::Custom: {
    int32_t most = 0;
    for (int32_t item : classes_->of)
      most = std::max(most, item);
    colours_ = table(int64_t(most) + 1, [&](int64_t i) { return itemColour(i, int64_t(most) + 1); });
    colours_.push_back(kUnclassed);
  }
  }
  for (Colour colour : colours_)
    packed_.push_back(packedIn(options.theme, colour));
}

size_t SlotColours::index(int32_t slot, int64_t element) const {
  switch (colourBy_) {
  case ColourBy::Warp:
  case ColourBy::Lane: return static_cast<size_t>(shift_ >= 0 ? slot >> shift_ : slot / values_);
  case ColourBy::Register: return static_cast<size_t>(slot % values_ / vector_);
  case ColourBy::Vector: return static_cast<size_t>(slot % vector_);
  case ColourBy::Bank:
    return static_cast<size_t>(layouts::smemBank(addresses_ ? addresses_->byte(element) : element * bitwidth_ / 8));
  case ColourBy::Custom: {
    int32_t item = classes_->of[static_cast<size_t>(element)];
    return item < 0 ? colours_.size() - 1 : static_cast<size_t>(item);
  }
  }
  return 0;
}

void SlotColours::fill(const int32_t *slots, int64_t element, int64_t count, uint32_t *out) const {
  if ((colourBy_ == ColourBy::Warp || colourBy_ == ColourBy::Lane) && shift_ >= 0) {
    for (int64_t i = 0; i < count; ++i)
      out[i] = packed_[static_cast<size_t>(slots[i] >> shift_)];
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    out[i] = packed(slots[i], element + i);
}

std::string shortIndex(const layouts::Shape &shape, int64_t element) {
  std::string out;
  for (size_t d = shape.size(); d-- > 0;) {
    out = text(element % shape[d], out.empty() ? "" : ",", out);
    element /= shape[d];
  }
  return out;
}

std::string rowTickText(const Fold &fold, int64_t row) {
  if (fold.rest.size() <= 1)
    return fold.rows == 1 ? "" : text(row * fold.columns);
  if (fold.rest.size() == 2)
    return text(row);
  return indexWords(layouts::Shape(fold.rest.begin(), fold.rest.end() - 1), row);
}

std::string columnTickText(const Fold &fold, int64_t column) {
  return fold.rest.size() == 1 ? text("+", column) : text(column);
}

void elementsOfThread(const ElementMap &map, int32_t thread, std::vector<int32_t> &elements) {
  std::span<const int32_t> held = map.elements().subspan(size_t(thread) * map.values(), map.values());
  for (int32_t element : held)
    if (element >= 0)
      elements.push_back(element);
}

ElementModel::ElementModel(std::shared_ptr<const ElementMap> map, int bitwidth, const LayoutSceneOptions &options)
    : CellModel(options.theme), map_(map), colours_(map, bitwidth, options), fold_(fold(map->shape(), options.slice)) {}

Cell ElementModel::cell(int64_t row, int64_t column) const {
  Cell cell;
  cell.element = fold_.element(row, column);
  if (cell.element < 0)
    return cell;
  std::span<const int32_t> slots = map_->slots(cell.element);
  if (slots.empty()) {
    cell.fill = kUnclassed;
    return cell;
  }
  Owner first = map_->ownerOf(slots[0]);
  cell.fill = colours_.of(slots[0], cell.element);
  cell.unit = first.thread * map_->registers() + first.reg;
  cell.zone = map_->warpOf(first.thread);
  if (slots.size() == 1)
    return cell;
  // Owners come in the order of threads, so each new warp begins a new band. Zones of copies are numbered by the set of
  // warps.
  int32_t last = -1;
  uint32_t warps = 0;
  int64_t threads = 0;
  for (int32_t slot : slots) {
    int32_t thread = map_->ownerOf(slot).thread;
    if (thread == last)
      continue;
    if (int warp = map_->warpOf(thread); last < 0 || warp != map_->warpOf(last)) {
      warps = warps * 31 + static_cast<uint32_t>(warp) + 1;
      if (colours_.byWarp() && cell.bandCount < static_cast<int>(cell.bands.size()))
        cell.bands[static_cast<size_t>(cell.bandCount++)] = colours_.of(slot, cell.element);
    }
    last = thread;
    ++threads;
  }
  cell.zone = static_cast<int32_t>(warps & 0x7fffffff);
  if (cell.bandCount == 1)
    cell.bandCount = 0;
  if (cell.bandCount > 1) // without a border, the stripes of neighbouring cells would merge
    cell.unit = static_cast<int32_t>(cell.element);
  cell.hatched = threads > 1;
  return cell;
}

void ElementModel::label(int64_t row, int64_t column, std::string &label, std::string &detail) const {
  std::span<const int32_t> slots = map_->slots(fold_.element(row, column));
  if (slots.empty())
    return;
  Owner first = map_->ownerOf(slots.front()), last = map_->ownerOf(slots.back());
  int64_t count = static_cast<int64_t>(slots.size());
  if (count == 1)
    label = text("T", first.thread);
  else if (last.thread - first.thread + 1 == count)
    label = text("T", first.thread, "–", last.thread);
  else
    label = text("T", first.thread, " ×", count);
  detail = map_->vector() > 1 ? text("r", first.reg, ".", first.position) : text("r", first.reg);
}

std::string ElementModel::tooltip(int64_t row, int64_t column) const {
  return elementWords(*map_, fold_.element(row, column));
}
std::string ElementModel::rowTick(int64_t row) const { return rowTickText(fold_, row); }
std::string ElementModel::columnTick(int64_t column) const { return columnTickText(fold_, column); }

void ElementModel::linkKeys(int64_t row, int64_t column, std::vector<int32_t> &keys) const {
  for (int32_t slot : map_->slots(fold_.element(row, column)))
    if (int32_t thread = map_->ownerOf(slot).thread; keys.empty() || keys.back() != thread)
      keys.push_back(thread);
}

void ElementModel::linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const {
  std::vector<int32_t> threads;
  linkKeys(row, column, threads);
  for (int32_t thread : threads)
    elementsOfThread(*map_, thread, elements);
}

void ElementModel::cellsOf(int64_t element, std::vector<CellAt> &cells) const {
  if (std::optional<CellAt> at = fold_.cellOf(element))
    cells.push_back(*at);
}

bool ElementModel::isCopy(int64_t row, int64_t column) const {
  int64_t element = fold_.element(row, column);
  if (element < 0)
    return false;
  std::span<const int32_t> slots = map_->slots(element); // in the order of threads
  return !slots.empty() && slots.front() / map_->values() != slots.back() / map_->values();
}

void ElementModel::fillRow(int64_t row, int64_t column, int64_t count, uint32_t *out) const {
  int64_t begin = fold_.element(row, column), end = fold_.element(row, column + count - 1);
  if (map_->replication() == 1 && begin >= 0 && end >= 0) {
    // The inverse table has at most one slot per element here, in order. If there are as many slots as elements, each
    // element has one.
    std::span<const int32_t> first = map_->slots(begin), last = map_->slots(end);
    if (!first.empty() && !last.empty() && last.data() - first.data() == count - 1)
      return colours_.fill(first.data(), begin, count, out);
  }
  for (int64_t i = 0; i < count; ++i) {
    int64_t element = fold_.element(row, column + i);
    if (element < 0) {
      out[i] = 0;
      continue;
    }
    std::span<const int32_t> slots = map_->slots(element);
    out[i] = slots.empty() ? packedIn(theme(), kUnclassed) : colours_.packed(slots[0], element);
  }
}

LaneModel::LaneModel(std::shared_ptr<const ElementMap> map, int bitwidth, const LayoutSceneOptions &options)
    : CellModel(options.theme), map_(map), colours_(map, bitwidth, options), fold_(fold(map->shape(), options.slice)) {}

int32_t LaneModel::elementAt(int64_t row, int64_t column) const {
  int32_t element = map_->elements()[static_cast<size_t>(row * columns() + column)];
  return fold_.holds(element) ? element : -1;
}

Cell LaneModel::cell(int64_t row, int64_t column) const {
  Cell cell;
  cell.element = elementAt(row, column);
  cell.unit = static_cast<int32_t>((row * columns() + column) / map_->vector());
  cell.zone = map_->warpOf(static_cast<int>(row));
  if (cell.element < 0)
    return cell;
  cell.fill = colours_.of(static_cast<int32_t>(row * columns() + column), cell.element);
  if (map_->replication() > 1) {
    std::span<const int32_t> slots = map_->slots(cell.element);
    cell.hatched = !slots.empty() && map_->ownerOf(slots[0]).thread != row;
  }
  return cell;
}

void LaneModel::label(int64_t row, int64_t column, std::string &label, std::string &) const {
  label = shortIndex(map_->shape(), elementAt(row, column));
}

std::string LaneModel::tooltip(int64_t row, int64_t column) const {
  return slotWords(*map_, static_cast<int>(row), static_cast<int>(column / map_->vector()),
                   static_cast<int>(column % map_->vector()));
}

std::string LaneModel::rowTick(int64_t row) const { return text(map_->laneOf(static_cast<int>(row))); }

std::string LaneModel::columnTick(int64_t column) const {
  return map_->vector() > 1 ? text("r", column / map_->vector(), ".", column % map_->vector()) : text("r", column);
}

void LaneModel::linkKeys(int64_t row, int64_t, std::vector<int32_t> &keys) const {
  keys.push_back(static_cast<int32_t>(row));
}

void LaneModel::linkedElements(int64_t row, int64_t, std::vector<int32_t> &elements) const {
  elementsOfThread(*map_, static_cast<int32_t>(row), elements);
}

void LaneModel::cellsOf(int64_t element, std::vector<CellAt> &cells) const {
  if (fold_.holds(element))
    for (int32_t slot : map_->slots(element))
      cells.push_back({slot / columns(), slot % columns()});
}

bool LaneModel::isCopy(int64_t row, int64_t column) const {
  int32_t element = elementAt(row, column);
  if (element < 0)
    return false;
  std::span<const int32_t> slots = map_->slots(element);
  return !slots.empty() && slots[0] / map_->values() != row;
}

void LaneModel::fillRow(int64_t row, int64_t column, int64_t count, uint32_t *out) const {
  const int64_t first = row * map_->values() + column;
  for (int64_t i = 0; i < count; ++i) {
    int32_t element = elementAt(row, column + i);
    out[i] = element < 0 ? 0 : colours_.packed(static_cast<int32_t>(first + i), element);
  }
}

SplatModel::SplatModel(layouts::Shape shape, const LayoutSceneOptions &options)
    : CellModel(options.theme), shape_(std::move(shape)), fold_(fold(shape_, options.slice)) {}

Cell SplatModel::cell(int64_t row, int64_t column) const {
  Cell cell;
  cell.element = fold_.element(row, column);
  for (int warp = 0; warp < layouts::kWarpsPerWarpgroup; ++warp)
    cell.bands[static_cast<size_t>(warp)] = laneColour(warp, 8);
  cell.fill = cell.bands[0];
  cell.bandCount = layouts::kWarpsPerWarpgroup;
  cell.hatched = true;
  cell.unit = static_cast<int32_t>((row * fold_.columns + column) & 0x7fffffff);
  cell.zone = 0;
  return cell;
}

void SplatModel::label(int64_t, int64_t, std::string &label, std::string &detail) const {
  label = "all";
  detail = "r0";
}

std::string SplatModel::tooltip(int64_t row, int64_t column) const {
  return text("element ", indexWords(shape_, fold_.element(row, column)),
              " is held by every thread of the warpgroup, in register 0");
}

std::string SplatModel::rowTick(int64_t row) const { return rowTickText(fold_, row); }
std::string SplatModel::columnTick(int64_t column) const { return columnTickText(fold_, column); }

void SplatModel::linkKeys(int64_t, int64_t, std::vector<int32_t> &keys) const {
  keys.resize(layouts::kThreadsPerWarpgroup);
  std::iota(keys.begin(), keys.end(), 0);
}

void SplatModel::linkedElements(int64_t, int64_t, std::vector<int32_t> &elements) const {
  for (int64_t i = 0; i < fold_.count; ++i)
    elements.push_back(static_cast<int32_t>(fold_.base + i));
}

void SplatModel::cellsOf(int64_t element, std::vector<CellAt> &cells) const {
  if (std::optional<CellAt> at = fold_.cellOf(element))
    cells.push_back(*at);
}

} // namespace lanescope::viz
