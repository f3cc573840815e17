// Products of tcgen05 over sizes, swizzles and orders: a sample of the space, or all of it with LANESCOPE_FULL=1.
#include "tests/unit/compiler/TensorSupport.h"

#include "layouts/support/Text.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace lanescope::core::testing {
namespace {

using layouts::Dtype;

std::string textOf(const Product &p) {
  return text(layouts::name(p.dtype), " ", layouts::name(p.other), " -> ", layouts::name(p.sum), " ", p.m, "x", p.n,
              "x", p.k, " swizzles ", p.swizzleA, " ", p.swizzleB, p.transposeA ? " a^T" : "",
              p.transposeB ? " b^T" : "", p.leftInTensor ? " tmem" : "", p.accumulate ? " acc" : "",
              p.collective ? " pair" : "", p.sparse ? " sparse" : "",
              p.scale ? text(" scaled ", layouts::name(*p.scale), " ", p.block) : "");
}

/// True if the operands' tiles fit and the instruction has such a product.
bool isThere(const Product &p) {
  int bits = layouts::bitwidth(p.dtype), lanes = p.m == 64 && !p.collective ? 2 : 1;
  int64_t depth = p.sparse ? p.k / 2 : p.k, rowA = p.swizzleA * 8 / bits, rowB = p.swizzleB * 8 / bits;
  if ((p.leftInTensor ? 0 : p.transposeA ? p.m % rowA : depth % rowA) != 0 || (p.transposeB ? p.k : p.n) % rowB != 0)
    return false;
  if (!p.transposeB && p.n / lanes % rowB != 0)
    return false;
  if (p.leftInTensor && (p.m == 64 || p.transposeA))
    return false;
  if ((bits == 4 || bits == 32) && (p.transposeA || !p.transposeB))
    return false;
  int64_t unit = std::max(p.leftInTensor ? 0 : rowA * (p.sparse ? 2 : 1), rowB);
  if (p.sparse)
    unit = std::max<int64_t>(unit, 64);
  if (p.scale)
    unit = std::max<int64_t>(unit, 4 * p.block);
  if (p.k % unit != 0 || (p.sparse && p.transposeB && p.swizzleB == 32) || (p.sparse && 2 * p.k / 4 % 64 != 0))
    return false;
  constexpr int64_t kMostBytes = 200 * 1024, kMostColumns = 400; // leaves room for scales and metadata
  if ((p.m * depth + p.k * p.n) * bits / 8 > kMostBytes || (p.n > 256 && (p.leftInTensor || p.accumulate)) ||
      p.n * (p.collective ? 2 : 1) / lanes + (p.leftInTensor ? depth * bits / 32 : 0) > std::max(kMostColumns, p.n))
    return false;
  int64_t step = (p.collective ? 16 : 8) * (p.sum == Dtype::I32 ? 2 : 1) * lanes;
  if (p.sparse)
    step = p.collective && p.sum == Dtype::I32 ? 32 : 16;
  return p.n % step == 0 && (!p.collective || p.n <= 128) && !(p.m == 64 && p.sparse) &&
         !(p.m == 64 && p.scale && !p.collective) && (p.n <= 256 || !(p.scale || p.sparse)) &&
         (!p.scale || !p.leftInTensor || !p.sparse);
}

struct Types {
  Dtype a, b, sum;
  std::optional<Dtype> scale = std::nullopt;
  int64_t block = 32;
};

constexpr Types kTypes[] = {
    {Dtype::F16, Dtype::F16, Dtype::F32},
    {Dtype::BF16, Dtype::BF16, Dtype::F32},
    {Dtype::F16, Dtype::F16, Dtype::F16},
    {Dtype::F32, Dtype::F32, Dtype::F32},
    {Dtype::F8E4M3FN, Dtype::F8E5M2, Dtype::F32},
    {Dtype::F8E5M2, Dtype::F8E5M2, Dtype::F16},
    {Dtype::I8, Dtype::I8, Dtype::I32},
    {Dtype::U8, Dtype::U8, Dtype::I32},
    {Dtype::F8E4M3FN, Dtype::F8E4M3FN, Dtype::F32, Dtype::F8E8M0FNU},
    {Dtype::F4E2M1FN, Dtype::F4E2M1FN, Dtype::F32, Dtype::F8E8M0FNU},
    {Dtype::F4E2M1FN, Dtype::F4E2M1FN, Dtype::F32, Dtype::F8E8M0FNU, 16},
    {Dtype::F4E2M1FN, Dtype::F4E2M1FN, Dtype::F32, Dtype::F8E4M3FN, 16},
};

/// The types, whether two blocks compute the product, and whether it uses half of the lanes. Several processes may
/// share these parts.
class Tcgen05Space : public ::testing::TestWithParam<std::tuple<size_t, bool, bool>> {};

TEST_P(Tcgen05Space, ProductsAreRight) {
  auto [type, collective, half] = GetParam();
  const Types &each = kTypes[type];
  bool full = std::getenv("LANESCOPE_FULL") != nullptr;
  constexpr int kSample = 997; // one in this many runs
  int number = 0, run = 0;
  for (int64_t n : {8, 16, 32, 48, 64, 96, 128, 192, 256, 512})
    for (int64_t k : {64, 128, 256})
      for (int swizzleA : {32, 64, 128})
        for (int swizzleB : {32, 64, 128})
          for (int order = 0; order < 16; ++order)
            for (bool sparse : {false, true}) {
              Product p{.dtype = each.a,
                        .other = each.b,
                        .sum = each.sum,
                        .m = half ? 64 : 128,
                        .n = n,
                        .k = k,
                        .swizzleA = swizzleA,
                        .swizzleB = swizzleB};
              p.transposeA = order & 1, p.transposeB = order & 2;
              p.leftInTensor = order & 4, p.accumulate = order & 8;
              p.scale = each.scale, p.block = sparse ? 2 * each.block : each.block;
              p.sparse = sparse, p.collective = collective;
              bool f4Sparse = sparse && layouts::bitwidth(each.a) == 4, f32Sparse = sparse && each.a == Dtype::F32;
              if (f4Sparse || f32Sparse || !isThere(p) || (p.leftInTensor && layouts::bitwidth(p.dtype) != 16))
                continue;
              if (!full && number++ % kSample != 0)
                continue;
              SCOPED_TRACE(textOf(p));
              expectProduct(p);
              ++run;
              if (HasFailure())
                return;
            }
  RecordProperty("products", run);
  if (full)
    std::printf("products: %d\n", run);
}

INSTANTIATE_TEST_SUITE_P(Tcgen05, Tcgen05Space,
                         ::testing::Combine(::testing::Range(size_t{0}, std::size(kTypes)), ::testing::Bool(),
                                            ::testing::Bool()));

} // namespace
} // namespace lanescope::core::testing
