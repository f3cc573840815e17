// tcgen05.mma as a pure function, against a naive product in binary64 that places operands by its own formulas: every
// kind, major, swizzle and data path. The values are such that no sum is rounded.
#include "core/gpu/emulator/tensor/TmemMma.h"
#include "layouts/support/Text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <random>

namespace lanescope::core::test {
namespace {

using namespace emulator;
using layouts::MatrixDescriptor;
using layouts::MatrixType;
using layouts::TmemMmaOpcode;
using layouts::TmemMmaShape;
using enum layouts::MatrixType;

constexpr uint32_t kBase = 1024, kBytes = 200 * 1024;
constexpr uint32_t kPlaceA = 1024, kPlaceB = 65536 + 1024; // shared addresses

//===------------------------------------ types -------------------------------------------------------------------===//

struct Format {
  int exponent, fraction, bias;
};
Format formatOf(MatrixType type) {
  switch (type) {
  case F16: return {5, 10, 15};
  case BF16: return {8, 7, 127};
  case TF32: return {8, 23, 127};
  case E4M3: return {4, 3, 7};
  case E5M2: return {5, 2, 15};
  case E3M2: return {3, 2, 3};
  case E2M3: return {2, 3, 1};
  default: return {2, 1, 1};
  }
}

double valueOf(MatrixType type, uint32_t code) {
  if (type == S8)
    return static_cast<int8_t>(code);
  if (type == U8)
    return static_cast<uint8_t>(code);
  auto [e, m, bias] = formatOf(type);
  uint32_t fraction = code & ((1u << m) - 1), exponent = code >> m & ((1u << e) - 1);
  double value = exponent ? std::ldexp(1.0 + std::ldexp(fraction, -m), static_cast<int>(exponent) - bias)
                          : std::ldexp(fraction, 1 - bias - m);
  return code >> (e + m) & 1 ? -value : value;
}

/// `whole`: -2, -1, 1 or 2; otherwise a few bits around 1. Integers may have any value.
uint32_t randomCode(MatrixType type, bool whole, std::mt19937 &random) {
  if (isInteger(type))
    return random() & 0xFF;
  auto [e, m, bias] = formatOf(type);
  uint32_t exponent = static_cast<uint32_t>(bias) + (whole ? random() % 2 : random() % 3 - 1);
  uint32_t top = static_cast<uint32_t>(std::min(m, 2));
  uint32_t fraction = whole ? 0 : (random() & ((1u << top) - 1)) << (static_cast<uint32_t>(m) - top);
  return (random() & 1) << (e + m) | exponent << m | fraction;
}

//===------------------------------------ one product -------------------------------------------------------------===//

struct Config {
  TmemMmaOpcode opcode;
  TmemMmaShape shape;
  int swizzleA = 128, swizzleB = 128;
  bool aInTensorMemory = false;
  bool wideAtoms = false;
  bool otherOrder = false;            // tiles follow one another in the other direction than usual
  int moreScaleA = 0, moreScaleB = 0; // added to the scales' exponents
};

struct Cta {
  std::vector<std::byte> shared = std::vector<std::byte>(kBytes);
  std::unique_ptr<TensorCells> tensor = std::make_unique<TensorCells>();
};

struct Cell {
  uint32_t lane, column;
};
/// D's cell of row `row` of a CTA ("Data Path Layout Organization").
Cell cellOf(const Config &c, uint32_t row, uint32_t n) {
  auto columns = static_cast<uint32_t>(c.shape.n);
  int64_t m = c.shape.m;
  if (m == 32)
    return {row + n / (columns / 4) * 32, n % (columns / 4)};
  if ((m == 64 && c.opcode.weightStationary) || (m == 128 && c.opcode.ctas == 2 && !c.opcode.sparse))
    return {row + n / (columns / 2) * 64, n % (columns / 2)};
  if (m == 64 || (m == 128 && c.opcode.ctas == 2))
    return {row / 16 * 32 + row % 16, n};
  return {row, n};
}
uint32_t repeats(const Config &c) { // copies of A and of the metadata; more than one if D's row is in several parts
  return c.shape.m == 32 ? 4 : cellOf(c, 0, static_cast<uint32_t>(c.shape.n) - 1).lane ? 2 : 1;
}

/// Offset of a byte of an operand in shared memory.
struct Placement {
  MatrixDescriptor descriptor;
  bool alongRows;

