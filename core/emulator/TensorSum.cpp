#include "core/emulator/TensorSum.h"

#include "core/emulator/NarrowFloat.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

// Two rows of a tile at a time: with AVX-512 one register, else two or four.
using Floats = float __attribute__((vector_size(64)));
using Ints = int32_t __attribute__((vector_size(64)));
using Shorts = int16_t __attribute__((vector_size(64))); // four rows
using EightFloats = float __attribute__((vector_size(32)));
using EightInts = int32_t __attribute__((vector_size(32)));
using TwoShorts = int16_t __attribute__((vector_size(32)));
using EightShorts = int16_t __attribute__((vector_size(16)));

constexpr int16_t kNone = -8000; // the exponent of zero
/// Products and scales between these exponents are exact in binary32.
constexpr int kLowestFloat = -100, kHighestFloat = 120;
constexpr int kMostFraction = 25;
constexpr int32_t kMagnitude = 0x7FFFFFFF, kInfinity = 0x7F800000;

int lowestExponent(MatrixType type) {
  switch (type) {
  case MatrixType::F16:
  case MatrixType::E5M2: return -14;
  case MatrixType::E4M3: return -6;
  default: return -126;
  }
}

bool isSpecial(float value) { return (std::bit_cast<int32_t>(value) & kInfinity) == kInfinity; }

/// The sum if infinities or NaNs are among its terms, `left` by 1, `right` by 8 elements; else `fresh`.
float specialSum(const float *left, const float *right, uint32_t begin, uint32_t end, float old, float fresh) {
  bool nan = old != old, up = isSpecial(old) && old > 0, down = isSpecial(old) && old < 0;
  for (uint32_t k = begin; k < end; ++k) {
    float a = left[k], b = right[k * kTileSide];
    if (!isSpecial(a) && !isSpecial(b))
      continue;
    nan |= a != a || b != b || a == 0 || b == 0;
    (std::signbit(a) != std::signbit(b) ? down : up) = true;
  }
  if (nan || (up && down))
    return std::bit_cast<float>(kNanF32);
  return up ? HUGE_VALF : down ? -HUGE_VALF : fresh;
}

template <class V, class T> [[gnu::always_inline]] inline void load(V &to, const T *from) {
  std::memcpy(&to, from, sizeof to);
}

/// Exponents of eight values at a time, and what is to be known of all.
struct Exponents {
  EightInts lowest = EightInts{} - 2 * kNone, highest = EightInts{} + 2 * kNone, special = {};
  int least;

  explicit Exponents(MatrixType type) : least(lowestExponent(type)) {}
  [[gnu::always_inline]] void take(const float *values, int16_t *out) {
    EightInts magnitude;
    load(magnitude, values);
    magnitude &= kMagnitude;
    EightInts e = (magnitude >> 23) - 127;
    e = e < least ? EightInts{} + least : e;
    EightInts none = (magnitude == 0) | (magnitude >= kInfinity);
    special |= magnitude >= kInfinity;
    EightInts lower = (none == 0) & (e < lowest);
    lowest = lower ? e : lowest;
    e = none ? EightInts{} + kNone : e;
    highest = e > highest ? e : highest;
    EightShorts narrow = __builtin_convertvector(e, EightShorts);
    std::memcpy(out, &narrow, sizeof narrow);
  }
  bool anySpecial() const {
    int32_t any = 0;
    for (int n = 0; n < 8; ++n)
      any |= special[n];
    return any != 0;
  }
  /// The extremes; zeros alone have the range of 1.
  void range(int &low, int &high) const {
    low = -2 * kNone;
    high = 2 * kNone;
    for (int n = 0; n < 8; ++n) {
      low = std::min(low, lowest[n]);
      high = std::max(high, highest[n]);
    }
    if (high == kNone)
      low = high = 0;
  }
};

} // namespace

/// Sums of 8 x 8 accumulators.
struct TileSum {
  static constexpr uint32_t kPairs = kTileSide / 2; // of rows
  const TensorSum &rule;
  const TensorRows &rows;
  const TensorColumns &columns;
  uint32_t first, begin, end; // row of A; k
  const float *right;         // finite
  float *sums;

  TileSum(const TensorSum &rule, const TensorRows &rows, uint32_t half, const TensorColumns &columns, uint32_t begin,
          uint32_t end, float *sums)
      : rule(rule), rows(rows), columns(columns), first(half * kTileSide), begin(begin), end(end), right(columns.given),
        sums(sums) {}

