// Consecutive sums of whole numbers, against the same steps one by one (TensorSum.h).
#include "core/gpu/emulator/tensor/WholeChain.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

namespace lanescope::core::emulator {
namespace {

constexpr uint32_t kLanes = 32, kRegisters = 4; // registers for eight columns

#if defined(__x86_64__)
const bool kHasAvx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
constexpr bool kHasAvx512 = false;
#endif

/// One warp's operands of several steps.
struct Chain {
  MatrixType type;
  uint32_t depth, columns;
  std::vector<std::vector<float>> left, right; // for each step: rows; columns one after another
  std::vector<float> sums;                     // register by register

  TensorSum rule() const { return TensorSum::ofWgmma(type, false); }
  std::vector<float *> registers(std::vector<float> &of) const {
    std::vector<float *> out;
    for (size_t at = 0; at < of.size(); at += kLanes)
      out.push_back(of.data() + at);
    return out;
  }
  std::vector<float> oneByOne(bool accumulate) const {
    std::vector<float> out = sums;
    std::vector<float *> places = registers(out);
    for (size_t s = 0; s < left.size(); ++s) {
      auto rows = std::make_unique<TensorRows>(type, left[s].data(), depth);
      std::vector<TensorColumns> prepared(columns / kTileSide);
      std::vector<float> turned(columns * depth); // k by k
      for (uint32_t n = 0; n < columns; ++n)
        for (uint32_t k = 0; k < depth; ++k)
          turned[n / kTileSide * kTileSide * depth + k * kTileSide + n % kTileSide] = right[s][n * depth + k];
      for (uint32_t n = 0; n < prepared.size(); ++n)
        prepared[n].prepare(type, turned.data() + n * kTileSide * depth, depth);
      sumFragments(rule(), *rows, prepared.data(), depth, columns / kTileSide * 2, accumulate || s > 0, places.data());
    }
    return out;
  }
};

struct Seen {
  int whole = 0, added = 0, refused = 0;
};

/// Compares all groups of columns, one and two at a time.
void expectSame(const Chain &chain, bool accumulate, bool byDepth, Seen &seen) {
  std::vector<ChainRows> rows(chain.left.size());
  std::vector<ChainColumns> columns(chain.left.size());
  std::vector<ChainStep> steps;
  for (size_t s = 0; s < chain.left.size(); ++s) {
    rows[s].prepare(chain.type, chain.left[s].data(), chain.depth);
    std::vector<float> values = chain.right[s];
    if (byDepth)
      for (uint32_t n = 0; n < chain.columns; ++n)
        for (uint32_t k = 0; k < chain.depth; ++k)
          values[n / kTileSide * kTileSide * chain.depth + k * kTileSide + n % kTileSide] =
              chain.right[s][n * chain.depth + k];
    columns[s].prepare(chain.type, values.data(), chain.columns, chain.depth, byDepth);
    steps.push_back({&rows[s], &columns[s], accumulate || s > 0});
  }
  if (!isWholeChain(chain.rule(), steps))
    return;
  ++seen.whole;
  std::vector<float> wanted = chain.oneByOne(accumulate);
  for (uint32_t group = 0, count = 1; group < chain.columns / kTileSide; group += count, count = 3 - count) {
    count = std::min(count, chain.columns / kTileSide - group);
    std::vector<float> out = chain.sums;
    std::vector<float *> places = chain.registers(out);
    bool added = addWholeChain(chain.rule(), steps, group, count, places.data() + group * kRegisters);
    ++(added ? seen.added : seen.refused);
    for (size_t n = 0; n < out.size(); ++n) {
      bool mine = n / (kRegisters * kLanes) >= group && n / (kRegisters * kLanes) < group + count;
      float expected = added && mine ? wanted[n] : chain.sums[n];
      ASSERT_EQ(std::bit_cast<uint32_t>(out[n]), std::bit_cast<uint32_t>(expected))
          << "register " << n / kLanes << ", lane " << n % kLanes << (added ? "" : ", refused");
    }
  }
}

TEST(WholeChain, IsItsStepsOneByOne) {
  struct Format {
    MatrixType type;
    uint32_t depth;
    int bits; // bits of a significand after its first
  };
  const Format formats[] = {{MatrixType::F16, 16, 10},
                            {MatrixType::BF16, 16, 7},
                            {MatrixType::TF32, 8, 10},
                            {MatrixType::E4M3, 32, 3},
                            {MatrixType::E5M2, 32, 2}};
  std::mt19937 random(11);
  Seen seen;
  for (const Format &format : formats)
    for (int round = 0; round < 96; ++round) {
      SCOPED_TRACE(testing::Message() << "type " << static_cast<int>(format.type) << ", round " << round);
      Chain chain{format.type, format.depth, static_cast<uint32_t>(8 + random() % 4 * 8), {}, {}, {}};
      size_t steps = 1 + random() % 5;
      int kind = round % 6;
      for (size_t s = 0; s < steps; ++s) {
        int shift = kind == 1 ? static_cast<int>(random() % 7) - 3 : 0; // each row or column has its own unit
        auto element = [&] {
          auto whole = static_cast<int>(random() % (2u << format.bits)) - (1 << format.bits);
          if (kind == 2) // few products, so that sums stay small
            whole = random() % 8 ? 0 : whole % 8;
          if (kind == 3) // equal magnitudes with all bits
            whole = (1 << format.bits | whole) | 1;
          return std::ldexp(static_cast<float>(whole), shift - (kind == 3 ? format.bits : 0));
        };
        std::vector<float> left(kTensorRows * chain.depth), right(chain.columns * chain.depth);
        for (float &value : left)
          value = element();
        for (float &value : right)
          value = element();
        chain.left.push_back(left);
        chain.right.push_back(right);
      }
      chain.sums.resize(chain.columns / kTileSide * kRegisters * kLanes);
      for (float &sum : chain.sums)
        sum = static_cast<float>(static_cast<int>(random() % 2001) - 1000);
      size_t odd = random() % chain.sums.size();
      if (kind == 4)
        chain.sums[odd] = round % 4 == 0   ? 0.37f
                          : round % 4 == 1 ? std::bit_cast<float>(0x7FC00000u)
                          : round % 4 == 2 ? -HUGE_VALF
                                           : 0x1p40f;
      if (kind == 5)
        chain.sums[odd] = round % 4 < 2 ? -0.0f : 0x1p-130f;
      expectSame(chain, round % 3 != 0, round % 2 != 0, seen);
      if (HasFatalFailure())
        return;
    }
  if (!kHasAvx512) {
    EXPECT_EQ(seen.whole, 0);
    GTEST_SKIP() << "this host has no AVX-512, and sums of tiles take the place (TensorSumTest.cpp)";
  }
  EXPECT_GT(seen.whole, 200);
  EXPECT_GT(seen.added, 200);
  EXPECT_GT(seen.refused, 20);
}

TEST(WholeChain, ValuesOfManyMagnitudesAreNone) {
  std::vector<float> values(kTensorRows * 16, 1.0f);
  ChainRows rows;
  rows.prepare(MatrixType::F16, values.data(), 16);
  EXPECT_EQ(rows.whole, kHasAvx512);
  values[5] = 0x1p-15f;
  rows.prepare(MatrixType::F16, values.data(), 16);
  EXPECT_FALSE(rows.whole);
  values[5] = HUGE_VALF;
  rows.prepare(MatrixType::F16, values.data(), 16);
  EXPECT_FALSE(rows.whole);
  values.assign(values.size(), 0.0f);
  rows.prepare(MatrixType::F16, values.data(), 16);
  EXPECT_EQ(rows.whole, kHasAvx512);
}

} // namespace
} // namespace lanescope::core::emulator