  uint32_t offset(uint32_t row, uint32_t k, uint32_t bytes) const {
    auto swizzle = static_cast<uint32_t>(descriptor.swizzle);
    uint32_t at;
    if (descriptor.wideAtoms) {
      uint32_t byte = row * bytes;
      at = byte / 128 * descriptor.leading + k / 4 * descriptor.stride + k % 4 * 128 + byte % 128;
      return at ^ (at / 128 % 4) * 32;
    }
    if (alongRows) {
      uint32_t byte = row * bytes;
      at = swizzle == 16
               ? byte / 16 * descriptor.stride + k / 8 * descriptor.leading + k % 8 * 16 + byte % 16
               : byte / swizzle * descriptor.leading + k / 8 * descriptor.stride + k % 8 * swizzle + byte % swizzle;
    } else {
      uint32_t byte = k; // within the row
      at = swizzle == 16 ? row / 8 * descriptor.stride + byte / 16 * descriptor.leading + row % 8 * 16 + byte % 16
                         : row / 8 * descriptor.stride + row % 8 * swizzle + byte;
    }
    return at ^ (at / 128 % (swizzle / 16)) * 16;
  }
};
Placement place(const Config &c, bool ofB, uint32_t rows, uint32_t k, uint32_t bytes) {
  bool along = ofB ? c.shape.transposeB : c.shape.transposeA;
  int swizzle = ofB ? c.swizzleB : c.swizzleA;
  MatrixDescriptor d{.start = ofB ? kPlaceB : kPlaceA, .swizzle = swizzle, .wideAtoms = along && c.wideAtoms};
  auto line = static_cast<uint32_t>(swizzle);
  if (!along) {
    d.stride = swizzle == 16 ? 128 : 8 * line;
    d.leading = swizzle == 16 ? rows / 8 * 128 + 256 : 0;
  } else if (swizzle == 16) {
    d.leading = 128;
    d.stride = k / 8 * 128 + 256;
  } else {
    d.stride = d.wideAtoms ? 512 : 8 * line;
    d.leading = k / 4 * d.stride + 1024;
  }
  if (c.otherOrder && !along)
    d.stride = 3 * 8 * line; // for three tiles along K
  else if (c.otherOrder) {
    d.leading = 8 * line;
    d.stride = (rows * bytes + line - 1) / line * d.leading;
  }
  return {d, along};
}

class Product {
public:
  Product(const Config &config, uint32_t seed, bool accumulate = true)
      : c(config), random(seed), ctas_(static_cast<uint32_t>(c.opcode.ctas)), m_(static_cast<uint32_t>(c.shape.m)),
        n_(static_cast<uint32_t>(c.shape.n)), k_(static_cast<uint32_t>(c.shape.k)), rows_(m_ / ctas_) {
    operands.accumulate = accumulate;
    operands.d = 64;
    operands.metadata = 400;
    operands.scaleA = 420;
    operands.scaleB = 460;
    auto bits = encode(c.opcode, c.shape);
    if (!bits) {
      ADD_FAILURE() << bits.error().message;
      return;
    }
    auto found = TmemMma::of(c.opcode, c.aInTensorMemory, *bits);
    if (!found) {
      ADD_FAILURE() << found.error();
      return;
    }
    mma = *found;
    elementBits_ = bitsOf(c.shape.a) == 4 && c.opcode.kind.starts_with("mxf4") ? 4 : std::max(8, bitsOf(c.shape.a));
    makeB();
    makeA();
    makeScales();
    makeD();
  }

  /// Empty if D's cells hold what the naive product gives.
  std::string run() {
    if (!mma)
      return "no instruction";
    if (std::string wrong = mma->problem(operands, kBase, kBytes); !wrong.empty())
      return wrong;
    TmemMmaMemory memory;
    for (uint32_t cta = 0; cta < ctas_; ++cta) {
      memory.shared[cta] = {ctaOf[cta].shared, kBase};
      memory.tensor[cta] = ctaOf[cta].tensor.get();
    }
    if (std::string wrong = mma->multiply(operands, memory); !wrong.empty())
      return wrong;
    for (uint32_t i = 0; i < m_; ++i)
      for (uint32_t j = 0; j < n_; ++j) {
        double expected = operands.accumulate ? std::ldexp(old_[i * n_ + j], -static_cast<int>(operands.shiftD)) : 0;
        for (uint32_t k = 0; k < k_; ++k)
          expected += a_[i * k_ + k] * b_[k * n_ + j] * (c.shape.negateA != c.shape.negateB ? -1 : 1);
        if (c.shape.saturate)
          expected = std::clamp(expected, -2147483648.0, 2147483647.0);
        Cell at = cellOf(c, i % rows_, j);
        uint32_t lane = at.lane + (operands.d >> 16), cta = i / rows_;
        if (operands.disabledLanes[cta * 4 + lane / 32] >> lane % 32 & 1)
          expected = old_[i * n_ + j];
        double got = sum(ctaOf[cta].tensor->cells[lane][at.column + (operands.d & 0xFFFF)]);
        if (got != expected)
          return text("D[", i, ", ", j, "] is ", std::to_string(got), ", not ", std::to_string(expected));
      }
    return {};
  }

  Config c;
  std::mt19937 random;
  TmemMmaOperands operands;
  std::shared_ptr<const TmemMma> mma;
  Cta ctaOf[2];

  void zeroColumn(uint32_t n) {
    for (uint32_t k = 0; k < k_; ++k)
      b_[k * n_ + n] = 0;
  }
  /// Moves row i + 1 of each CTA to row i.
  void shiftRows() {
    for (uint32_t i = 0; i < m_; ++i)
      if (i % rows_ + 1 < rows_)
        std::copy_n(&a_[(i + 1) * k_], k_, &a_[i * k_]);
  }

private:
  bool whole() const { return c.shape.d == F16; }

