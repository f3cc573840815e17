#include "core/gpu/emulator/tensor/TmemInputs.h"

#include "core/gpu/emulator/tensor/ZeroColumns.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

std::string placeText(uint32_t address, const TmemPlace &place) {
  TensorAddress at(address);
  return text("lane ", at.lane + place.lane, ", column ", at.column + place.column);
}

std::string meaningless(uint32_t row, uint32_t index, const TmemPlace &place, uint32_t address) {
  std::string bits = "0b";
  for (int bit = 3; bit >= 0; --bit)
    bits += index >> bit & 1 ? '1' : '0';
  return text("the sparsity metadata of row ", row, " of A, in ", placeText(address, place), ", has the index ", bits,
              ", which has no meaning");
}

} // namespace

TmemInputs::TmemInputs(const TmemMma &mma, const TmemMmaOperands &operands, const TmemMmaMemory &memory)
    : mma_(mma), operands_(operands), memory_(memory), places_(*mma.places_),
      ctas_(static_cast<uint32_t>(mma.opcode_.ctas)), rows_(mma.rowsPerCta()),
      columns_(static_cast<uint32_t>(mma.shape_.n)),
      stored_(static_cast<uint32_t>(mma.opcode_.sparse ? mma.shape_.k / 2 : mma.shape_.k)),
      aRowBytes_(mma.extentOfA().rowBytes), bRowBytes_(mma.extentOfB(operands).rowBytes) {}

std::string TmemInputs::read() {
  readB();
  for (uint32_t cta = 0; cta < ctas_; ++cta) {
    if (std::string wrong = readA(cta); !wrong.empty())
      return wrong;
    if (mma_.opcode_.sparse)
      if (std::string wrong = readMetadata(cta); !wrong.empty())
        return wrong;
    if (mma_.scaled()) {
      if (std::string wrong = readScales(cta, places_.scaleA, operands_.scaleA, "A", scalesA_[cta]); !wrong.empty())
        return wrong;
      if (std::string wrong = readScales(cta, places_.scaleB, operands_.scaleB, "B", scalesB_[cta]); !wrong.empty())
        return wrong;
    }
  }
  return {};
}

void TmemInputs::readB() {
  OperandExtent extent = mma_.extentOfB(operands_);
  SharedMatrix matrix(*layouts::decode(operands_.b), mma_.shape_.transposeB);
  ZeroColumns zeros(operands_.zeroColumns);
  uint32_t shift = mma_.opcode_.weightStationary ? zeros.shift : 0;
  b_.resize(static_cast<size_t>(std::max(columns_, extent.rows) + shift) * bRowBytes_);
  if (ctas_ == 1) {
    readRows(matrix, memory_.shared[0], extent, b_.data());
    if (shift)
      std::memmove(b_.data(), b_.data() + static_cast<size_t>(shift) * bRowBytes_,
                   static_cast<size_t>(columns_) * bRowBytes_);
  } else {
    for (uint32_t cta = 0; cta < 2; ++cta)
      readRows(matrix, memory_.shared[cta], extent, b_.data() + static_cast<size_t>(cta * columns_ / 2) * bRowBytes_);
  }
  if (mma_.opcode_.weightStationary && zeros.some)
    for (uint32_t n = 0; n < columns_; ++n)
      if (zeros.isZero(n, static_cast<uint32_t>(mma_.shape_.m), columns_))
        std::memset(b_.data() + static_cast<size_t>(n) * bRowBytes_, 0, bRowBytes_);
  b_.resize(static_cast<size_t>(columns_) * bRowBytes_);
}

const uint32_t *TmemInputs::cell(uint32_t cta, uint32_t address, const TmemPlace &place) const {
  TensorAddress at(address);
  return &memory_.tensor[cta]->cells[at.lane + place.lane][at.column + place.column];
}

std::string TmemInputs::differ(std::string_view what, uint32_t cta, uint32_t address, const TmemPlace &one,
                               const TmemPlace &other) const {
  return text(what, " must be the same in ", placeText(address, one), " and ", placeText(address, other),
              " of tensor memory", ctas_ == 2 ? text(" (of the pair's ", cta ? "odd" : "even", " block)") : "",
              ", but differ");
}

