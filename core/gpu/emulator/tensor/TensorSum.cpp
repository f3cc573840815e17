#include "core/gpu/emulator/tensor/TensorSum.h"

#include "core/gpu/emulator/numbers/NarrowFloat.h"
#include "core/gpu/emulator/tensor/WholeProducts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#endif

namespace lanescope::core::emulator {

namespace {

// A vector for two rows of a tile: one register with AVX-512, otherwise two or four.
using Floats = float __attribute__((vector_size(64)));
using Ints = int32_t __attribute__((vector_size(64)));
using Words = uint32_t __attribute__((vector_size(64)));
using Shorts = int16_t __attribute__((vector_size(64))); // four rows
using EightFloats = float __attribute__((vector_size(32)));
using EightInts = int32_t __attribute__((vector_size(32)));
using TwoShorts = int16_t __attribute__((vector_size(32)));
using EightShorts = int16_t __attribute__((vector_size(16)));

constexpr int16_t kNone = -8000; // stands for the exponent of zero
/// Products and scales between these exponents are exact in binary32.
constexpr int kLowestFloat = -100, kHighestFloat = 120;
constexpr int kHighestUnit = 90; // 2^31 times a unit with this exponent is within binary32's range
constexpr int32_t kMagnitude = 0x7FFFFFFF, kInfinity = 0x7F800000, kFraction = 0x7FFFFF;

int lowestExponent(MatrixType type) {
  switch (type) {
  case MatrixType::F16:
  case MatrixType::E5M2: return -14;
  case MatrixType::E4M3: return -6;
  case MatrixType::E3M2: return -2;
  case MatrixType::E2M3:
  case MatrixType::E2M1: return 0;
  default: return -126;
  }
}

/// The smallest exponent of an accumulator.
int leastAccumulator(const TensorSum &rule) { return rule.half ? -14 : -126; }

bool isSpecial(float value) { return (std::bit_cast<int32_t>(value) & kInfinity) == kInfinity; }

/// The sum if any of its terms is an infinity or a NaN, otherwise `fresh`. Consecutive elements are adjacent in `left`,
/// and 8 elements apart in `right`.
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

[[gnu::always_inline]] inline bool anyNegative(const Ints &values) {
  Ints v = values < 0; // turns lanes into masks, so that a host with lane masks needs one test
  int32_t any = 0;
  for (uint32_t n = 0; n < sizeof v / sizeof any; ++n)
    any |= v[n];
  return any != 0;
}

constexpr uint32_t kPairs = kTileSide / 2; // pairs of rows of a tile

/// The exponents of eight values at a time, and the extremes over all values.
struct Exponents {
  EightInts lowest = EightInts{} - 2 * kNone, highest = EightInts{} + 2 * kNone, special = {}, fractions = {};
  EightInts least; // the smallest exponent that each of the next eight values may have

  explicit Exponents(MatrixType type) : least(EightInts{} + lowestExponent(type)) {}
  [[gnu::always_inline]] void take(const float *values, int16_t *out) {
    EightInts magnitude;
    load(magnitude, values);
    magnitude &= kMagnitude;
    EightInts e = (magnitude >> 23) - 127;
    EightInts none = (magnitude == 0) | (magnitude >= kInfinity);
    special |= magnitude >= kInfinity;
    fractions |= magnitude & kFraction;
    EightInts lower = (none == 0) & (e < lowest);
    lowest = lower ? e : lowest;
    e = e < least ? least : e;
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
  /// The extremes. If all values are zero, the range is that of the number 1.
  TensorRange range() const {
    int32_t low = -2 * kNone, high = 2 * kNone, all = 1 << 23;
    for (int n = 0; n < 8; ++n) {
      low = std::min(low, lowest[n]);
      high = std::max(high, highest[n]);
      all |= fractions[n];
    }
    if (high == kNone)
      low = high = 0;
    return {low, high, low - 23 + __builtin_ctz(static_cast<uint32_t>(all))};
  }
};

} // namespace

/// The sums of 8 x 8 accumulators.
struct TileSum {
  const TensorSum &rule;
  const TensorRows &rows;
  const TensorColumns &columns;
  uint32_t first, begin, end; // `first`: row of A; `begin`, `end`: k
  const float *right;         // without infinities and NaNs
  float *sums;