  void store(uint32_t cta, uint32_t at, uint32_t code, uint32_t bits) {
    auto *to = reinterpret_cast<uint8_t *>(ctaOf[cta].shared.data()) + (at - kBase);
    if (bits >= 8)
      std::memcpy(to, &code, bits / 8);
  }
  /// Reads element n of a row of bytes whose places `offset` gives. Types below 8 bits are packed in chunks of 16.
  template <class Offset>
  void storePacked(uint32_t cta, uint32_t start, uint32_t n, uint32_t code, MatrixType type, Offset offset) {
    auto bits = static_cast<uint32_t>(bitsOf(type));
    uint32_t bit = elementBits_ == 4 ? n * 4 : n / 16 * 128 + n % 16 * bits;
    for (uint32_t b = 0; b < bits; ++b, ++bit) {
      auto *to = reinterpret_cast<uint8_t *>(ctaOf[cta].shared.data()) + (start - kBase) + offset(bit / 8);
      *to = static_cast<uint8_t>(*to | (code >> b & 1) << bit % 8);
    }
  }
  /// Writes an element to shared memory; k counts stored elements.
  void storeElement(uint32_t cta, const Placement &p, uint32_t row, uint32_t k, uint32_t code, MatrixType type) {
    uint32_t bytes = static_cast<uint32_t>(elementBits_) / 8;
    if (p.alongRows)
      return store(cta, p.descriptor.start + p.offset(row, k, bytes), code, elementBits_);
    if (bitsOf(type) < 8)
      return storePacked(cta, p.descriptor.start, k, code, type, [&](uint32_t byte) { return p.offset(row, byte, 1); });
    store(cta, p.descriptor.start + p.offset(row, k * bytes, 1), code, elementBits_);
  }

  void makeB() {
    b_.resize(static_cast<size_t>(k_) * n_);
    uint32_t perCta = n_ / ctas_;
    Placement p = place(c, true, perCta + 64, k_, static_cast<uint32_t>(elementBits_) / 8);
    operands.b = encode(p.descriptor);
    for (uint32_t n = 0; n < n_; ++n)
      for (uint32_t k = 0; k < k_; ++k) {
        uint32_t code = randomCode(c.shape.b, whole(), random);
        b_[k * n_ + n] = valueOf(c.shape.b, code);
        storeElement(n / perCta, p, n % perCta, k, code, c.shape.b);
      }
  }

  void setBits(uint32_t cta, uint32_t lane, uint32_t column, uint32_t bit, uint32_t count, uint32_t value) {
    uint32_t &cell = ctaOf[cta].tensor->cells[lane][column + bit / 32];
    uint32_t mask = ((1ull << count) - 1) << bit % 32;
    cell = (cell & ~mask) | (value << bit % 32 & mask);
  }

  /// Chooses which elements of each group are stored, and writes the metadata as the ISA's figures show it.
  void makeA() {
    a_.assign(static_cast<size_t>(m_) * k_, 0);
    uint32_t stored = c.opcode.sparse ? k_ / 2 : k_;
    Placement p = place(c, false, rows_, stored, static_cast<uint32_t>(elementBits_) / 8);
    operands.a = c.aInTensorMemory ? 320 : encode(p.descriptor);
    for (uint32_t i = 0; i < m_; ++i) {
      std::vector<uint32_t> to(stored);
      for (uint32_t n = 0; n < stored; ++n)
        to[n] = n;
      if (c.opcode.sparse)
        chooseElements(i, to);
      for (uint32_t n = 0; n < stored; ++n) {
        uint32_t code = randomCode(c.shape.a, whole(), random);
        a_[i * k_ + to[n]] = valueOf(c.shape.a, code);
        if (!c.aInTensorMemory) {
          storeElement(i / rows_, p, i % rows_, n, code, c.shape.a);
          continue;
        }
        int bits = bitsOf(c.shape.a);
        uint32_t container = elementBits_ == 8 && bits == 4 ? code << 2 : code;
        for (uint32_t repeat = 0; repeat < repeats(c); ++repeat) {
          uint32_t lane = cellOf(c, i % rows_, repeat * n_ / repeats(c)).lane;
          setBits(i / rows_, lane, 320, n * static_cast<uint32_t>(elementBits_), static_cast<uint32_t>(elementBits_),
                  container);
        }
      }
    }
  }