std::string TmemInputs::readA(uint32_t cta) {
  std::vector<uint8_t> &out = a_[cta];
  out.resize(static_cast<size_t>(rows_) * aRowBytes_);
  if (!mma_.aInTensorMemory_) {
    readRows(SharedMatrix(*layouts::decode(operands_.a), mma_.shape_.transposeA), memory_.shared[cta], mma_.extentOfA(),
             out.data());
    return {};
  }
  auto address = static_cast<uint32_t>(operands_.a);
  for (uint32_t row = 0; row < rows_; ++row) {
    // With `.ashift`, the last row stays where it is.
    const TmemPlace *from = places_.a.at(operands_.shiftA ? std::min(row + 1, rows_ - 1) : row, 0);
    for (uint32_t copy = 1; copy < places_.a.copies; ++copy)
      if (std::memcmp(cell(cta, address, from[0]), cell(cta, address, from[copy]), aRowBytes_) != 0)
        return differ("rows of A", cta, address, from[0], from[copy]);
    std::memcpy(out.data() + static_cast<size_t>(row) * aRowBytes_, cell(cta, address, from[0]), aRowBytes_);
  }
  return {};
}

uint32_t TmemInputs::metadataField(uint32_t cta, uint32_t address, const TmemPlace &place) const {
  auto bits = static_cast<uint32_t>(places_.metadataBits);
  return *cell(cta, address, place) >> place.sub * bits & ((1u << bits) - 1);
}

/// Reads the k of each stored element (PTX ISA, "Sparse Matrices").
std::string TmemInputs::readMetadata(uint32_t cta) {
  uint32_t address = operands_.metadata + static_cast<uint32_t>(mma_.shape_.sparsitySelector);
  const TmemTable &table = places_.metadata;
  std::vector<uint8_t> &out = positions_[cta];
  out.resize(static_cast<size_t>(rows_) * stored_);
  uint32_t wide = mma_.row_->elementBits() == 4 ? 2 : 1; // elements per index
  for (uint32_t row = 0; row < rows_; ++row)
    for (uint32_t field = 0; field < table.columns; ++field) {
      const TmemPlace *from = table.at(row, field);
      uint32_t index = metadataField(cta, address, from[0]);
      for (uint32_t copy = 1; copy < table.copies; ++copy)
        if (metadataField(cta, address, from[copy]) != index)
          return differ("sparsity metadata", cta, address, from[0], from[copy]);
      uint8_t *to = out.data() + static_cast<size_t>(row) * stored_ + field * wide;
      if (places_.metadataBits == 4) { // the row stores one of every two elements
        if (index != 0b0100 && index != 0b1110)
          return meaningless(row, index, from[0], address);
        *to = static_cast<uint8_t>(field * 2 + (index == 0b1110));
        continue;
      }
      if (field % 2 == 1) {
        uint32_t before = metadataField(cta, address, table.at(row, field - 1)[0]);
        if (before >= index && !(before == 2 && index == 1))
          return meaningless(row, index << 2 | before, from[0], address);
      }
      for (uint32_t n = 0; n < wide; ++n)
        to[n] = static_cast<uint8_t>((field / 2 * 4 + index) * wide + n);
    }
  return {};
}

std::string TmemInputs::readScales(uint32_t cta, const TmemTable &table, uint32_t address, std::string_view operand,
                                   std::vector<ScaleFactor> &out) const {
  out.resize(table.places.size() / table.copies);
  for (size_t n = 0; n < out.size(); ++n) {
    const TmemPlace *from = &table.places[n * table.copies];
    auto byte = [&](const TmemPlace &place) {
      return static_cast<uint8_t>(*cell(cta, address, place) >> place.sub * 8);
    };
    uint8_t code = byte(from[0]);
    for (uint32_t copy = 1; copy < table.copies; ++copy)
      if (byte(from[copy]) != code)
        return differ(text("scales of ", operand), cta, address, from[0], from[copy]);
    out[n] = ScaleFactor::of(mma_.shape_.scale, code);
  }
  return {};
}

} // namespace lanescope::core::emulator