  /// The accumulators of two rows as integers.
  struct Old {
    Ints exponent, significand, sign;
  };

  [[gnu::always_inline]] void readOld(uint32_t pair, Old &old) const {
    Ints bits;
    load(bits, sums + pair * 2 * kTileSide);
    Ints field = (bits & kMagnitude) >> 23, normal = field != 0;
    old.sign = bits >> 31;
    old.significand = (bits & 0x7FFFFF) | (normal & 0x800000);
    old.exponent = field - 126 + normal; // that of subnormals is -126
  }

  /// The largest exponents of the products, two rows at a time.
  [[gnu::always_inline]] void exponents(Ints *largest) const {
    Shorts most[2] = {Shorts{} + 2 * kNone, Shorts{} + 2 * kNone};
    for (size_t k = begin; k < end; ++k) {
      EightShorts b;
      load(b, columns.exponents[k]);
      Shorts right = __builtin_shufflevector(b, b, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6,
                                             7, 0, 1, 2, 3, 4, 5, 6, 7);
      for (uint32_t n = 0; n < 2; ++n) {
        Shorts a;
        load(a, rows.exponents[first / 4 + n][k]);
        a += right;
        most[n] = a > most[n] ? a : most[n];
      }
    }
    for (uint32_t pair = 0; pair < kPairs; ++pair) {
      TwoShorts two;
      std::memcpy(&two, reinterpret_cast<const char *>(most) + pair * sizeof two, sizeof two);
      largest[pair] = __builtin_convertvector(two, Ints);
    }
  }
  [[gnu::always_inline]] void include(const Old &old, Ints &largest) const {
    int least = rule.half ? -14 : -126;
    Ints e = old.exponent < least ? Ints{} + least : old.exponent;
    e = old.significand == 0 ? Ints{} + 2 * kNone : e;
    largest = e > largest ? e : largest;
  }

  /// The accumulators in units of 2^(largest - fraction).
  [[gnu::always_inline]] void cut(const Old &old, const Ints &largest, Ints &part) const {
    Ints shift = largest - old.exponent + (kMostFraction - rule.fraction);
    shift = shift > 31 ? Ints{} + 31 : shift;
    part = (old.significand << 2) >> shift;
    part = (part ^ old.sign) - old.sign;
  }

