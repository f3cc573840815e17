// The arithmetic of one tcgen05.mma. Operands are gathered packed, widened, and multiplied in tiles. D is read and
// written in place.
#include "core/gpu/emulator/numbers/HalfArrays.h"
#include "core/gpu/emulator/numbers/NarrowFloat.h"
#include "core/gpu/emulator/tensor/ColumnCache.h"
#include "core/gpu/emulator/tensor/TmemInputs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kChunkBytes = 16;
constexpr uint32_t kMostDepth = 128; // for sparse 4-bit floats
/// Scales beyond 2^±60 are multiplied in binary64, because their products with values would leave the range of
/// binary32.
constexpr int kMostScale = 60;
constexpr uint32_t kGroup = 16; // 4-bit kinds add the products of this many stored elements exactly

/// Unpacks elements of a type of up to 8 bits, one byte each. Reads `count` / 16 padded chunks of 16 bytes, if the
/// operand is in shared memory ("Packing format used for matrix A and B by .kind::mxf8f6f4 in Shared Memory"). Reads
/// containers, if it is in tensor memory ("Packing format used for matrix A by .kind::mxf8f6f4 in Tensor Memory").
void unpack(MatrixType type, const uint8_t *bytes, uint32_t count, bool inTensorMemory, uint8_t *out) {
  int bits = bitsOf(type);
  if (bits == 8) {
    std::memcpy(out, bytes, count);
    return;
  }
  for (uint32_t n = 0; n < count; ++n) {
    if (inTensorMemory) {
      out[n] = bits == 4 ? bytes[n] >> 2 & 0xF : bytes[n] & 0x3F;
      continue;
    }
    const uint8_t *chunk = bytes + n / kChunkBytes * kChunkBytes;
    uint32_t at = n % kChunkBytes * static_cast<uint32_t>(bits);
    uint32_t word = chunk[at / 8] | static_cast<uint32_t>(chunk[at / 8 + 1]) << 8;
    out[n] = static_cast<uint8_t>(word >> at % 8 & ((1u << bits) - 1));
  }
}

/// Writes the values of one packed row.
void widenRow(MatrixType type, const uint8_t *bytes, uint32_t count, bool inTensorMemory, float *out) {
  if (bitsOf(type) > 8)
    return widen(type, bytes, count, out);
  uint8_t codes[kTensorDepth];
  unpack(type, bytes, count, inTensorMemory, codes);
  const std::array<float, 256> &values = valuesByCode(type);
  for (uint32_t n = 0; n < count; ++n)
    out[n] = values[codes[n]];
}

int exponentOf(MatrixType type, float value) {
  int least = type == MatrixType::E5M2 ? -14 : type == MatrixType::E4M3 ? -6 : type == MatrixType::E3M2 ? -2 : 0;
  return std::max(std::ilogb(value), least);
}

} // namespace

class TmemProduct {
public:
  TmemProduct(const TmemMma &mma, const TmemMmaOperands &operands, const TmemMmaMemory &memory)
      : mma_(mma), operands_(operands), memory_(memory), places_(*mma.places_),
        ctas_(static_cast<uint32_t>(mma.opcode_.ctas)), rows_(mma.rowsPerCta()),
        columns_(static_cast<uint32_t>(mma.shape_.n)), depth_(static_cast<uint32_t>(mma.shape_.k)),
        stored_(mma.opcode_.sparse ? depth_ / 2 : depth_), inputs_(mma, operands, memory),
        negative_(mma.shape_.negateA != mma.shape_.negateB) {}

  std::string run() {
    if (std::string wrong = inputs_.read(); !wrong.empty())
      return wrong;
    if (mma_.shape_.d == MatrixType::S32)
      addIntegers();
    else if (mma_.row_->elementBits() == 4)
      addFours();
    else
      for (uint32_t cta = 0; cta < ctas_; ++cta)
        addFloats(cta);
    return {};
  }

private:
  //===---------------------------------- D -----------------------------------------------------------------------===//

  bool disabled(uint32_t cta, uint32_t lane) const {
    return operands_.disabledLanes[cta * 4 + lane / 32] >> lane % 32 & 1;
  }
  uint32_t *result(uint32_t cta, uint32_t row, uint32_t column) const {
    const TmemPlace &place = *places_.d.at(row, column);
    TensorAddress at(operands_.d);
    return &memory_.tensor[cta]->cells[at.lane + place.lane][at.column + place.column];
  }
  bool writes(uint32_t cta, uint32_t row, uint32_t column) const {
    return !disabled(cta, TensorAddress(operands_.d).lane + places_.d.at(row, column)[0].lane);
  }

