#include "layouts/Affine.h"

#include "layouts/DigitMap.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

int64_t saturatingAdd(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

/// One more than the largest sum of the modes' weights.
int64_t reach(const AffinePlaces &places, int64_t base, int64_t AffineMode::*weight) {
  int64_t out = saturatingAdd(base, 1);
  for (const auto *list : {&places.modes, &places.replicas})
    for (const AffineMode &mode : *list)
      out = saturatingAdd(out, saturatingMultiply(std::max<int64_t>(mode.size - 1, 0), mode.*weight));
  return out;
}

/// The sums of one weight over all elements, in row-major order.
std::vector<int32_t> sums(const std::vector<AffineMode> &modes, int64_t AffineMode::*weight, int64_t base) {
  std::vector<std::pair<int64_t, int64_t>> digits;
  int64_t count = 1;
  for (const AffineMode &mode : modes) {
    digits.emplace_back(mode.size, mode.*weight);
    count *= mode.size;
  }
  std::vector<int32_t> out(static_cast<size_t>(count));
  if (out.empty())
    return out;
  outerSum(digits, out.data());
  if (base != 0)
    for (int32_t &entry : out)
      entry += static_cast<int32_t>(base);
  return out;
}

Result<void> checkCount(const Layout &layout, const Shape &shape, const AffinePlaces &places) {
  int64_t count = 1;
  for (const AffineMode &mode : places.modes)
    count = saturatingMultiply(count, mode.size);
  if (Result<int64_t> given = checkedElementCount(shape); !given)
    return std::unexpected(std::move(given.error()));
  if (count != elementCount(shape))
    return error("layout-shape", Message("`{layout}` is for {elements} elements; shape {shape} has {}",
                                         layoutText(layout), count, tupleText(shape), elementCount(shape)));
  if (count > kMaxMapEntries)
    return error("too-large",
                 Message("the array has {elements} elements; maps have at most {limit}", count, kMaxMapEntries));
  return {};
}

/// Fills slot -> element, with -1 for empty slots. `slotOf(thread, value)` numbers the places.
Result<std::vector<int32_t>> fill(const Layout &layout, const Shape &shape, const AffinePlaces &places, size_t slots,
                                  int64_t valuesPerThread) {
  std::vector<int32_t> threads = sums(places.modes, &AffineMode::thread, places.baseThread);
  std::vector<int32_t> values = sums(places.modes, &AffineMode::value, places.baseValue);
  std::vector<int32_t> threadCopies = sums(places.replicas, &AffineMode::thread, 0);
  std::vector<int32_t> valueCopies = sums(places.replicas, &AffineMode::value, 0);
  std::vector<int32_t> table(slots, -1);
  for (size_t element = 0; element < threads.size(); ++element)
    for (size_t copy = 0; copy < threadCopies.size(); ++copy) {
      int64_t slot =
          (int64_t(threads[element]) + threadCopies[copy]) * valuesPerThread + values[element] + valueCopies[copy];
      int32_t &entry = table[static_cast<size_t>(slot)];
      if (entry >= 0 && entry != static_cast<int32_t>(element))
        return error("layout-overlap", Message("`{layout}` puts elements {coordinates} and {} in one place",
                                               layoutText(layout), tupleText(unravelIndex(entry, shape)),
                                               tupleText(unravelIndex(static_cast<int64_t>(element), shape))));
      entry = static_cast<int32_t>(element);
    }
  return table;
}

} // namespace

int64_t AffinePlaces::threadCount() const {
  int64_t reached = std::max(threads, reach(*this, baseThread, &AffineMode::thread));
  if (reached > kMaxMapEntries)
    return reached;
  return (reached + threadMultiple - 1) / threadMultiple * threadMultiple;
}

int64_t AffinePlaces::valueCount() const { return reach(*this, baseValue, &AffineMode::value); }