  /// Products in units of 2^(largest - fraction), cut and added.
  template <uint32_t Pairs>
  [[gnu::always_inline]] void addProducts(uint32_t pair, const Ints *largest, Ints *sum) const {
    Floats scale[Pairs];
    Ints total[Pairs] = {};
    for (uint32_t p = 0; p < Pairs; ++p)
      scale[p] = reinterpret_cast<Floats>((rule.fraction + 127 - largest[p]) << 23);
    const float (*a)[kTensorDepth][2 * kTileSide] = rows.values + first / 2 + pair;
    for (size_t k = begin; k < end; ++k) {
      EightFloats eight;
      load(eight, right + k * kTileSide);
      Floats b = __builtin_shufflevector(eight, eight, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
      for (uint32_t p = 0; p < Pairs; ++p) {
        Floats one;
        load(one, a[p][k]);
        total[p] += __builtin_convertvector(one * b * scale[p], Ints);
      }
    }
    for (uint32_t p = 0; p < Pairs; ++p)
      sum[p] = total[p];
  }

  /// All products are exact in binary32. False if some result needs more: nothing is written then. `Pairs`: how many
  /// pairs of rows fit in registers.
  template <uint32_t Pairs> [[gnu::always_inline]] bool runInFloats() const {
    Ints largest[kPairs], sum[kPairs], odd = {};
    Old old[kPairs];
    exponents(largest);
    for (uint32_t p = 0; p < kPairs; ++p) {
      readOld(p, old[p]);
      include(old[p], largest[p]);
      // A lone accumulator that is small; sums without terms have any exponent.
      odd |= (largest[p] < kLowestFloat) & (old[p].significand != 0);
      largest[p] = largest[p] < kLowestFloat ? Ints{} + kLowestFloat : largest[p];
    }
    for (uint32_t p = 0; p < kPairs; p += Pairs)
      addProducts<Pairs>(p, largest + p, sum + p);
    for (uint32_t p = 0; p < kPairs; ++p) {
      Ints part;
      cut(old[p], largest[p], part);
      Ints total = sum[p] + part;
      odd |= ((sum[p] ^ total) & (part ^ total) & INT32_MIN) | (total == INT32_MIN); // beyond 32 bits
      Ints sign = total >> 31, magnitude = (total ^ sign) - sign;
      // Towards zero: without the highest of the bits that are lost, nearest is down.
      Ints kept = magnitude & ~(magnitude >> 24);
      Ints bits = reinterpret_cast<Ints>(__builtin_convertvector(kept, Floats));
      if (rule.narrow)
        bits &= ~0x3FF;
      if (rule.half) // to odd, so that the next rounding sees what was lost
        bits |= (__builtin_convertvector(reinterpret_cast<Floats>(bits), Ints) != magnitude) & 1;
      Floats scale = reinterpret_cast<Floats>((largest[p] + (127 - rule.fraction)) << 23);
      Floats value = reinterpret_cast<Floats>(bits) * scale;
      sum[p] = reinterpret_cast<Ints>(value) | (sign & INT32_MIN);
    }
    int32_t any = 0;
    for (uint32_t n = 0; n < 2 * kTileSide; ++n)
      any |= odd[n];
    if (any)
      return false;
    std::memcpy(sums, sum, sizeof sum);
    if (rule.half)
      for (uint32_t n = 0; n < kTileSide * kTileSide; ++n)
        sums[n] = positiveZero(widenF16(narrowF16(sums[n])));
    return true;
  }

  static float positiveZero(float value) { return value == 0 ? 0.0f : value; }

  /// Any exponents, in binary64.
  void runInDoubles() const {
    Ints largest[kPairs];
    exponents(largest);
    for (uint32_t pair = 0; pair < kPairs; ++pair) {
      Old old;
      Ints part;
      readOld(pair, old);
      include(old, largest[pair]);
      // No product is smaller; an accumulator of zero has nothing to shift.
      Ints &e = largest[pair];
      e = e < 3 * kLowestFloat ? Ints{} + 3 * kLowestFloat : e;
      old.exponent = old.significand == 0 ? e : old.exponent;
      cut(old, e, part);
      for (uint32_t n = 0; n < 2 * kTileSide; ++n) {
        const float *a = rows.finite + (first + pair * 2 + n / kTileSide) * rows.depth;
        double scale = std::ldexp(1.0, rule.fraction - e[n]), sum = part[n];
        for (uint32_t k = begin; k < end; ++k)
          sum +=
              std::trunc(static_cast<double>(a[k]) * static_cast<double>(right[k * kTileSide + n % kTileSide]) * scale);
        sums[pair * 2 * kTileSide + n] = rounded(sum / scale);
      }
    }
  }
  float rounded(double sum) const {
    if (rule.half)
      return positiveZero(widenF16(narrowF16(toFloatOdd(sum))));
    if (std::fabs(sum) >= 0x1p128)
      return sum < 0 ? -HUGE_VALF : HUGE_VALF;
    float value = toFloat(sum, Rounding::Zero);
    return positiveZero(rule.narrow ? std::bit_cast<float>(std::bit_cast<uint32_t>(value) & ~0x3FFu) : value);
  }

  template <uint32_t Pairs> [[gnu::always_inline]] void run() const {
    bool exact = rows.lowest + columns.lowest >= kLowestFloat && rows.highest + columns.highest <= kHighestFloat;
    if (!exact || !runInFloats<Pairs>())
      runInDoubles();
  }

  [[gnu::always_inline]] bool specialOld() const {
    int32_t any = 0;
    for (uint32_t n = 0; n < kTileSide * kTileSide; ++n)
      any |= (std::bit_cast<int32_t>(sums[n]) & kMagnitude) >= kInfinity;
    return any != 0;
  }

  /// What the other terms gave does not count where there are infinities and NaNs.
  template <uint32_t Pairs> void runWithSpecials() {
    float before[kTileSide * kTileSide], finite[kTensorDepth * kTileSide];
    std::memcpy(before, sums, sizeof before);
    for (uint32_t n = begin * kTileSide; n < end * kTileSide; ++n)
      finite[n] = isSpecial(columns.given[n]) ? 0 : columns.given[n];
    right = finite;
    for (uint32_t n = 0; n < kTileSide * kTileSide; ++n)
      sums[n] = isSpecial(sums[n]) ? 0 : sums[n];
    run<Pairs>();
    for (uint32_t r = 0; r < kTileSide; ++r)
      for (uint32_t c = 0; c < kTileSide; ++c) {
        float &sum = sums[r * kTileSide + c];
        sum = specialSum(rows.given + (first + r) * rows.depth, columns.given + c, begin, end,
                         before[r * kTileSide + c], sum);
      }
  }

  template <uint32_t Pairs> [[gnu::always_inline]] void start() {
    if (rows.special || columns.special || specialOld())
      runWithSpecials<Pairs>();
    else
      run<Pairs>();
  }

  [[gnu::always_inline]] static void prepare(TensorRows &rows, MatrixType type) {
    Exponents all(type);
    alignas(32) int16_t plain[kTensorRows * kTensorDepth];
    uint32_t depth = rows.depth, count = kTensorRows * depth;
    for (uint32_t n = 0; n < count; n += 8)
      all.take(rows.given + n, plain + n);
    all.range(rows.lowest, rows.highest);
    rows.finite = rows.given;
    if (all.anySpecial()) {
      for (uint32_t n = 0; n < count; ++n) {
        bool special = isSpecial(rows.given[n]);
        rows.special |= static_cast<uint32_t>(special) << n / depth;
        rows.replaced[n] = special ? 0 : rows.given[n];
      }
      rows.finite = rows.replaced;
    }
    for (uint32_t row = 0; row < kTensorRows; ++row)
      for (uint32_t k = 0; k < depth; ++k) {
        EightFloats value = EightFloats{} + rows.finite[row * depth + k];
        EightShorts exponent = EightShorts{} + plain[row * depth + k];
        std::memcpy(rows.values[row / 2][k] + row % 2 * kTileSide, &value, sizeof value);
        std::memcpy(rows.exponents[row / 4][k] + row % 4 * kTileSide, &exponent, sizeof exponent);
      }
  }

  [[gnu::always_inline]] static void prepare(TensorColumns &columns, MatrixType type) {
    Exponents all(type);
    for (uint32_t k = 0; k < columns.depth; ++k)
      all.take(columns.given + k * kTileSide, columns.exponents[k]);
    all.range(columns.lowest, columns.highest);
    columns.special = 0;
    for (int n = 0; n < 8; ++n)
      columns.special |= static_cast<uint32_t>(all.special[n] & 1) << n;
  }
};

namespace {

enum class Vectors { Plain, Avx2, Avx512 };

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
const Vectors kVectors = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                                 __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
                             ? Vectors::Avx512
                         : __builtin_cpu_supports("avx2") ? Vectors::Avx2
                                                          : Vectors::Plain;
AVX512 void startWidest(TileSum &tile) { tile.start<4>(); }
AVX2 void startWide(TileSum &tile) { tile.start<2>(); }
AVX2 void prepareWide(TensorRows &rows, MatrixType type) { TileSum::prepare(rows, type); }
AVX2 void prepareWide(TensorColumns &columns, MatrixType type) { TileSum::prepare(columns, type); }
#undef AVX2
#undef AVX512
#else
constexpr Vectors kVectors = Vectors::Plain;
#endif

} // namespace

TensorRows::TensorRows(MatrixType type, const float *given, uint32_t depth) : depth(depth), given(given) {
#if defined(__x86_64__)
  if (kVectors != Vectors::Plain) {
    prepareWide(*this, type);
    return;
  }
#endif
  TileSum::prepare(*this, type);
}

void TensorColumns::prepare(MatrixType type, const float *values, uint32_t count) {
  given = values;
  depth = count;
#if defined(__x86_64__)
  if (kVectors != Vectors::Plain)
    return prepareWide(*this, type);
#endif
  TileSum::prepare(*this, type);
}

void sumTile(const TensorSum &rule, const TensorRows &rows, uint32_t half, const TensorColumns &columns, uint32_t begin,
             uint32_t end, float *sums) {
  TileSum tile(rule, rows, half, columns, begin, end, sums);
#if defined(__x86_64__)
  if (kVectors == Vectors::Avx512)
    return startWidest(tile);
  if (kVectors == Vectors::Avx2)
    return startWide(tile);
#endif
  tile.start<1>();
}

} // namespace lanescope::core::emulator