  /// Reads eight columns of D.
  void readSums(uint32_t cta, uint32_t row, uint32_t column, float *out) const {
    const uint32_t *from = result(cta, row, column);
    if (mma_.shape_.d == MatrixType::F32) {
      std::memcpy(out, from, kTileSide * sizeof(float));
    } else {
      uint16_t halves[kTileSide];
      for (uint32_t n = 0; n < kTileSide; ++n)
        halves[n] = static_cast<uint16_t>(from[n]);
      widenF16(halves, out, kTileSide);
    }
    if (operands_.shiftD) {
      float scale = powerOfTwo(-static_cast<int>(operands_.shiftD));
      for (uint32_t n = 0; n < kTileSide; ++n)
        out[n] *= scale;
    }
  }
  void writeSums(uint32_t cta, uint32_t row, uint32_t column, const float *sums) const {
    if (!writes(cta, row, column))
      return;
    uint32_t *to = result(cta, row, column);
    if (mma_.shape_.d == MatrixType::F32) {
      std::memcpy(to, sums, kTileSide * sizeof(float));
      return;
    }
    uint16_t halves[kTileSide];
    narrowF16(sums, halves, kTileSide);
    for (uint32_t n = 0; n < kTileSide; ++n)
      to[n] = halves[n];
  }

  //===---------------------------------- floats ------------------------------------------------------------------===//

  /// Writes the values of a row of A. A sparse row gets its zeros.
  void widenA(uint32_t cta, uint32_t row, float *out) const {
    const uint8_t *bytes = inputs_.rowOfA(cta, row);
    if (!mma_.opcode_.sparse)
      return widenRow(mma_.shape_.a, bytes, depth_, mma_.aInTensorMemory_, out);
    float packed[kTensorDepth];
    widenRow(mma_.shape_.a, bytes, stored_, mma_.aInTensorMemory_, packed);
    std::fill(out, out + depth_, 0.0f);
    const uint8_t *positions = inputs_.positions(cta, row);
    for (uint32_t n = 0; n < stored_; ++n)
      out[positions[n]] = packed[n];
  }
  void widenB(uint32_t column, float *out) const {
    widenRow(mma_.shape_.b, inputs_.columnOfB(column), depth_, false, out);
  }
  /// True if all scales of a CTA are small enough for binary32.
  static bool areSmall(const std::vector<ScaleFactor> &scales) {
    return std::ranges::all_of(
        scales, [](const ScaleFactor &scale) { return scale.nan || std::abs(scale.exponent) <= kMostScale; });
  }
  static void multiplyBy(const ScaleFactor &scale, uint32_t count, float *values) {
    float factor = scale.nan ? std::bit_cast<float>(kNanF32) : powerOfTwo(scale.exponent);
    for (uint32_t n = 0; n < count; ++n)
      values[n] *= factor;
  }
  static int16_t exponentOf(const ScaleFactor &scale) { return scale.nan ? int16_t{0} : scale.exponent; }

  void addFloats(uint32_t cta) {
    if (mma_.scaled() && !(areSmall(inputs_.scalesOfA(cta)) && areSmall(inputs_.scalesOfB(cta))))
      return addFarScaled(cta);
    const TensorColumns *prepared = prepareColumns(cta);
    TensorSum rule = TensorSum::ofTcgen05(mma_.shape_.d == MatrixType::F16);
    for (uint32_t first = 0; first < rows_; first += kTensorRows) {
      float left[kTensorRows * kTensorDepth];
      int16_t scales[kTensorRows];
      for (uint32_t row = 0; row < kTensorRows; ++row) {
        widenA(cta, first + row, left + row * depth_);
        if (mma_.scaled()) {
          multiplyBy(inputs_.scalesOfA(cta)[first + row], depth_, left + row * depth_);
          scales[row] = exponentOf(inputs_.scalesOfA(cta)[first + row]);
        }
      }
      if (negative_)
        for (uint32_t n = 0; n < kTensorRows * depth_; ++n)
          left[n] = -left[n];
      TensorRows rows(mma_.shape_.a, left, depth_, mma_.scaled() ? scales : nullptr);
      for (uint32_t column = 0; column < columns_; column += kTileSide)
        for (uint32_t half = 0; half < 2; ++half) {
          float sums[kTileSide * kTileSide] = {};
          uint32_t top = first + half * kTileSide;
          if (operands_.accumulate)
            for (uint32_t row = 0; row < kTileSide; ++row)
              readSums(cta, top + row, column, sums + row * kTileSide);
          sumTile(rule, rows, half, prepared[column / kTileSide], 0, depth_, sums);
          for (uint32_t row = 0; row < kTileSide; ++row)
            writeSums(cta, top + row, column, sums + row * kTileSide);
        }
    }
  }