  void chooseElements(uint32_t i, std::vector<uint32_t> &to) {
    static constexpr uint32_t kPairs[] = {0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110};
    uint32_t cta = i / rows_, row = i % rows_, fields = elementBits_ == 4 ? k_ / 4 : k_ / 2;
    uint32_t bits = c.shape.a == TF32 ? 4 : 2;
    for (uint32_t f = 0; f < fields; f += bits == 4 ? 1 : 2) {
      uint32_t index = bits == 4 ? (random() % 2 ? 0b1110 : 0b0100) : kPairs[random() % 6];
      if (bits == 4) {
        to[f] = f * 2 + (index == 0b1110);
      } else {
        for (uint32_t half = 0; half < 2; ++half)
          for (uint32_t wide = elementBits_ == 4 ? 2 : 1, w = 0; w < wide; ++w)
            to[(f + half) * wide + w] = (f / 2 * 4 + (index >> 2 * half & 3)) * wide + w;
      }
      for (uint32_t repeat = 0; repeat < repeats(c); ++repeat) {
        uint32_t lane = cellOf(c, row, repeat * n_ / repeats(c)).lane;
        uint32_t at = operands.metadata + static_cast<uint32_t>(c.shape.sparsitySelector);
        if (elementBits_ >= 16) { // rows 0 to 7 and 8 to 15 share cells; each eight lanes hold half of the fields
          uint32_t half = f / (fields / 2), eight = lane % 16 / 8;
          setBits(cta, lane / 16 * 16 + half * 8 + lane % 8, at, eight * 16 + f % (fields / 2) * bits, 4, index);
        } else {
          setBits(cta, lane, at, f * bits, 4, index);
        }
      }
    }
  }

  void makeScales() {
    if (!c.opcode.kind.starts_with("mx"))
      return;
    int count = layouts::rowOf(c.opcode, c.shape)->scales->count;
    auto scale = [&](bool ofB, uint32_t ctaCount, uint32_t vectors, int id, auto multiply) {
      for (uint32_t v = 0; v < vectors; ++v)
        for (int s = 0; s < count; ++s)
          for (uint32_t cta = 0; cta < ctaCount; ++cta) {
            // B's scales are the same in both CTAs.
            if (ofB && cta > 0)
              continue;
            static constexpr uint8_t kOnes[] = {0x38, 0x3C, 0x40, 0x34, 0x39};
            auto exponent = static_cast<int>(126 + random() % 3) + (ofB ? c.moreScaleB : c.moreScaleA);
            uint8_t code = c.shape.scale == UE8M0 ? static_cast<uint8_t>(exponent) : kOnes[random() % 5];
            double value = c.shape.scale == UE8M0 ? std::ldexp(1, code - 127) : valueOf(E4M3, code);
            multiply(cta, v, s, value);
            bool halves = ofB && c.shape.m == 128 && ctas_ == 2;
            uint32_t perHalf = vectors / 2, at = halves ? v % perHalf : v;
            uint32_t groups = id + count > 4 ? (vectors > 128 ? 8 : 4) : 0;
            uint32_t byte = static_cast<uint32_t>(id + s);
            for (uint32_t quarter = 0; quarter < 4; ++quarter) {
              if (halves && quarter / 2 != v / perHalf)
                continue;
              for (uint32_t target = ofB ? 0 : cta; target < (ofB ? ctaCount : cta + 1); ++target)
                setBits(target, quarter * 32 + at % 32,
                        (ofB ? operands.scaleB : operands.scaleA) + at / 32 + byte / 4 * groups, byte % 4 * 8, 8, code);
            }
          }
    };
    uint32_t block = k_ / static_cast<uint32_t>(count);
    scale(false, ctas_, rows_, c.shape.scaleIdA, [&](uint32_t cta, uint32_t v, int s, double value) {
      for (uint32_t k = 0; k < block; ++k)
        a_[(cta * rows_ + v) * k_ + static_cast<uint32_t>(s) * block + k] *= value;
    });
    scale(true, ctas_, n_, c.shape.scaleIdB, [&](uint32_t, uint32_t v, int s, double value) {
      for (uint32_t k = 0; k < block; ++k)
        b_[(static_cast<uint32_t>(s) * block + k) * n_ + v] *= value;
    });
  }

  double sum(uint32_t bits) const {
    if (c.shape.d == S32)
      return static_cast<int32_t>(bits);
    if (c.shape.d == F16)
      return valueOf(F16, bits & 0xFFFF);
    float value;
    std::memcpy(&value, &bits, 4);
    return static_cast<double>(value);
  }

  void makeD() {
    old_.resize(static_cast<size_t>(m_) * n_);
    for (uint32_t i = 0; i < m_; ++i)
      for (uint32_t j = 0; j < n_; ++j) {
        int value = static_cast<int>(random() % 64) - 32;
        if (c.shape.saturate)
          value = value > 0 ? 0x7FFFFF00 : static_cast<int>(0x80000100);
        old_[i * n_ + j] = value;
        uint32_t bits;
        float real = static_cast<float>(value);
        if (c.shape.d == S32)
          bits = static_cast<uint32_t>(value);
        else if (c.shape.d == F32)
          std::memcpy(&bits, &real, 4);
        else {
          int e = value ? std::ilogb(real) : 0;
          bits = value ? (value < 0 ? 0x8000u : 0) | static_cast<uint32_t>(e + 15) << 10 |
                             static_cast<uint32_t>(std::ldexp(std::abs(value), 10 - e)) % 1024
                       : 0;
          bits |= 0xABCD0000; // the bits above are arbitrary
        }
        Cell at = cellOf(c, i % rows_, j);
        ctaOf[i / rows_].tensor->cells[at.lane + (operands.d >> 16)][at.column + (operands.d & 0xFFFF)] = bits;
      }
  }

