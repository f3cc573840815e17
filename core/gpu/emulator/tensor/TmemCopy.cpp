#include "core/gpu/emulator/tensor/TmemCopy.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kQuarter = 32, kPackedBytes = 16, kMostRows = 128, kMostRowBytes = 32;

/// The `count` lanes to which a row goes, before the address's lane is added.
struct Lanes {
  uint32_t lane[4];
  uint32_t count;
};
Lanes lanesOf(TmemCopyShape shape, uint32_t row) {
  switch (shape) {
  case TmemCopyShape::L4x256b: return {{row * kQuarter}, 1};
  case TmemCopyShape::L64x128b0213: return {{row, row + 2 * kQuarter}, 2};
  case TmemCopyShape::L64x128b0123: {
    uint32_t lane = row / kQuarter * 2 * kQuarter + row % kQuarter;
    return {{lane, lane + kQuarter}, 2};
  }
  case TmemCopyShape::L32x128b: return {{row, row + kQuarter, row + 2 * kQuarter, row + 3 * kQuarter}, 4};
  default: return {{row}, 1};
  }
}

OperandExtent extentOf(const TmemCopy &copy) { return {.rows = copy.rows(), .rowBytes = copy.rowBytes()}; }

/// Widens sixteen packed elements of 4 or 6 bits to bytes. The value's six upper bits are placed just below the byte's
/// two highest bits, as for A in tensor memory.
void widenChunk(TmemCopySource source, uint8_t *chunk) {
  if (source == TmemCopySource::Bytes)
    return;
  uint32_t bits = source == TmemCopySource::B4x16P64 ? 4 : 6;
  uint8_t packed[kPackedBytes + 1] = {};
  std::memcpy(packed, chunk, kPackedBytes);
  for (uint32_t n = 0; n < kPackedBytes; ++n) {
    uint32_t at = n * bits, word = packed[at / 8] | static_cast<uint32_t>(packed[at / 8 + 1]) << 8;
    uint32_t code = word >> at % 8 & ((1u << bits) - 1);
    chunk[n] = static_cast<uint8_t>(bits == 4 ? code << 2 : code);
  }
}

} // namespace

uint32_t TmemCopy::rows() const {
  switch (shape) {
  case TmemCopyShape::L4x256b: return 4;
  case TmemCopyShape::L64x128b0213:
  case TmemCopyShape::L64x128b0123: return 64;
  case TmemCopyShape::L32x128b: return 32;
  default: return kMostRows;
  }
}

std::string TmemCopy::problem(uint32_t address, uint64_t bits, uint32_t sharedBase, uint32_t sharedBytes) const {
  auto descriptor = layouts::decode(bits);
  if (!descriptor)
    return text("the descriptor of the source ", descriptor.error());
  if (descriptor->wideAtoms || descriptor->leadingIsAddress)
    return text("the descriptor of the source ",
                descriptor->wideAtoms ? "has a swizzle of 32-byte atoms" : "gives the leading dimension as an address",
                ", which is for operands of `tcgen05.mma`");
  SharedMatrix matrix(*descriptor, false);
  OperandExtent extent = extentOf(*this);
  if (std::string wrong = matrix.problem(extent.along(false), extent.across(false), sharedBase, sharedBytes);
      !wrong.empty())
    return text("the descriptor of the source ", wrong);
  TensorAddress at(address);
  // The number of lanes among which the address may choose.
  uint32_t lanes = shape == TmemCopyShape::L4x256b ? kQuarter : 1;
  if (at.lane >= lanes)
    return text("the address has lane ", at.lane, ", but the copy needs lane ",
                lanes == 1 ? "0" : text("0 to ", lanes - 1));
  if (at.column + rowBytes() / 4 > kTensorColumns)
    return text("the copy writes columns ", at.column, " to ", at.column + rowBytes() / 4 - 1,
                " of tensor memory, which has ", kTensorColumns);
  return {};
}

void TmemCopy::chunks(uint64_t descriptor, std::vector<uint32_t> &out) const {
  chunksOf(SharedMatrix(*layouts::decode(descriptor), false), extentOf(*this), out);
}

std::vector<CellBox> TmemCopy::cells(uint32_t address) const {
  TensorAddress at(address);
  auto column = static_cast<uint16_t>(at.column), columns = static_cast<uint16_t>(rowBytes() / 4);
  if (shape != TmemCopyShape::L4x256b)
    return {{0, kTensorLanes, column, columns}};
  std::vector<CellBox> out;
  for (uint32_t row = 0; row < rows(); ++row)
    out.push_back({static_cast<uint16_t>(at.lane + row * kQuarter), 1, column, columns});
  return out;
}

void TmemCopy::run(uint32_t address, uint64_t descriptor, const SharedBytes &shared, TensorCells &tensor) const {
  uint8_t bytes[kMostRows * kMostRowBytes];
  readRows(SharedMatrix(*layouts::decode(descriptor), false), shared, extentOf(*this), bytes);
  TensorAddress at(address);
  for (uint32_t row = 0; row < rows(); ++row) {
    uint8_t *line = bytes + row * rowBytes();
    for (uint32_t byte = 0; byte < rowBytes(); byte += kPackedBytes)
      widenChunk(source, line + byte);
    Lanes lanes = lanesOf(shape, row);
    for (uint32_t n = 0; n < lanes.count; ++n)
      std::memcpy(&tensor.cells[at.lane + lanes.lane[n]][at.column], line, rowBytes());
  }
}

} // namespace lanescope::core::emulator
