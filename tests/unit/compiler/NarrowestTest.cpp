// f4e2m1fn and f8e8m0fnu in registers of sm_100a: all their conversions in both directions, and reciprocals.
#include "tests/unit/compiler/KernelText.h"
#include "tests/unit/compiler/TensorSupport.h"

#include "layouts/Catalogue.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lanescope::core::testing {
namespace {

using layouts::Dtype;

constexpr int64_t kCount = 1024;

/// out = f(x), for arrays of kCount elements.
std::vector<Array> computed(const Array &x, Dtype to, const std::function<IrValue(GpuBuilder &, const IrValue &)> &f) {
  KernelFrame frame;
  frame.name = "k";
  frame.target = findGpuTarget("sm_100a");
  frame.arguments = {{"x", ArgumentKind::In, x.dtype, x.shape, {}}, {"out", ArgumentKind::Out, to, x.shape, {}}};
  auto builder = *GpuBuilder::make(compiler().context(), frame);
  builder->store(f(*builder, builder->load(builder->argument(0), std::nullopt)), builder->argument(1), std::nullopt);
  auto module = builder->finish();
  EXPECT_TRUE(module) << (module ? "" : render(module.error()));
  if (!module)
    return {};
  auto kernel = compiled(*std::move(module));
  EXPECT_TRUE(kernel) << (kernel ? "" : render(kernel.error()));
  return kernel ? ran(*kernel, {x, Array::zeros(to, x.shape)}) : std::vector<Array>();
}

std::vector<Array> converted(const Array &x, Dtype to) {
  return computed(x, to, [&](GpuBuilder &b, const IrValue &value) { return b.cast(value, to); });
}

TEST(Narrowest, F4ToAndFromWiderTypes) {
  Array codes = Array::zeros(Dtype::F4E2M1FN, {kCount});
  for (int64_t i = 0; i < kCount; ++i)
    codes.bytes[static_cast<size_t>(i)] = static_cast<std::byte>(i * 7 % 16);
  for (Dtype wide : {Dtype::F16, Dtype::BF16, Dtype::F32, Dtype::F8E4M3FN, Dtype::I32}) {
    SCOPED_TRACE(layouts::name(wide));
    auto there = converted(codes, wide);
    ASSERT_FALSE(there.empty());
    bool isFloat = layouts::isFloat(wide);
    for (int64_t i = 0; i < kCount; ++i)
      ASSERT_EQ(there[0].number(i), isFloat ? codes.number(i) : std::trunc(codes.number(i))) << i;
    if (!isFloat)
      continue;
    auto back = converted(there[0], Dtype::F4E2M1FN);
    ASSERT_FALSE(back.empty());
    expectEqual(back[0], codes);
  }
}

TEST(Narrowest, F4RoundsToNearestEvenAndSaturates) {
  Array x = Array::zeros(Dtype::F32, {kCount}), want = Array::zeros(Dtype::F4E2M1FN, {kCount});
  for (int64_t i = 0; i < kCount; ++i) {
    double value = static_cast<double>(i - kCount / 2) / 64;
    x.setNumber(i, value);
    want.setNumber(i, std::clamp(value, -6.0, 6.0));
  }
  auto there = converted(x, Dtype::F4E2M1FN);
  ASSERT_FALSE(there.empty());
  expectEqual(there[0], want);
}

TEST(Narrowest, PowersOfTwo) {
  Array x = Array::zeros(Dtype::F32, {kCount});
  for (int64_t i = 0; i < kCount; ++i)
    x.setNumber(i, std::ldexp(1.0 + static_cast<double>(i % 4) / 4, static_cast<int>(i % 200) - 100));
  auto there = converted(x, Dtype::F8E8M0FNU);
  ASSERT_FALSE(there.empty());
  for (int64_t i = 0; i < kCount; ++i)
    ASSERT_EQ(there[0].number(i), std::exp2(std::ceil(std::log2(x.number(i))))) << "up, of " << x.number(i);
  for (Dtype wide : {Dtype::BF16, Dtype::F32}) {
    auto back = converted(there[0], wide);
    ASSERT_FALSE(back.empty());
    for (int64_t i = 0; i < kCount; ++i)
      ASSERT_EQ(back[0].number(i), there[0].number(i)) << i;
  }
  auto inverse = computed(there[0], Dtype::F8E8M0FNU, [](GpuBuilder &b, const IrValue &value) {
    return b.binary(BinaryKind::Divide, b.constant(Dtype::F8E8M0FNU, value.shape, 1.0), value);
  });
  ASSERT_FALSE(inverse.empty());
  for (int64_t i = 0; i < kCount; ++i)
    ASSERT_EQ(inverse[0].number(i), 1 / there[0].number(i)) << i;
}

} // namespace
} // namespace lanescope::core::testing