  uint32_t ctas_, m_, n_, k_, rows_;
  int elementBits_ = 0;
  std::vector<double> a_, b_, old_; // in row-major order
};

std::string described(const Config &c) {
  return text(c.opcode.kind, " m", c.shape.m, 'n', c.shape.n, 'k', c.shape.k, " ctas ", c.opcode.ctas,
              c.opcode.sparse ? " sparse" : "", c.opcode.weightStationary ? " ws" : "", ' ', ptxName(c.shape.d), ' ',
              ptxName(c.shape.a), ' ', ptxName(c.shape.b), c.shape.transposeA ? " tA" : "",
              c.shape.transposeB ? " tB" : "", " swizzles ", c.swizzleA, ' ', c.swizzleB,
              c.aInTensorMemory ? " A in tensor memory" : "");
}
void expectRight(const Config &config, uint32_t seed = 1, bool accumulate = true) {
  Product product(config, seed, accumulate);
  EXPECT_EQ(product.run(), "") << described(config);
}

struct Typed {
  std::string_view kind;
  MatrixType d, a, b;
  int64_t k;
};
const Typed kPlain[] = {
    {"f16", F32, F16, F16, 16},      {"f16", F16, F16, F16, 16},      {"f16", F32, BF16, BF16, 16},
    {"tf32", F32, TF32, TF32, 8},    {"f8f6f4", F32, E4M3, E5M2, 32}, {"f8f6f4", F16, E5M2, E4M3, 32},
    {"f8f6f4", F32, E3M2, E2M3, 32}, {"f8f6f4", F32, E2M1, E4M3, 32}, {"f8f6f4", F32, E4M3, E2M1, 32},
    {"i8", S32, S8, U8, 32},         {"i8", S32, U8, S8, 32}};
TmemMmaShape shaped(const Typed &t, int64_t m, int64_t n, bool sparse = false) {
  return {.d = t.d, .a = t.a, .b = t.b, .m = m, .n = n, .k = sparse ? 2 * t.k : t.k};
}

TEST(TmemMma, MajorsAndSwizzles) {
  for (const Typed &t : kPlain)
    for (bool transposeA : {false, true})
      for (bool transposeB : {false, true})
        for (int swizzle : {16, 32, 64, 128})
          for (int other : {16, 128}) {
            if ((transposeA && bitsOf(t.a) < 8) || (transposeB && bitsOf(t.b) < 8))
              continue;
            Config c{.opcode = {.kind = t.kind}, .shape = shaped(t, 128, 64), .swizzleA = swizzle, .swizzleB = other};
            c.shape.transposeA = transposeA;
            c.shape.transposeB = transposeB;
            if (t.a == TF32 && (transposeA || transposeB)) {
              if (swizzle != 128 || other != 128)
                continue;
              c.wideAtoms = true;
            }
            expectRight(c);
            std::swap(c.swizzleA, c.swizzleB);
            expectRight(c, 2);
          }
}

// inventory: TC mma_transposed_tiles (from a snippet, whose transforms store tiles row by row)
TEST(TmemMma, TilesInEitherOrder) {
  for (bool transposeA : {false, true})
    for (bool transposeB : {false, true})
      for (int64_t n : {128, 256})
        for (int swizzle : {32, 64, 128}) {
          Config c{.opcode = {.kind = "f16"},
                   .shape = shaped({"f16", F32, F16, F16, 16}, 128, n),
                   .swizzleA = swizzle,
                   .swizzleB = swizzle,
                   .otherOrder = true};
          c.shape.transposeA = transposeA;
          c.shape.transposeB = transposeB;
          expectRight(c);
        }
}

TEST(TmemMma, DataPaths) {
  struct Path {
    int ctas;
    bool ws;
    int64_t m, n;
  } paths[] = {{1, false, 128, 256}, {1, false, 64, 96}, {2, false, 256, 64}, {2, false, 128, 192},
               {1, true, 128, 64},   {1, true, 64, 128}, {1, true, 32, 128},  {1, false, 128, 16}};
  for (const Path &path : paths)
    for (const Typed &t : kPlain)
      for (bool sparse : {false, true})
        for (bool inTensorMemory : {false, true}) {
          Config c{.opcode = {.kind = t.kind, .ctas = path.ctas, .sparse = sparse, .weightStationary = path.ws},
                   .shape = shaped(t, path.m, path.n, sparse),
                   .aInTensorMemory = inTensorMemory};
          expectRight(c);
          if (sparse && bitsOf(t.a) >= 16) {
            c.shape.sparsitySelector = 1;
            expectRight(c, 3);
          }
        }
}

TEST(TmemMma, SparseOperandsAlongRows) {
  for (const Typed &t : {kPlain[0], kPlain[4], kPlain[9]}) {
    Config c{.opcode = {.kind = t.kind, .sparse = true}, .shape = shaped(t, 128, 64, true)};
    c.shape.transposeA = c.shape.transposeB = true;
    expectRight(c);
  }
}

TEST(TmemMma, LowerHalvesBeginAtLane16) {
  for (bool sparse : {false, true}) {
    Config c{.opcode = {.kind = "f16", .sparse = sparse}, .shape = shaped(kPlain[0], 64, 64, sparse)};
    Product product(c, 1);
    // The same operands, sixteen lanes further.
    TensorCells &cells = *product.ctaOf[0].tensor;
    for (uint32_t lane = 127; lane >= 16; --lane)
      std::memcpy(cells.cells[lane], cells.cells[lane - 16], sizeof cells.cells[0]);
    product.operands.d |= 16 << 16;
    EXPECT_EQ(product.mma->problem(product.operands, kBase, kBytes).empty(), !sparse);
    product.operands.metadata |= 16 << 16;
    EXPECT_EQ(product.run(), "");
  }
}

TEST(TmemMma, BlockScales) {
  std::vector<Config> all;
  auto add = [&](std::string_view kind, MatrixType a, MatrixType b, MatrixType scale, int count, int64_t k) {
    int step = count == 1 || count == 3 ? 1 : count == 2 || count == 6 ? 2 : 4;
    for (bool sparse : {false, true})
      for (int ctas : {1, 2})
        for (int64_t m : {128, 256})
          for (int64_t n : {32, 96, 128, 256}) {
            if ((ctas == 1 && m == 256) || (sparse && (ctas == 2 && m == 128)) || (k == 96 && (sparse || m == 128)))
              continue;
            Config c{.opcode = {.kind = kind, .ctas = ctas, .sparse = sparse},
                     .shape = {.a = a, .b = b, .m = m, .n = n, .k = sparse ? 2 * k : k, .scale = scale}};
            if (k == 96)
              c.opcode.scaleBlock = count == 6 ? 16 : 32;
            else
              c.opcode.scaleCount = count;
            c.shape.scaleIdA = static_cast<int>(n / 32) * step % 4;
            c.shape.scaleIdB = static_cast<int>(n / 32 + 1) * step % 4;
            all.push_back(c);
          }
  };
  add("mxf8f6f4", E4M3, E4M3, UE8M0, 1, 32);
  add("mxf8f6f4", E5M2, E2M1, UE8M0, 1, 32);
  add("mxf8f6f4", E2M3, E3M2, UE8M0, 1, 32);
  add("mxf4", E2M1, E2M1, UE8M0, 2, 64);
  add("mxf4nvf4", E2M1, E2M1, UE8M0, 2, 64);
  add("mxf4nvf4", E2M1, E2M1, UE8M0, 4, 64);
  add("mxf4nvf4", E2M1, E2M1, UE4M3, 4, 64);
  add("mxf4", E2M1, E2M1, UE8M0, 3, 96);
  add("mxf4nvf4", E2M1, E2M1, UE4M3, 6, 96);
  for (const Config &c : all)
    expectRight(c);
  Config inTensorMemory = all.front();
  inTensorMemory.aInTensorMemory = true;
  expectRight(inTensorMemory);
  for (int away : {-110, -70, 70, 110}) { // binary32 cannot hold values times scales
    Config far = all.front();
    far.moreScaleA = away;
    far.moreScaleB = -away;
    expectRight(far);
    far.opcode.sparse = true;
    far.shape.k *= 2;
    expectRight(far);
    far.shape.negateA = true;
    expectRight(far);
    far = {.opcode = {.kind = "mxf4nvf4", .scaleCount = 4}, .shape = all.front().shape};
    far.shape.a = far.shape.b = E2M1;
    far.shape.k = 64;
    far.shape.scaleIdA = far.shape.scaleIdB = 0;
    far.moreScaleA = away;
    far.moreScaleB = -away;
    expectRight(far);
  }
}

TEST(TmemMma, WithoutAccumulatorNegatedSaturated) {
  Config c{.opcode = {.kind = "f16"}, .shape = shaped(kPlain[0], 128, 32)};
  expectRight(c, 1, false);
  c.shape.negateA = true;
  expectRight(c);
  c.shape.negateB = true;
  expectRight(c);
  Config fours{.opcode = {.kind = "mxf4"}, .shape = {.a = E2M1, .b = E2M1, .m = 128, .n = 32, .k = 64}};
  fours.shape.negateB = true;
  expectRight(fours);
  expectRight(fours, 1, false);
  Config bytes{.opcode = {.kind = "i8"}, .shape = shaped(kPlain[9], 128, 32)};
  expectRight(bytes, 1, false);
  bytes.shape.saturate = true;
  expectRight(bytes);
}

TEST(TmemMma, ScalesItsInput) {
  for (const Typed &t : {kPlain[0], kPlain[1], kPlain[3]}) {
    Product product({.opcode = {.kind = t.kind}, .shape = shaped(t, 128, 32)}, 1);
    product.operands.shiftD = 2;
    EXPECT_EQ(product.run(), "");
  }
}

TEST(TmemMma, LeavesDisabledLanes) {
  for (const Typed &t : {kPlain[0], kPlain[9]})
    for (int ctas : {1, 2}) {
      Product product({.opcode = {.kind = t.kind, .ctas = ctas}, .shape = shaped(t, 128, 32)}, 1);
      for (uint32_t &word : product.operands.disabledLanes)
        word = static_cast<uint32_t>(product.random());
      EXPECT_EQ(product.run(), "");
    }
}

TEST(TmemMma, ShiftsRowsOfA) {
  Product product({.opcode = {.kind = "f16"}, .shape = shaped(kPlain[0], 128, 32), .aInTensorMemory = true}, 1);
  product.operands.shiftA = true;
  product.shiftRows();
  EXPECT_EQ(product.run(), "");
}

TEST(TmemMma, ZeroColumns) {
  // Skip 3, use 4 ("Zero-Column Mask Descriptor", examples 2 to 4).
  struct {
    uint32_t m;
    uint64_t descriptor;
    std::vector<std::string> masks; // lowest bit first
  } cases[] = {
      {128, 0x0003028000000000, {"00001110000111"}},
      {64, 0x0003028100000000, {"11100001110000111", "00001110000111"}},
      {32, 0x0003028300000000 | 0x01020100, {"11100001110000", "1100001110000", "001110000111", "0001110000111"}}};
  for (const auto &each : cases) {
    Product product({.opcode = {.kind = "f16", .weightStationary = true}, .shape = shaped(kPlain[0], each.m, 128)}, 1);
    product.operands.zeroColumns = each.descriptor;
    auto perPart = static_cast<uint32_t>(128 / each.masks.size());
    for (uint32_t part = 0; part < each.masks.size(); ++part)
      for (uint32_t n = 0; n < perPart; ++n) {
        // After the first seven columns the pattern repeats with period seven.
        const std::string &mask = each.masks[part];
        if (mask[n < 7 ? n : 7 + (n - 7) % 7 < mask.size() ? 7 + (n - 7) % 7 : n % 7] == '1')
          product.zeroColumn(part * perPart + n);
      }
    EXPECT_EQ(product.run(), "") << each.m;
  }
}

TEST(TmemMma, ShiftsColumnsOfB) {
  for (bool transpose : {false, true}) {
    Config c{.opcode = {.kind = "f16", .weightStationary = true}, .shape = shaped(kPlain[0], 64, 128)};
    c.shape.transposeB = transpose;
    Product whole(c, 1);
    // 64 columns from column 3 on.
    Product part({.opcode = c.opcode, .shape = shaped(kPlain[0], 64, 64)}, 1);
    TmemMmaShape shape = c.shape;
    shape.n = 64;
    auto mma = *TmemMma::of(c.opcode, false, *encode(c.opcode, shape));
    TmemMmaOperands operands = whole.operands;
    operands.zeroColumns = 3ull << 56;
    operands.accumulate = whole.operands.accumulate = false;
    ASSERT_EQ(mma->problem(operands, kBase, kBytes), "");
    TmemMmaMemory memory{.shared = {SharedBytes{whole.ctaOf[0].shared, kBase}}, .tensor = {part.ctaOf[0].tensor.get()}};
    ASSERT_EQ(mma->multiply(operands, memory), "");
    ASSERT_EQ(whole.run(), "");
    for (uint32_t row = 0; row < 64; ++row)
      for (uint32_t n = 0; n < 64; ++n) {
        Cell here = cellOf({.opcode = c.opcode, .shape = shape}, row, n), there = cellOf(c, row, n + 3);
        ASSERT_EQ(part.ctaOf[0].tensor->cells[here.lane][here.column + 64],
                  whole.ctaOf[0].tensor->cells[there.lane][there.column + 64]);
      }
  }
}

//===------------------------------------ footprints --------------------------------------------------------------===//

TEST(TmemMma, SaysWhatItTouches) {
  // Bytes that no chunk names do not matter. Cells that no box names do not matter either, and keep their values.
  for (const Config &c :
       {Config{.opcode = {.kind = "f16"}, .shape = shaped(kPlain[0], 64, 48), .swizzleA = 32},
        Config{.opcode = {.kind = "f8f6f4", .ctas = 2, .sparse = true},
               .shape = shaped(kPlain[4], 128, 64, true),
               .aInTensorMemory = true},
        Config{.opcode = {.kind = "mxf4", .ctas = 2}, .shape = {.a = E2M1, .b = E2M1, .m = 128, .n = 96, .k = 64}}}) {
    Product product(c, 1);
    std::vector<uint32_t> chunks;
    product.mma->chunksOfA(product.operands, chunks);
    product.mma->chunksOfB(product.operands, chunks);
    std::vector<bool> read(kBytes);
    for (uint32_t chunk : chunks)
      std::fill_n(read.begin() + (chunk - kBase), 16, true);
    TmemMmaCells cells = product.mma->cells(product.operands);
    bool named[kTensorLanes][kTensorColumns] = {};
    for (const auto *boxes : {&cells.d, &cells.a, &cells.metadata, &cells.scaleA, &cells.scaleB})
      for (const CellBox &box : *boxes)
        for (uint32_t lane = box.lane; lane < box.lane + box.lanes; ++lane)
          std::fill_n(named[lane] + box.column, box.columns, true);
    for (int cta = 0; cta < c.opcode.ctas; ++cta) {
      for (uint32_t n = 0; n < kBytes; ++n)
        if (!read[n])
          product.ctaOf[cta].shared[n] = std::byte{0x7E};
      for (uint32_t lane = 0; lane < kTensorLanes; ++lane)
        for (uint32_t column = 0; column < kTensorColumns; ++column)
          if (!named[lane][column])
            product.ctaOf[cta].tensor->cells[lane][column] = 0x7E7E7E7E;
    }
    EXPECT_EQ(product.run(), "") << described(c);
    for (uint32_t lane = 0; lane < kTensorLanes; ++lane)
      for (uint32_t column = 0; column < kTensorColumns; ++column)
        if (!named[lane][column])
          ASSERT_EQ(product.ctaOf[0].tensor->cells[lane][column], 0x7E7E7E7Eu);
  }
}

//===------------------------------------ faults ------------------------------------------------------------------===//

TEST(TmemMma, SaysWhatIsMisplaced) {
  Config c{.opcode = {.kind = "f16", .sparse = true}, .shape = shaped(kPlain[0], 128, 64, true)};
  Product product(c, 1);
  auto problem = [&](auto change) {
    TmemMmaOperands operands = product.operands;
    change(operands);
    return product.mma->problem(operands, kBase, kBytes);
  };
  EXPECT_EQ(problem([](auto &) {}), "");
  EXPECT_EQ(problem([](auto &o) { o.d = 5 << 16; }), "the address of D has lane 5, but the layout needs lane 0");
  EXPECT_EQ(problem([](auto &o) { o.d = 480; }), "D takes columns 480 to 543 of tensor memory, which has 512");
  EXPECT_EQ(problem([](auto &o) { o.metadata = 401; }), "the sparsity metadata begins at column 401; it must be even, "
                                                        "since the sparsity selector chooses that column or the next");
  EXPECT_EQ(problem([](auto &o) { o.b |= 1ull << 53; }), "the descriptor of B has bit 53 set, which is reserved");
  EXPECT_EQ(
      problem([](auto &o) { o.a = encode(MatrixDescriptor{.start = 1024 + 112, .stride = 1024, .swizzle = 128}); }),
      "the descriptor of A starts 112 bytes into a 128-byte line of its swizzle, so that its 32 bytes cross the "
      "end of the line");
  EXPECT_EQ(problem([](auto &o) { o.b = encode(MatrixDescriptor{.start = 1024, .stride = 256, .swizzle = 32}); }),
            "the descriptor of B has lines of 32 bytes, but the instruction takes 64 bytes of K");
  EXPECT_EQ(problem([](auto &o) { o.a = encode(MatrixDescriptor{.start = 203776, .stride = 1024, .swizzle = 128}); }),
            "the descriptor of A covers shared addresses 203776 to 220160, outside the block's 204800 bytes from 1024");
  EXPECT_EQ(
      problem([](auto &o) { o.a = encode(MatrixDescriptor{.start = 2048, .swizzle = 128, .wideAtoms = true}); }),
      "the descriptor of A has a swizzle of 32-byte atoms, which needs lines along M or N, but its lines run along "
      "K");
  EXPECT_EQ(problem([](auto &o) { o.shiftD = 16; }), "scale-input-d is 16; 0 to 15 are possible");
  EXPECT_EQ(problem([](auto &o) { o.shiftA = true; }), "`.ashift` needs A in tensor memory, with M = 128 or 256");
}

TEST(TmemMma, SaysWhatCellsHoldWrongly) {
  Config sparse{.opcode = {.kind = "i8", .sparse = true}, .shape = shaped(kPlain[9], 128, 64, true)};
  Product one(sparse, 1);
  one.ctaOf[0].tensor->cells[7][400] = 0;
  EXPECT_EQ(one.run(), "the sparsity metadata of row 7 of A, in lane 7, column 400, has the index 0b0000, which has no "
                       "meaning");
  Config scaled{.opcode = {.kind = "mxf4"}, .shape = {.a = E2M1, .b = E2M1, .m = 128, .n = 64, .k = 64}};
  Product two(scaled, 1);
  two.ctaOf[0].tensor->cells[35][421] ^= 1;
  EXPECT_EQ(two.run(),
            "scales of A must be the same in lane 3, column 421 and lane 35, column 421 of tensor memory, but "
            "differ");
}

TEST(TmemMma, IsNoInstruction) {
  auto none = [](const TmemMmaOpcode &opcode, bool inTensorMemory, uint32_t bits) {
    auto mma = TmemMma::of(opcode, inTensorMemory, bits);
    return mma ? "" : mma.error();
  };
  EXPECT_EQ(none({.kind = "f16"}, true, 0x08108010),
            "the instruction descriptor transposes A (bit 15), which is in tensor memory");
  EXPECT_EQ(none({.kind = "f16", .ctas = 2}, false, 0x04100010),
            "`tcgen05.mma` of `kind::f16` on two CTAs has M = 128 or 256, not 64");
  auto mma = TmemMma::of({.kind = "f16"}, false, 0x08100010);
  EXPECT_EQ((*mma)->name(), "m128n64k16 f16*f16+f32");
  EXPECT_EQ((*mma)->products(), 128u * 64 * 16);
  EXPECT_EQ(*TmemMma::of({.kind = "f16"}, false, 0x08100010), *mma);
}

} // namespace
} // namespace lanescope::core::test