Result<ElementMap> affineRegisters(const Layout &layout, const Shape &shape, const AffinePlaces &places) {
  if (Result<void> fits = checkCount(layout, shape, places); !fits)
    return std::unexpected(std::move(fits.error()));
  int64_t threads = places.threadCount(), values = places.valueCount();
  int64_t copies = 1;
  for (const AffineMode &replica : places.replicas)
    copies = saturatingMultiply(copies, replica.size);
  int64_t entries = saturatingMultiply(threads, values);
  if (entries > kMaxMapEntries || saturatingMultiply(copies, elementCount(shape)) > kMaxMapEntries)
    return error("too-large",
                 Message("`{layout}` takes {threads} threads of {values} values; maps have at most {limit} entries",
                         layoutText(layout), threads, values, kMaxMapEntries));
  SparseDigits digits{{}, places.baseThread * values + places.baseValue, entries};
  int64_t weight = elementCount(shape);
  for (const AffineMode &mode : places.modes) {
    weight /= std::max<int64_t>(mode.size, 1);
    digits.digits.push_back({mode.size, weight, mode.thread * values + mode.value});
  }
  for (const AffineMode &replica : places.replicas)
    digits.digits.push_back({replica.size, 0, replica.thread * values + replica.value});
  if (elementCount(shape) > 0 && digits.arrange())
    return ElementMap::fromDigits(layout, shape, static_cast<int>(threads), static_cast<int>(values), std::move(digits),
                                  copies);
  Result<std::vector<int32_t>> table = fill(layout, shape, places, static_cast<size_t>(entries), values);
  if (!table)
    return std::unexpected(std::move(table.error()));
  return ElementMap::fromTable(layout, shape, static_cast<int>(threads), static_cast<int>(values), 1,
                               *std::move(table));
}

Result<std::vector<int32_t>> affineOffsets(const std::string &title, const Shape &shape, const AffinePlaces &places) {
  int64_t count = 1;
  for (const AffineMode &mode : places.modes)
    count = saturatingMultiply(count, mode.size);
  Result<int64_t> wanted = checkedElementCount(shape);
  if (!wanted)
    return std::unexpected(std::move(wanted.error()));
  if (count != *wanted)
    return error("layout-shape", Message("`{name}` is for {elements} elements; shape {shape} has {}", title, count,
                                         tupleText(shape), *wanted));
  if (count > kMaxMapEntries || places.valueCount() > kMaxMapEntries)
    return error("too-large", Message("`{name}` spans {} offsets; maps have at most {limit}", title,
                                      places.valueCount(), kMaxMapEntries));
  return sums(places.modes, &AffineMode::value, places.baseValue);
}

Result<TmemMap> affineTmem(const Layout &layout, const Shape &shape, int bitwidth, const AffinePlaces &places) {
  if (Result<void> fits = checkCount(layout, shape, places); !fits)
    return std::unexpected(std::move(fits.error()));
  if (bitwidth < 1 || bitwidth > kTmemCellBits || kTmemCellBits % bitwidth != 0)
    return error("dtype-mismatch", Message("tensor memory holds elements of 1 to 32 bits, not of {bits}", bitwidth));
  int packing = kTmemCellBits / bitwidth;
  if (places.threadCount() > kTmemLanes)
    return error("layout-shape", Message("`{layout}` reaches lane {lane}; tensor memory has {limit}",
                                         layoutText(layout), places.threadCount() - 1, kTmemLanes));
  int64_t columns = places.valueCount() / packing + (places.valueCount() % packing != 0);
  if (columns > kTmemColumns)
    return error("layout-shape", Message("`{layout}` takes {columns} columns of tensor memory, which has {limit}",
                                         layoutText(layout), columns, kTmemColumns));
  int64_t perLane = columns * packing;
  Result<std::vector<int32_t>> table = fill(layout, shape, places, static_cast<size_t>(kTmemLanes * perLane), perLane);
  if (!table)
    return std::unexpected(std::move(table.error()));
  return TmemMap::fromTable(layout, shape, bitwidth, static_cast<int>(columns), packing, *table);
}

Result<void> checkAffineSwizzle(const AffineSwizzle &swizzle) {
  constexpr int64_t kBits = 30; // offsets have 31 bits
  int64_t distance = swizzle.shift < 0 ? -swizzle.shift : swizzle.shift;
  if (swizzle.bits < 0 || swizzle.base < 0 || swizzle.bits > kBits || swizzle.base > kBits || distance > kBits ||
      swizzle.bits + swizzle.base + distance > kBits)
    return error(
        "layout-swizzle",
        Message("a swizzle of {bits} bits from bit {} over a distance of {} does not fit offsets of {other_bits} bits",
                swizzle.bits, swizzle.base, swizzle.shift, kBits));
  if (swizzle.bits > distance)
    return error("layout-swizzle", Message("a swizzle of {bits} bits needs a distance of at least as many, not {}",
                                           swizzle.bits, swizzle.shift));
  return {};
}

} // namespace lanescope::layouts