  /// Both CTAs usually hold the same scales of B, but nothing guarantees that.
  const TensorColumns *prepareColumns(uint32_t cta) {
    static thread_local ColumnCache cache;
    if (cta == 1 && (!mma_.scaled() || sameScalesOfB()))
      return prepared_;
    std::vector<uint8_t> key = inputs_.columnsOfB();
    std::vector<int16_t> exponents;
    if (mma_.scaled())
      for (const ScaleFactor &scale : inputs_.scalesOfB(cta)) {
        exponents.push_back(exponentOf(scale));
        key.push_back(static_cast<uint8_t>(scale.nan ? 255 : scale.exponent + 127));
      }
    auto widenEight = [&](uint32_t first, float *out) {
      for (uint32_t n = 0; n < kTileSide; ++n) {
        widenB(first + n, out + n * depth_);
        if (mma_.scaled())
          multiplyBy(inputs_.scalesOfB(cta)[first + n], depth_, out + n * depth_);
      }
    };
    auto place = static_cast<uint32_t>(operands_.b & 0x3FFF);
    return prepared_ = cache.find(mma_.shape_.b, columns_, depth_, key, place >> 1 ^ place >> 4, exponents, widenEight);
  }
  bool sameScalesOfB() const {
    return std::ranges::equal(inputs_.scalesOfB(0), inputs_.scalesOfB(1),
                              [](const ScaleFactor &one, const ScaleFactor &other) {
                                return one.nan == other.nan && one.exponent == other.exponent;
                              });
  }

  /// Applies the rule of TensorSum.h to scales of any size, one sum at a time.
  void addFarScaled(uint32_t cta) {
    std::vector<float> right(static_cast<size_t>(columns_) * depth_);
    for (uint32_t n = 0; n < columns_; ++n)
      widenB(n, right.data() + static_cast<size_t>(n) * depth_);
    for (uint32_t row = 0; row < rows_; ++row) {
      float left[kTensorDepth];
      widenA(cta, row, left);
      for (uint32_t column = 0; column < columns_; column += kTileSide) {
        float sums[kTileSide] = {};
        if (operands_.accumulate)
          readSums(cta, row, column, sums);
        for (uint32_t n = 0; n < kTileSide; ++n)
          sums[n] = farSum(left, right.data() + static_cast<size_t>(column + n) * depth_, inputs_.scalesOfA(cta)[row],
                           inputs_.scalesOfB(cta)[column + n], sums[n]);
        writeSums(cta, row, column, sums);
      }
    }
  }
  float farSum(const float *a, const float *b, const ScaleFactor &scaleA, const ScaleFactor &scaleB, float old) const {
    constexpr int kNone = -10000;
    int scale = scaleA.exponent + scaleB.exponent, largest = kNone;
    double exact = static_cast<double>(old); // for infinities and NaNs
    bool nan = scaleA.nan || scaleB.nan, special = !std::isfinite(old);
    for (uint32_t k = 0; k < depth_; ++k) {
      if (!std::isfinite(a[k]) || !std::isfinite(b[k]))
        special = true;
      else if (a[k] != 0 && b[k] != 0)
        largest = std::max(largest, emulator::exponentOf(mma_.shape_.a, a[k]) +
                                        emulator::exponentOf(mma_.shape_.b, b[k]) + scale);
      exact += static_cast<double>(a[k]) * static_cast<double>(b[k]) * (negative_ ? -1 : 1);
    }
    if (nan || std::isnan(exact))
      return std::bit_cast<float>(kNanF32);
    if (special)
      return static_cast<float>(exact);
    if (old != 0)
      largest = std::max(largest, std::max(std::ilogb(old), -126));
    if (largest == kNone)
      return 0;
    int unit = TensorSum::ofTcgen05(false).fraction - largest;
    double sum = std::trunc(std::ldexp(static_cast<double>(old), unit));
    for (uint32_t k = 0; k < depth_; ++k)
      sum += std::trunc(
          std::ldexp(static_cast<double>(a[k]) * static_cast<double>(b[k]) * (negative_ ? -1 : 1), scale + unit));
    double value = std::ldexp(sum, -unit);
    if (std::fabs(value) >= 0x1p128)
      return value < 0 ? -HUGE_VALF : HUGE_VALF;
    float rounded = toFloat(value, Rounding::Zero);
    return rounded == 0 ? 0.0f : rounded;
  }

  //===---------------------------------- 4-bit floats ------------------------------------------------------------===//

