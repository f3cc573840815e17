#include "layouts/DigitMap.h"

#include "layouts/Digits.h"
#include "layouts/XorMap.h"

#include <algorithm>
#include <bit>
#include <new>

namespace lanescope::layouts {

namespace {

/// Blocks of this many entries stay in the first-level cache while they are copied with an offset.
constexpr size_t kBlockEntries = 4096;

/// Row-major weights for the sizes of a partition list; the last entry has weight one.
std::vector<int64_t> partitionWeights(const TiledLayout &layout, const std::vector<PartitionDim> &entries) {
  std::vector<int64_t> weights(entries.size());
  int64_t weight = 1;
  for (size_t i = entries.size(); i-- > 0;) {
    weights[i] = weight;
    const auto *replicated = std::get_if<Replicated>(&entries[i]);
    weight *= replicated ? replicated->times : layout.dimSize(std::get<int64_t>(entries[i]));
  }
  return weights;
}

/// dst[i] = src[i] + offset, modulo 2^32 (the sums fit 31 bits). The ranges must not overlap.
void addOffset(int32_t *__restrict dst, const int32_t *__restrict src, size_t n, uint32_t offset) {
  for (size_t i = 0; i < n; ++i)
    dst[i] = static_cast<int32_t>(static_cast<uint32_t>(src[i]) + offset);
}

/// Like addOffset(), but copies entries below zero as -1.
void addToEntries(int32_t *__restrict dst, const int32_t *__restrict src, size_t n, uint32_t offset) {
  for (size_t i = 0; i < n; ++i)
    dst[i] = src[i] < 0 ? -1 : static_cast<int32_t>(static_cast<uint32_t>(src[i]) + offset);
}

/// True if the digits of non-zero weight number each element below `elementCount` exactly once. `replication` receives
/// the product of the sizes of the other digits.
bool numbersElements(std::vector<Digit> digits, int64_t elementCount, int64_t &replication) {
  std::ranges::sort(digits, {}, &Digit::element);
  int64_t reached = 1;
  replication = 1;
  for (const Digit &digit : digits) {
    if (digit.element == 0) {
      replication *= digit.size;
      continue;
    }
    if (digit.element != reached)
      return false;
    reached *= digit.size;
  }
  return reached == elementCount;
}

} // namespace

bool SparseDigits::arrange() {
  std::erase_if(digits, [](const Digit &digit) { return digit.size == 1; });
  std::ranges::sort(digits, std::greater<>(), &Digit::slot);
  int64_t span = 1; // the range of the smaller digits
  for (size_t i = digits.size(); i-- > 0;) {
    if (digits[i].slot < span)
      return false;
    span += digits[i].slot * (digits[i].size - 1);
  }
  return true;
}

std::vector<Digit> digitsOf(const TiledLayout &layout, const Shape &shape, int64_t registers) {
  Shape strides = layout.tiling().tileStrides(contiguousStrides(shape));
  Shape tiled = *layout.tiling().tileShape(shape);
  int64_t perThread = registers * layout.vectorLength();
  auto rank = static_cast<int64_t>(tiled.size());
  auto suffix = static_cast<int64_t>(layout.tiledTilingShape().size());
  std::vector<Digit> digits;

  int64_t registerWeight = layout.vectorLength();
  for (int64_t dim = -1; dim >= -rank; --dim) {
    if (dim >= -suffix && layout.isPartitioned(dim))
      continue;
    digits.push_back({tiled[rank + dim], strides[rank + dim], registerWeight});
    registerWeight *= tiled[rank + dim];
  }
  std::ranges::reverse(digits);
  auto addPartition = [&](const std::vector<PartitionDim> &entries, int64_t unit) {
    std::vector<int64_t> weights = partitionWeights(layout, entries);
    for (size_t i = 0; i < entries.size(); ++i) {
      if (const auto *replicated = std::get_if<Replicated>(&entries[i]))
        digits.push_back({replicated->times, 0, weights[i] * unit});
      else {
        int64_t dim = std::get<int64_t>(entries[i]);
        digits.push_back({tiled[rank + dim], strides[rank + dim], weights[i] * unit});
      }
    }
  };
  addPartition(layout.warpDims(), kLanesPerWarp * perThread);
  addPartition(layout.laneDims(), perThread);
  digits.push_back({layout.vectorLength(), strides[rank + layout.vectorDim()], 1});
  std::erase_if(digits, [](const Digit &digit) { return digit.size == 1; });
  return digits;
}

void outerSum(std::span<const std::pair<int64_t, int64_t>> digits, int32_t *out) {
  // Minor digits first: copying the finished part of the table with an offset gives the next multiple of the weight.
  out[0] = 0;
  size_t filled = 1;
  size_t left = digits.size();
  while (left > 0 && filled < kBlockEntries) {
    auto [size, weight] = digits[--left];
    for (int64_t done = 1; done < size; done += std::min(done, size - done))
      addOffset(out + static_cast<size_t>(done) * filled, out,
                static_cast<size_t>(std::min(done, size - done)) * filled, static_cast<uint32_t>(done * weight));
    filled *= static_cast<size_t>(size);
  }
  // The remaining entries repeat the block, while the major digits count up like an odometer.
  std::vector<int64_t> count(left, 0);
  int64_t offset = 0;
  int32_t *next = out + filled;
  while (true) {
    size_t i = left;
    while (i > 0) {
      auto [size, weight] = digits[i - 1];
      if (++count[i - 1] < size) {
        offset += weight;
        break;
      }
      offset -= weight * (size - 1);
      count[i - 1] = 0;
      --i;
    }
    if (i == 0)
      return;
    addOffset(next, out, filled, static_cast<uint32_t>(offset));
    next += filled;
  }
}

std::shared_ptr<const TwoWayTable> TwoWayTable::make(std::vector<Digit> digits, int64_t replication) {
  auto table = std::make_shared<TwoWayTable>();
  table->count_ = 1;
  for (const Digit &digit : digits)
    table->count_ *= static_cast<size_t>(digit.size);
  table->replication_ = static_cast<size_t>(replication);
  if (table->count_ > 0) {
    table->elements_.reset(new (std::nothrow) int32_t[table->count_]);
    if (!table->elements_)
      return nullptr;
    std::ranges::sort(digits, std::greater<>(), &Digit::slot);
    std::vector<std::pair<int64_t, int64_t>> weights;
    for (const Digit &digit : digits)
      weights.emplace_back(digit.size, digit.element);
    outerSum(weights, table->elements_.get());
  }
  table->elementCount_ = static_cast<int64_t>(table->count_) / replication;
  table->digits_ = std::move(digits);
  return table;
}

std::shared_ptr<const TwoWayTable> TwoWayTable::makeSparse(SparseDigits arranged, int64_t replication) {
  auto table = std::make_shared<TwoWayTable>();
  table->count_ = static_cast<size_t>(arranged.slots);
  table->replication_ = static_cast<size_t>(replication);
  table->firstSlot_ = arranged.firstSlot;
  table->elements_.reset(new (std::nothrow) int32_t[table->count_]);
  if (!table->elements_)
    return nullptr;
  int32_t *out = table->elements_.get() + arranged.firstSlot;
  std::fill(table->elements_.get(), out, -1);
  // The table is filled as in outerSum, but from the smallest slot weight up. Slots between two multiples of a weight
  // stay idle.
  int64_t filled = 1, entries = 1;
  out[0] = 0;
  for (size_t i = arranged.digits.size(); i-- > 0;) {
    auto [size, element, slot] = arranged.digits[i];
    std::fill(out + filled, out + slot, -1);
    filled += slot * (size - 1);
    for (int64_t done = 1; done < size; done += std::min(done, size - done))
      addToEntries(out + done * slot, out, static_cast<size_t>(std::min(done * slot, filled - done * slot)),
                   static_cast<uint32_t>(done * element));
    entries *= size;
  }
  std::fill(out + filled, table->elements_.get() + table->count_, -1);
  table->elementCount_ = entries / replication;
  table->digits_ = std::move(arranged.digits);
  return table;
}

std::shared_ptr<const TwoWayTable> TwoWayTable::fromElements(std::vector<int32_t> elements, int64_t elementCount) {
  auto table = std::make_shared<TwoWayTable>();
  table->count_ = elements.size();
  table->fromElements_ = true;
  table->elementCount_ = elementCount;
  table->given_ = std::move(elements);
  return table;
}

void TwoWayTable::invert() const {
  if (!fromElements_)
    invertDigits(digits_);
  else if (!invertRecognised())
    invertEntries();
}

void TwoWayTable::invertDigits(std::vector<Digit> digits) const {
  size_t entries = static_cast<size_t>(elementCount_) * replication_;
  inverse_.reset(new (std::nothrow) int32_t[entries]);
  if (!inverse_ || entries == 0)
    return;
  // Sorts into element order. Replications have weight 0, so they end up innermost, in slot order.
  std::ranges::sort(digits, std::greater<>(), [](const Digit &d) { return std::pair(d.element, d.slot); });
  std::vector<std::pair<int64_t, int64_t>> weights;
  for (const Digit &digit : digits)
    weights.emplace_back(digit.size, digit.slot);
  outerSum(weights, inverse_.get());
  if (firstSlot_ != 0)
    for (size_t i = 0; i < entries; ++i)
      inverse_[i] += static_cast<int32_t>(firstSlot_);
}

/// Makes the inverse of a table that is a change of digits or of bits; returns false for any other table.
bool TwoWayTable::invertRecognised() const {
  if (std::optional<DigitTable> digits = digitTableOf(given_); digits && digits->base == 0) {
    int64_t replication = 1;
    if (numbersElements(digits->digits, elementCount_, replication)) {
      replication_ = static_cast<size_t>(replication);
      invertDigits(std::move(digits->digits));
      return true;
    }
  }
  if (!std::has_single_bit(static_cast<uint64_t>(elementCount_)))
    return false;
  std::optional<std::vector<int32_t>> bases = xorBasesOf(given_);
  std::optional<XorInverse> found;
  if (bases)
    found = invertXor(*bases, std::bit_width(static_cast<uint64_t>(elementCount_)) - 1);
  if (!found)
    return false;
  replication_ = size_t(1) << found->kernelBits;
  inverse_.reset(new (std::nothrow) int32_t[size_t(1) << found->bases.size()]);
  if (inverse_)
    xorSums(found->bases, inverse_.get());
  return true;
}

void TwoWayTable::invertEntries() const {
  auto elements = static_cast<size_t>(elementCount_);
  std::unique_ptr<int32_t[]> starts(new (std::nothrow) int32_t[elements + 2]());
  std::unique_ptr<int32_t[]> inverse(new (std::nothrow) int32_t[count_ + 1]);
  if (!starts || !inverse)
    return;
  // A counting sort by element, stable in the slot. The starts are shifted by one place, and the fill advances them.
  for (size_t slot = 0; slot < count_; ++slot)
    if (given_[slot] >= 0)
      ++starts[static_cast<size_t>(given_[slot]) + 2];
  for (size_t e = 2; e < elements + 2; ++e)
    starts[e] += starts[e - 1];
  for (size_t slot = 0; slot < count_; ++slot)
    if (given_[slot] >= 0)
      inverse[static_cast<size_t>(starts[static_cast<size_t>(given_[slot]) + 1]++)] = static_cast<int32_t>(slot);
  starts_ = std::move(starts);
  inverse_ = std::move(inverse);
}

int64_t TwoWayTable::mostSlots() const {
  if (fromElements_)
    std::call_once(inverseOnce_, [&] { invert(); });
  if (!starts_)
    return static_cast<int64_t>(replication_);
  size_t most = 1;
  for (int64_t element = 0; element < elementCount_; ++element)
    most = std::max(most, slots(element).size());
  return static_cast<int64_t>(most);
}

std::span<const int32_t> TwoWayTable::soleSlots() const {
  std::call_once(inverseOnce_, [&] { invert(); });
  if (!inverse_ || starts_ || replication_ != 1)
    return {};
  return {inverse_.get(), static_cast<size_t>(elementCount_)};
}

std::span<const int32_t> TwoWayTable::slots(int64_t element) const {
  if (element < 0 || element >= elementCount_)
    return {};
  std::call_once(inverseOnce_, [&] { invert(); });
  if (!inverse_)
    return {};
  auto e = static_cast<size_t>(element);
  if (starts_)
    return {inverse_.get() + starts_[e], static_cast<size_t>(starts_[e + 1] - starts_[e])};
  return {inverse_.get() + e * replication_, replication_};
}

} // namespace lanescope::layouts