  TileSum(const TensorSum &rule, const TensorRows &rows, uint32_t half, const TensorColumns &columns, uint32_t begin,
          uint32_t end, float *sums)
      : rule(rule), rows(rows), columns(columns), first(half * kTileSide), begin(begin), end(end), right(columns.given),
        sums(sums) {}

  /// The largest exponents of the products, for two rows at a time.
  [[gnu::always_inline]] void exponents(Ints *largest) const {
    Shorts most[2] = {Shorts{} + 2 * kNone, Shorts{} + 2 * kNone};
    for (size_t k = begin; k < end; ++k) {
      EightShorts b;
      load(b, columns.exponents[k]);
      Shorts right = __builtin_shufflevector(b, b, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6,
                                             7, 0, 1, 2, 3, 4, 5, 6, 7);
      for (uint32_t n = 0; n < 2; ++n) {
        Shorts a;
        load(a, rows.exponents + ((first / 4 + n) * rows.depth + k) * (4 * kTileSide));
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
  int leastOld() const { return leastAccumulator(rule); }

  /// The values of a pair of rows, by k.
  const float *pairOf(uint32_t pair) const {
    return rows.values + static_cast<size_t>((first / 2 + pair) * rows.depth) * (2 * kTileSide);
  }

  /// Adds the products for from <= k < to. Each one is truncated to a multiple of 2^(largest - fraction), and the sum
  /// counts these units.
  template <uint32_t Pairs>
  [[gnu::always_inline]] void addProducts(uint32_t pair, uint32_t from, uint32_t to, const Floats *scales,
                                          Ints *sum) const {
    Floats scale[Pairs];
    Ints total[Pairs] = {};
    const float *a[Pairs];
    for (uint32_t p = 0; p < Pairs; ++p) {
      scale[p] = scales[p];
      a[p] = pairOf(pair + p);
    }
    for (size_t k = from; k < to; ++k) {
      EightFloats eight;
      load(eight, right + k * kTileSide);
      Floats b = __builtin_shufflevector(eight, eight, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
      for (uint32_t p = 0; p < Pairs; ++p) {
        Floats one;
        load(one, a[p] + k * (2 * kTileSide));
        total[p] += __builtin_convertvector(one * b * scale[p], Ints);
      }
    }
    for (uint32_t p = 0; p < Pairs; ++p)
      sum[p] = total[p];
  }

  /// Requires that all products are exact in binary32, and that oddOld() is false. Returns false and writes nothing if
  /// some result needs more than 32 bits. `Pairs`: how many pairs of rows fit in registers.
  template <uint32_t Pairs> [[gnu::always_inline]] bool runInFloats() const {
    Ints largest[kPairs], sum[kPairs], odd = {};
    Floats old[kPairs], scale[kPairs];
    exponents(largest);
    for (uint32_t p = 0; p < kPairs; ++p) {
      load(old[p], sums + p * 2 * kTileSide);
      Ints magnitude = reinterpret_cast<Ints>(old[p]) & kMagnitude, e = (magnitude >> 23) - 127;
      e = e < leastOld() ? Ints{} + leastOld() : e;
      e = magnitude == 0 ? Ints{} + 2 * kNone : e;
      e = e > largest[p] ? e : largest[p];
      e = e < kLowestFloat ? Ints{} + kLowestFloat : e; // for a sum without any term that is not zero
      scale[p] = reinterpret_cast<Floats>((rule.fraction + 127 - e) << 23);
    }
    // The sum of sixteen products fits into 32 bits, because each one is below 2^(fraction + 2).
    bool halved = end - begin > kTensorDepth / 4 && rule.fraction > 24;
    uint32_t middle = halved ? (begin + end) / 2 : end;
    for (uint32_t p = 0; p < kPairs; p += Pairs)
      addProducts<Pairs>(p, begin, middle, scale + p, sum + p);
    if (halved)
      for (uint32_t p = 0; p < kPairs; p += Pairs) {
        Ints other[Pairs];
        addProducts<Pairs>(p, middle, end, scale + p, other);
        for (uint32_t n = 0; n < Pairs; ++n) {
          Ints both = sum[p + n] + other[n];
          odd |= (sum[p + n] ^ both) & (other[n] ^ both);
          sum[p + n] = both;
        }
      }
    for (uint32_t p = 0; p < kPairs; ++p) {
      Ints part = __builtin_convertvector(old[p] * scale[p], Ints);
      Ints total = sum[p] + part;
      odd |= (sum[p] ^ total) & (part ^ total); // negative if the sum needs more than 32 bits
      Floats back = reinterpret_cast<Floats>((254 << 23) - reinterpret_cast<Ints>(scale[p])); // 1 / scale
      cut(total, back, sum[p]);
    }
    if (anyNegative(odd))
      return false;
    std::memcpy(sums, sum, sizeof sum);
    if (rule.half)
      roundToHalves();
    return true;
  }

  /// Truncates a sum in units of `unit` to an accumulator's bits. For f16, the sum is rounded to odd, so that the
  /// rounding that follows takes the lost bits into account.
  [[gnu::always_inline]] void cut(const Ints &total, const Floats &unit, Ints &out) const {
    Ints sign = total >> 31, magnitude = (total ^ sign) - sign;
    // Truncates towards zero: without the highest of the lost bits, rounding to nearest rounds down. (-2^31 does not
    // change.)
    Ints lost = reinterpret_cast<Ints>(reinterpret_cast<Words>(magnitude) >> 24);
    Ints bits = reinterpret_cast<Ints>(__builtin_convertvector(magnitude & ~lost, Floats));
    if (rule.narrow)
      bits &= ~0x3FF;
    if (rule.half)
      bits |= (__builtin_convertvector(reinterpret_cast<Floats>(bits), Ints) != magnitude) & 1;
    out = reinterpret_cast<Ints>(reinterpret_cast<Floats>(bits) * unit) | (sign & INT32_MIN);
  }

  /// True if products are exact in binary32.
  bool multipliesInFloats() const {
    return rows.range.lowest + columns.range.lowest >= kLowestFloat &&
           rows.range.highest + columns.range.highest <= kHighestFloat;
  }

  /// The path for terms that are all multiples of one unit, if no sum has to truncate any. This holds for numbers of
  /// similar magnitude and for small whole numbers. Adds 32-bit numbers. Returns false if the terms may be different.
  [[gnu::always_inline]] bool runInWholeNumbers() const {
    if (!rows.whole || !columns.whole || ((begin | end) & 1) ||
        !addsWhole(rule, rows.range, columns.range, end - begin))
      return false;
    int unit = rows.range.unit + columns.range.unit;
    Floats toUnits = Floats{} + std::bit_cast<float>((127 - unit) << 23),
           back = Floats{} + std::bit_cast<float>((127 + unit) << 23);
    float limit = static_cast<float>(2 << rule.fraction); // accumulators below this bound are added exactly
    Ints total[kPairs], odd = {};
    for (uint32_t p = 0; p < kPairs; ++p) {
      Floats old;
      load(old, sums + p * 2 * kTileSide);
      old *= toUnits;
      Ints inside = (old < limit) & (old > -limit);
      old = reinterpret_cast<Floats>(reinterpret_cast<Ints>(old) & inside);
      total[p] = __builtin_convertvector(old, Ints);
      odd |= ~inside | (__builtin_convertvector(total[p], Floats) != old);
    }
    if (anyNegative(odd))
      return false;
    addWholeProducts({rows.numbers + (first * rows.depth + 2 * begin) * kTileSide, size_t{rows.depth} * 2 * kTileSide},
                     columns.numbers + begin * kTileSide, (end - begin) / 2, reinterpret_cast<int32_t *>(total));
    for (uint32_t p = 0; p < kPairs; ++p)
      cut(total[p], back, total[p]);
    std::memcpy(sums, total, sizeof total);
    if (rule.half)
      roundToHalves();
    return true;
  }

  void roundToHalves() const {
    for (uint32_t n = 0; n < kTileSide * kTileSide; ++n)
      sums[n] = positiveZero(widenF16(narrowF16(sums[n])));
  }

  static float positiveZero(float value) { return value == 0 ? 0.0f : value; }

  /// The path for terms with any exponents. Computes in binary64.
  void runInDoubles() const {
    Ints largest[kPairs];
    exponents(largest);
    for (uint32_t n = 0; n < kTileSide * kTileSide; ++n) {
      // No product has a smaller exponent.
      int e = std::max(largest[n / (2 * kTileSide)][n % (2 * kTileSide)], 3 * kLowestFloat);
      double old = sums[n];
      if (old != 0)
        e = std::max(e, std::max(std::ilogb(old), leastOld()));
      const float *a = rows.finite + (first + n / kTileSide) * rows.depth;
      double scale = std::ldexp(1.0, rule.fraction - e), sum = std::trunc(old * scale);
      for (uint32_t k = begin; k < end; ++k)
        sum +=
            std::trunc(static_cast<double>(a[k]) * static_cast<double>(right[k * kTileSide + n % kTileSide]) * scale);
      sums[n] = rounded(sum / scale);
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

  /// True if an accumulator is an infinity, a NaN, or too small for runInFloats().
  [[gnu::always_inline]] bool oddOld() const {
    constexpr int32_t kSmallest = (127 + kLowestFloat) << 23;
    Ints odd = {};
    for (uint32_t p = 0; p < kPairs; ++p) {
      Ints magnitude;
      load(magnitude, sums + p * 2 * kTileSide);
      magnitude &= kMagnitude;
      odd |= (reinterpret_cast<Words>(magnitude - kSmallest) >= uint32_t{kInfinity - kSmallest}) & (magnitude != 0);
    }
    return anyNegative(odd);
  }

  /// specialSum() computes the sums that have infinities or NaNs among their terms. All other sums are computed with
  /// these values replaced.
  void runSlowly() {
    float before[kTileSide * kTileSide], finite[kTensorDepth * kTileSide];
    std::memcpy(before, sums, sizeof before);
    for (uint32_t n = begin * kTileSide; n < end * kTileSide; ++n)
      finite[n] = isSpecial(columns.given[n]) ? 0 : columns.given[n];
    right = finite;
    for (uint32_t n = 0; n < kTileSide * kTileSide; ++n)
      sums[n] = isSpecial(sums[n]) ? 0 : sums[n];
    runInDoubles();
    for (uint32_t n = 0; n < kTileSide * kTileSide; ++n)
      sums[n] = specialSum(rows.given + (first + n / kTileSide) * rows.depth, columns.given + n % kTileSide, begin, end,
                           before[n], sums[n]);
  }

  template <uint32_t Pairs> [[gnu::always_inline]] void start() {
    bool special = rows.special || columns.special;
    bool inFloats = multipliesInFloats();
    if (!special && inFloats && runInWholeNumbers()) // unusual accumulators are no whole numbers
      return;
    if (!rows.spread)
      spread(rows);
    if (special || oddOld())
      return runSlowly();
    if (!inFloats || !runInFloats<Pairs>())
      runInDoubles();
  }

  /// Does the work of sumFragments() for one fragment.
  template <uint32_t Pairs> [[gnu::always_inline]] void startFragment(bool accumulate, float *even, float *odd) {
    constexpr uint32_t kHalf = 2 * kTileSide; // half of a warp's lanes
    alignas(64) float room[kTileSide * kTileSide] = {};
    sums = room;
    for (uint32_t half = 0; half < 2 && accumulate; ++half) {
      Floats e, o;
      load(e, even + half * kHalf);
      load(o, odd + half * kHalf);
      Floats low = __builtin_shufflevector(e, o, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      Floats high = __builtin_shufflevector(e, o, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
      std::memcpy(sums + half * 2 * kHalf, &low, sizeof low);
      std::memcpy(sums + half * 2 * kHalf + kHalf, &high, sizeof high);
    }
    start<Pairs>();
    for (uint32_t half = 0; half < 2; ++half) {
      Floats low, high;
      load(low, sums + half * 2 * kHalf);
      load(high, sums + half * 2 * kHalf + kHalf);
      Floats e = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
      Floats o = __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
      std::memcpy(even + half * kHalf, &e, sizeof e);
      std::memcpy(odd + half * kHalf, &o, sizeof o);
    }
  }

  [[gnu::always_inline]] static void prepare(TensorRows &rows, MatrixType type, const int16_t *scales) {
    Exponents all(type);
    uint32_t depth = rows.depth, count = kTensorRows * depth;
    for (uint32_t row = 0; row < kTensorRows; ++row) {
      if (scales)
        all.least = EightInts{} + (lowestExponent(type) + scales[row]);
      for (uint32_t n = row * depth; n < (row + 1) * depth; n += 8)
        all.take(rows.given + n, rows.exponentOf + n);
    }
    rows.range = all.range();
    rows.finite = rows.given;
    if (all.anySpecial()) {
      for (uint32_t n = 0; n < count; ++n) {
        bool special = isSpecial(rows.given[n]);
        rows.special |= static_cast<uint32_t>(special) << n / depth;
        rows.replaced[n] = special ? 0 : rows.given[n];
      }
      rows.finite = rows.replaced;
    }
    rows.whole = !all.anySpecial() && rows.range.isWhole();
    if (!rows.whole)
      return;
    int16_t numbers[kTensorRows * kTensorDepth];
    for (uint32_t n = 0; n < count; n += kTileSide)
      wholeNumbers(rows.range, rows.given + n, numbers + n);
    for (uint32_t row = 0; row < kTensorRows; ++row)
      for (uint32_t k = 0; k < depth; k += 2) {
        int32_t pair;
        std::memcpy(&pair, numbers + row * depth + k, sizeof pair);
        EightInts all8 = EightInts{} + pair;
        std::memcpy(rows.numbers + ((row / 2 * depth + k) * 2 + row % 2 * 2) * kTileSide, &all8, sizeof all8);
      }
  }

  /// Converts eight values to units of the range.
  [[gnu::always_inline]] static void wholeNumbers(const TensorRange &range, const float *values, int16_t *out) {
    EightFloats eight;
    load(eight, values);
    eight *= std::bit_cast<float>((127 - range.unit) << 23);
    EightShorts narrow = __builtin_convertvector(__builtin_convertvector(eight, EightInts), EightShorts);
    std::memcpy(out, &narrow, sizeof narrow);
  }

  [[gnu::always_inline]] static void spread(const TensorRows &rows) {
    uint32_t depth = rows.depth;
    rows.spread = true;
    for (uint32_t row = 0; row < kTensorRows; ++row)
      for (uint32_t k = 0; k < depth; ++k) {
        EightFloats value = EightFloats{} + rows.finite[row * depth + k];
        EightShorts exponent = EightShorts{} + rows.exponentOf[row * depth + k];
        std::memcpy(rows.values + ((row / 2 * depth + k) * 2 + row % 2) * kTileSide, &value, sizeof value);
        std::memcpy(rows.exponents + ((row / 4 * depth + k) * 4 + row % 4) * kTileSide, &exponent, sizeof exponent);
      }
  }

  [[gnu::always_inline]] static void prepare(TensorColumns &columns, MatrixType type, const int16_t *scales) {
    Exponents all(type);
    for (uint32_t n = 0; n < kTileSide && scales; ++n)
      all.least[n] += scales[n];
    for (uint32_t k = 0; k < columns.depth; ++k)
      all.take(columns.given + k * kTileSide, columns.exponents[k]);
    columns.range = all.range();
    columns.special = 0;
    for (int n = 0; n < 8; ++n)
      columns.special |= static_cast<uint32_t>(all.special[n] & 1) << n;
    columns.whole = !all.anySpecial() && columns.range.isWhole() && columns.depth % 2 == 0;
    for (uint32_t k = 0; k < columns.depth && columns.whole; k += 2) {
      EightShorts pair[2];
      for (uint32_t n = 0; n < 2; ++n)
        wholeNumbers(columns.range, columns.given + (k + n) * kTileSide, reinterpret_cast<int16_t *>(pair + n));
      TwoShorts both = __builtin_shufflevector(pair[0], pair[1], 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
      std::memcpy(columns.numbers + k * kTileSide, &both, sizeof both);
    }
  }
};

namespace {

enum class Vectors { Plain, Avx2, Avx512 };

#if defined(__x86_64__)
const Vectors kVectors = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                                 __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
                             ? Vectors::Avx512
                         : __builtin_cpu_supports("avx2") ? Vectors::Avx2
                                                          : Vectors::Plain;
AVX512 void startWidest(TileSum &tile) { tile.start<4>(); }
AVX2 void startWide(TileSum &tile) { tile.start<2>(); }
AVX512 void startWidest(TileSum &tile, bool accumulate, float *even, float *odd) {
  tile.startFragment<4>(accumulate, even, odd);
}
AVX2 void startWide(TileSum &tile, bool accumulate, float *even, float *odd) {
  tile.startFragment<2>(accumulate, even, odd);
}
AVX2 void prepareWide(TensorRows &rows, MatrixType type, const int16_t *scales) {
  TileSum::prepare(rows, type, scales);
}
AVX2 void prepareWide(TensorColumns &columns, MatrixType type, const int16_t *scales) {
  TileSum::prepare(columns, type, scales);
}
#undef AVX2
#undef AVX512
#else
constexpr Vectors kVectors = Vectors::Plain;
#endif

} // namespace

TensorRange TensorRange::of(MatrixType type, uint32_t least, uint32_t most, uint32_t all) {
  if (most == 0)
    return {};
  int lowest = static_cast<int>(least >> 23) - 127, highest = static_cast<int>(most >> 23) - 127;
  all |= 1u << 23;
  return {lowest, std::max(highest, lowestExponent(type)), lowest - 23 + std::countr_zero(all)};
}

bool TensorRange::isWhole() const { return highest + 1 - unit <= 15 && std::abs(unit) <= -kLowestFloat; }

bool addsWhole(const TensorSum &rule, const TensorRange &a, const TensorRange &b, uint32_t depth) {
  int unit = a.unit + b.unit, highest = a.highest + b.highest, count = std::bit_width(depth);
  return highest - rule.fraction <= unit && highest + 2 + count - unit <= 30 &&
         leastAccumulator(rule) - rule.fraction <= unit && unit >= kLowestFloat && unit <= kHighestUnit;
}

TensorRows::TensorRows(MatrixType type, const float *given, uint32_t depth, const int16_t *scales)
    : depth(depth), given(given) {
#if defined(__x86_64__)
  if (kVectors != Vectors::Plain) {
    prepareWide(*this, type, scales);
    return;
  }
#endif
  TileSum::prepare(*this, type, scales);
}

void TensorColumns::prepare(MatrixType type, const float *values, uint32_t count, const int16_t *scales) {
  given = values;
  depth = count;
#if defined(__x86_64__)
  if (kVectors != Vectors::Plain)
    return prepareWide(*this, type, scales);
#endif
  TileSum::prepare(*this, type, scales);
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

void sumFragments(const TensorSum &rule, const TensorRows &rows, const TensorColumns *columns, uint32_t depth,
                  uint32_t tiles, bool accumulate, float *const *registers) {
  for (uint32_t t = 0; t < tiles; ++t) {
    TileSum tile(rule, rows, t % 2, columns[t / 2], 0, depth, nullptr);
    float *even = registers[2 * t], *odd = registers[2 * t + 1];
#if defined(__x86_64__)
    if (kVectors == Vectors::Avx512) {
      startWidest(tile, accumulate, even, odd);
      continue;
    }
    if (kVectors == Vectors::Avx2) {
      startWide(tile, accumulate, even, odd);
      continue;
    }
#endif
    tile.startFragment<1>(accumulate, even, odd);
  }
}

} // namespace lanescope::core::emulator