  /// Writes twice the value for each k of a row, including zeros that are not stored.
  void widenFours(const uint8_t *bytes, uint32_t count, const uint8_t *positions, int16_t *out) const {
    static constexpr int16_t kTwice[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
    if (positions)
      std::fill(out, out + depth_, int16_t{0});
    for (uint32_t n = 0; n < count; ++n)
      out[positions ? positions[n] : n] = kTwice[bytes[n / 2] >> (n % 2 * 4) & 0xF];
  }

  void addFours() {
    uint32_t group = mma_.opcode_.sparse ? 2 * kGroup : kGroup, groups = depth_ / group;
    auto scales = static_cast<uint32_t>(mma_.scales_.count), perScale = groups / scales;
    // B in blocks of eight columns. A block has eight elements for each k.
    std::vector<int16_t> right(static_cast<size_t>(columns_) * depth_);
    for (uint32_t n = 0; n < columns_; ++n) {
      int16_t line[kMostDepth];
      widenFours(inputs_.columnOfB(n), depth_, nullptr, line);
      int16_t *to = right.data() + static_cast<size_t>(n / kTileSide * kTileSide) * depth_ + n % kTileSide;
      for (uint32_t k = 0; k < depth_; ++k)
        to[k * kTileSide] = line[k];
    }
    for (uint32_t cta = 0; cta < ctas_; ++cta)
      for (uint32_t row = 0; row < rows_; ++row) {
        int16_t left[kMostDepth];
        widenFours(inputs_.rowOfA(cta, row), stored_, mma_.opcode_.sparse ? inputs_.positions(cta, row) : nullptr,
                   left);
        for (uint32_t column = 0; column < columns_; column += kTileSide) {
          const int16_t *eight = right.data() + static_cast<size_t>(column) * depth_;
          int16_t dots[8][kTileSide] = {};
          for (uint32_t g = 0; g < groups; ++g)
            for (uint32_t k = g * group; k < (g + 1) * group; ++k)
              for (uint32_t n = 0; n < kTileSide; ++n)
                dots[g][n] = static_cast<int16_t>(dots[g][n] + left[k] * eight[k * kTileSide + n]);
          float sums[kTileSide] = {};
          if (operands_.accumulate)
            readSums(cta, row, column, sums);
          for (uint32_t n = 0; n < kTileSide; ++n) {
            ScaledTerm terms[8];
            for (uint32_t g = 0; g < groups; ++g)
              terms[g] = {negative_ ? -dots[g][n] : dots[g][n], inputs_.scalesOfA(cta)[row * scales + g / perScale],
                          inputs_.scalesOfB(cta)[(column + n) * scales + g / perScale]};
            sums[n] = scaledSum({terms, groups}, sums[n]);
          }
          writeSums(cta, row, column, sums);
        }
      }
  }

  //===---------------------------------- integers ----------------------------------------------------------------===//

  static void widenBytes(MatrixType type, const uint8_t *bytes, uint32_t count, int16_t *out) {
    for (uint32_t n = 0; n < count; ++n)
      out[n] = type == MatrixType::S8 ? static_cast<int8_t>(bytes[n]) : bytes[n];
  }

  void addIntegers() {
    std::vector<int16_t> right(static_cast<size_t>(columns_) * depth_);
    for (uint32_t n = 0; n < columns_; ++n)
      widenBytes(mma_.shape_.b, inputs_.columnOfB(n), depth_, right.data() + static_cast<size_t>(n) * depth_);
    for (uint32_t cta = 0; cta < ctas_; ++cta)
      for (uint32_t row = 0; row < rows_; ++row) {
        int16_t packed[kTensorDepth], spread[kTensorDepth] = {};
        widenBytes(mma_.shape_.a, inputs_.rowOfA(cta, row), stored_, packed);
        const int16_t *left = packed;
        if (mma_.opcode_.sparse) {
          const uint8_t *positions = inputs_.positions(cta, row);
          for (uint32_t n = 0; n < stored_; ++n)
            spread[positions[n]] = packed[n];
          left = spread;
        }
        for (uint32_t column = 0; column < columns_; column += kTileSide) {
          if (!writes(cta, row, column))
            continue;
          uint32_t *to = result(cta, row, column);
          for (uint32_t n = 0; n < kTileSide; ++n)
            to[n] = sumOf(left, right.data() + static_cast<size_t>(column + n) * depth_, to[n]);
        }
      }
  }
  uint32_t sumOf(const int16_t *a, const int16_t *b, uint32_t old) const {
    int32_t part = 0;
    for (uint32_t k = 0; k < depth_; ++k)
      part += a[k] * b[k];
    int64_t sum = part + (operands_.accumulate ? int64_t{static_cast<int32_t>(old)} : 0);
    if (mma_.shape_.saturate)
      sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
    return static_cast<uint32_t>(sum);
  }

  const TmemMma &mma_;
  const TmemMmaOperands &operands_;
  const TmemMmaMemory &memory_;
  const TmemPlaces &places_;
  const uint32_t ctas_, rows_, columns_, depth_, stored_;
  TmemInputs inputs_;
  const bool negative_;
  const TensorColumns *prepared_ = nullptr;
};

std::string TmemMma::multiply(const TmemMmaOperands &operands, const TmemMmaMemory &memory) const {
  return TmemProduct(*this, operands, memory).run();
}

} // namespace lanescope::core::emulator
