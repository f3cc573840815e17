#include "core/tpu/emulator/Windows.h"

#include "core/tpu/emulator/CheckedAccess.h"
#include "core/tpu/emulator/ElementArithmetic.h"
#include "core/tpu/emulator/TpuCostModel.h"
#include "core/tpu/emulator/Transform.h"
#include "layouts/support/Text.h"

#include <cstring>

namespace lanescope::core::sparsecore {
namespace {

using Index = std::vector<int64_t>;

/// Copies between a window's block and its array.
class BlockCopy {
public:
  BlockCopy(Machine &m, Subcore &s, Window &window)
      : m_(m), window_(window), by_(accessorOf(s, s.function->place)), bytes_(window.array->element.bytes()) {}

  bool run(bool in) {
    const Index &shape = window_.block->shape;
    if (shape.empty())
      return element(in, {}, 0);
    int64_t total = layouts::elementCount(shape);
    Index index(shape.size(), 0);
    for (int64_t k = 0; k < total; ++k) {
      if (!element(in, index, k))
        return false;
      for (size_t d = shape.size(); d-- > 0;) {
        if (++index[d] < shape[d])
          break;
        index[d] = 0;
      }
    }
    return flush(in);
  }

private:
  /// The place of the block's element in the array; -1: cut off, -2: outside the array.
  int64_t place(const Index &index) const {
    const Index &shape = window_.array->shape;
    Index start = window_.start;
    if (!window_.rows.empty())
      start = window_.rows[static_cast<size_t>(index[window_.indexedDimension])];
    bool beyond = false;
    for (size_t d = 0; d < shape.size(); ++d)
      beyond |= start[d] >= shape[d] && start[d] != 0;
    int64_t at = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t i = start[d] + (!window_.rows.empty() && d == window_.indexedDimension ? 0 : index[d]);
      if (!beyond && i >= shape[d])
        return -1;
      at = at * shape[d] + i;
    }
    return at >= 0 && at < layouts::elementCount(shape) ? at : -2;
  }

  bool element(bool in, const Index &index, int64_t block) {
    int64_t at = place(index);
    if (at == -2) {
      m_.fail("memref-out-of-bounds", by_.use.place,
              Message("the window of operand {} begins at ({}), outside of an array of shape ({})", window_.operand,
                      joined(window_.start, ", "), joined(window_.array->shape, ", ")));
      return false;
    }
    int64_t array = at < 0 ? at : window_.array->addressOf(at), inBlock = window_.block->addressOf(block);
    bool follows = size_ > 0 && array == array_ + size_ && inBlock == block_ + size_;
    if (!follows && !flush(in))
      return false;
    if (at < 0)
      return true;
    if (size_ == 0) {
      array_ = array;
      block_ = inBlock;
    }
    size_ += bytes_;
    return window_.block->shape.empty() ? flush(in) : true;
  }

  /// Moves the collected run.
  bool flush(bool in) {
    if (size_ == 0)
      return true;
    uint64_t size = static_cast<uint64_t>(size_);
    uint64_t arrayAt = static_cast<uint64_t>(array_), blockAt = static_cast<uint64_t>(block_);
    Buffer &from = in ? *window_.array : *window_.block, &to = in ? *window_.block : *window_.array;
    uint64_t fromAt = in ? arrayAt : blockAt, toAt = in ? blockAt : arrayAt;
    size_ = 0;
    Content content = from.watched ? from.shadow.content(fromAt, fromAt + size) : kDefined;
    bool same = holds(from, fromAt, to, toAt, size);
    if (!noteRead(m_, from, fromAt, fromAt + size, by_))
      return false;
    std::memcpy(&to.bytes[toAt], &from.bytes[fromAt], size);
    if (!noteWrite(m_, to, toAt, toAt + size, by_, same ? kAsBefore : kDefined, same))
      return false;
    if (content != kDefined && to.watched && !same) {
      to.shadow.copyContent(from.shadow, fromAt, toAt, size);
      return requireKnownOutput(m_, to, content);
    }
    return true;
  }

  Machine &m_;
  Window &window_;
  Accessor by_;
  int64_t bytes_;                            // bytes per element
  int64_t array_ = 0, block_ = 0, size_ = 0; // the collected run, in bytes
};

bool copyBlock(Machine &m, Subcore &s, Window &window, bool in) {
  // The cost is low, because the pipeline overlaps this copy with earlier steps.
  s.time += cost::kCopyStart / 4 + static_cast<double>(window.block->bytes.size()) / cost::kHbmBytes;
  return BlockCopy(m, s, window).run(in);
}

bool writeBack(Machine &m, Subcore &s, Window &window) {
  return !window.output || window.start.empty() || copyBlock(m, s, window, false);
}

/// Reads the row numbers of an indexed operand's block. They are in the block of another operand.
bool indexedRows(Machine &m, Subcore &s, Window &window, const Operand &operand) {
  const Window *by = nullptr;
  for (const Window &other : s.windows.windows)
    if (other.operand == static_cast<uint32_t>(operand.indexedBy))
      by = &other;
  size_t dimension = static_cast<size_t>(operand.indexedDim);
  if (!by || dimension >= window.start.size() ||
      static_cast<int64_t>(by->block->elements()) < window.block->shape[dimension]) {
    m.fail("memref-out-of-bounds", s.function->place,
           Message("operand {} is indexed by operand {}{}", window.operand, operand.indexedBy,
                   by ? ", which has fewer indices than the block has rows" : ", which has no block"));
    return false;
  }
  window.indexedDimension = dimension;
  window.rows.clear();
  for (int64_t row = 0; row < window.block->shape[dimension]; ++row) {
    Index start = window.start;
    start[dimension] += signedOf(by->block->element,
                                 loadElement(by->block->element, by->block->bytes.data() + by->block->addressOf(row)));
    if (start[dimension] < 0 || start[dimension] >= window.array->shape[dimension]) {
      m.fail("memref-out-of-bounds", s.function->place,
             Message("index {index} of operand {} is outside of operand {}, which has {rows} rows", start[dimension],
                     operand.indexedBy, window.operand, window.array->shape[dimension]));
      return false;
    }
    window.rows.push_back(std::move(start));
  }
  return true;
}

} // namespace

bool enterStep(Machine &m, Subcore &s) {
  for (bool indexed : {false, true}) // operands that index others come first
    for (Window &window : s.windows.windows) {
      const Operand &operand = s.function->operands[window.operand];
      if ((operand.indexedBy >= 0) != indexed)
        continue;
      Index start;
      if (!windowStart(m, *s.function, operand, s.gridIndex, start))
        return false;
      start.resize(window.block->shape.size(), 0);
      if (start == window.start && !indexed)
        continue;
      if (!writeBack(m, s, window))
        return false;
      window.start = std::move(start);
      if (indexed && !indexedRows(m, s, window, operand))
        return false;
      if (window.input && !copyBlock(m, s, window, true))
        return false;
      if (!window.input && window.block->watched)
        window.block->shadow.setContent(0, window.block->bytes.size(), kUninitialised);
    }
  return true;
}

bool leaveSteps(Machine &m, Subcore &s) {
  for (Window &window : s.windows.windows)
    if (!writeBack(m, s, window))
      return false;
  return true;
}

} // namespace lanescope::core::sparsecore
