// Arithmetic, conversions, math, coordinates, control flow and regions on the emulator, against the host.
#include "core/gpu/emulator/EmulatorDevice.h"
#include "tests/unit/compiler/KernelText.h"

#include "core/gpu/ir/LayoutAttributes.h"
#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace lanescope;
using namespace lanescope::core;
using namespace lanescope::core::testing;
namespace catalogue = lanescope::layouts::catalogue;

namespace {

const layouts::Shape kShape{64, 64};

/// out = body(x), where body defines %y from %x_v.
Array applied(const std::string &from, const std::string &to, const std::string &body, const Array &x) {
  KernelText k;
  k.argument("x", from, x.shape, "in").argument("out", to, x.shape, "out");
  k.body = load("x_v", "x", globalType(x.shape, from), arrayType(x.shape, from)) + body +
           store("y", "out", globalType(x.shape, to), arrayType(x.shape, to));
  Array zeros = Array::zeros(*layouts::dtypeNamed(to), x.shape);
  RunResult result = runOnEmulator(k.text(), {x, zeros});
  return result.outputs.empty() ? zeros : result.outputs[0];
}

Array arguments(double low, double high) {
  Array x = Array::zeros(Dtype::F32, kShape);
  for (int64_t i = 0; i < x.size(); ++i)
    x.setNumber(i, low + (high - low) * static_cast<double>(i) / static_cast<double>(x.size() - 1));
  return x;
}

/// The distance from the correctly rounded result, in units in the last place.
double ulps(float got, double want) {
  float rounded = static_cast<float>(want);
  if (std::isnan(got) || std::isnan(rounded))
    return std::isnan(got) == std::isnan(rounded) ? 0 : 1e9;
  if (got == rounded)
    return 0;
  if (std::isinf(got) || std::isinf(rounded))
    return 1e9;
  double unit = std::nextafter(std::abs(rounded), INFINITY) - std::abs(rounded);
  return std::abs(got - want) / unit;
}

} // namespace

struct MathCase {
  const char *op;
  double (*reference)(double);
  double low, high, maxUlps;
};

class Math : public ::testing::TestWithParam<MathCase> {};

// inventory: FA math
TEST_P(Math, IsAccurate) {
  auto [op, reference, low, high, maxUlps] = GetParam();
  Array x = arguments(low, high);
  Array y = applied("f32", "f32", text("    %y = math.", op, " %x_v : vector<64x64xf32>\n"), x);
  double worst = 0, where = 0;
  for (int64_t i = 0; i < x.size(); ++i) {
    double error = ulps(static_cast<float>(y.number(i)), reference(x.number(i)));
    if (error > worst) {
      worst = error;
      where = x.number(i);
    }
  }
  EXPECT_LE(worst, maxUlps) << op << "(" << where << ")";
}

static double rsqrt(double x) { return 1 / std::sqrt(x); }
INSTANTIATE_TEST_SUITE_P(
    All, Math,
    ::testing::Values(MathCase{"exp", std::exp, -110, 95, 2}, MathCase{"exp2", std::exp2, -155, 132, 2},
                      MathCase{"log", std::log, 1e-3, 40, 2}, MathCase{"log2", std::log2, 1e-3, 40, 2.5},
                      MathCase{"sin", std::sin, -1000, 1000, 2}, MathCase{"cos", std::cos, -1e6, 1e6, 2},
                      MathCase{"tanh", std::tanh, -12, 12, 2.5}, MathCase{"rsqrt", rsqrt, 1e-3, 1e4, 1.6},
                      MathCase{"sqrt", std::sqrt, 0, 1e4, 0.5}, MathCase{"erf", std::erf, -5, 5, 4},
                      MathCase{"floor", std::floor, -5, 5, 0}, MathCase{"absf", std::fabs, -5, 5, 0}),
    [](const auto &info) { return std::string(info.param.op); });

TEST(MathFunctions, SpecialValues) {
  Array x = Array::zeros(Dtype::F32, kShape);
  const double values[] = {0.0, -0.0, INFINITY, -INFINITY, NAN,   1e-40,  -1.0,
                           1.0, 1e38, -1e38,    88.7,      -87.5, -103.5, 3.0};
  for (int64_t i = 0; i < x.size(); ++i)
    x.setNumber(i, values[i % std::size(values)]);
  struct {
    const char *op;
    double (*reference)(double);
  } functions[] = {{"exp", std::exp},   {"exp2", std::exp2}, {"log", std::log},
                   {"log2", std::log2}, {"tanh", std::tanh}, {"erf", std::erf}};
  for (auto [op, reference] : functions) {
    Array y = applied("f32", "f32", text("    %y = math.", op, " %x_v : vector<64x64xf32>\n"), x);
    for (size_t i = 0; i < std::size(values); ++i)
      EXPECT_LE(ulps(static_cast<float>(y.number(i)), reference(x.number(i))), 2.5)
          << op << "(" << values[i] << ") = " << y.number(i);
  }
}

// Every exponent, and 16367173 * 2^72, which has the smallest remainder by pi/2.
TEST(MathFunctions, SineAndCosineOfAnySize) {
  Array x = Array::zeros(Dtype::F32, kShape);
  uint32_t state = 1;
  for (int64_t i = 0; i < x.size(); ++i) {
    state = state * 1664525 + 1013904223;
    int exponent = static_cast<int>(i % 140) - 12;
    double mantissa = 1 + static_cast<double>(state >> 9) / (1 << 23);
    x.setNumber(i, (i % 3 ? 1 : -1) * (exponent == 50 ? 16367173 * 0x1p72 : std::ldexp(mantissa, exponent)));
  }
  struct {
    const char *op;
    double (*reference)(double);
  } functions[] = {{"sin", std::sin}, {"cos", std::cos}};
  for (auto [op, reference] : functions) {
    Array y = applied("f32", "f32", text("    %y = math.", op, " %x_v : vector<64x64xf32>\n"), x);
    for (int64_t i = 0; i < x.size(); ++i)
      ASSERT_LE(ulps(static_cast<float>(y.number(i)), reference(x.number(i))), 2) << op << "(" << x.number(i) << ")";
  }
}

// inventory: FA math
TEST(MathFunctions, ApproximationsUseTheHardware) {
  Array x = arguments(0.1, 6);
  struct {
    const char *op;
    double (*reference)(double);
  } functions[] = {{"exp", std::exp}, {"exp2", std::exp2}, {"log", std::log},
                   {"sin", std::sin}, {"tanh", std::tanh}, {"rsqrt", rsqrt}};
  for (auto [op, reference] : functions) {
    Array y = applied("f32", "f32", text("    %y = math.", op, " %x_v fastmath<afn> : vector<64x64xf32>\n"), x);
    for (int64_t i = 0; i < x.size(); ++i)
      ASSERT_NEAR(y.number(i), reference(x.number(i)), 1e-3 * std::max(1.0, std::abs(reference(x.number(i))))) << op;
  }
}

TEST(MathFunctions, NarrowTypesRoundOnce) {
  Array x = Array::zeros(Dtype::F16, kShape);
  for (int64_t i = 0; i < x.size(); ++i)
    x.setNumber(i, -4 + static_cast<double>(i) / 512);
  Array y = applied("f16", "f16", "    %y = math.exp %x_v : vector<64x64xf16>\n", x), want = x;
  for (int64_t i = 0; i < x.size(); ++i)
    want.setNumber(i, std::exp(x.number(i)));
  int differing = 0; // the inner result is rounded in halfway cases
  for (int64_t i = 0; i < x.size(); ++i)
    differing += y.number(i) != want.number(i);
  EXPECT_LE(differing, 8);
}

struct ConvertCase {
  std::string from, to, op;
};
class Convert : public ::testing::TestWithParam<ConvertCase> {};

TEST_P(Convert, KeepsSmallNumbers) {
  auto [from, to, op] = GetParam();
  Array x = pattern(*layouts::dtypeNamed(from), kShape);
  Array want = Array::zeros(*layouts::dtypeNamed(to), kShape);
  for (int64_t i = 0; i < x.size(); ++i)
    want.setNumber(i, x.number(i));
  expectEqual(
      applied(from, to,
              text("    %y = arith.", op, " %x_v : ", arrayType(kShape, from), " to ", arrayType(kShape, to), "\n"), x),
      want);
}
INSTANTIATE_TEST_SUITE_P(All, Convert,
                         ::testing::Values(ConvertCase{"f16", "f32", "extf"}, ConvertCase{"bf16", "f32", "extf"},
                                           ConvertCase{"f32", "f16", "truncf"}, ConvertCase{"f32", "bf16", "truncf"},
                                           ConvertCase{"i32", "f32", "sitofp"}, ConvertCase{"i32", "f16", "sitofp"},
                                           ConvertCase{"f32", "i32", "fptosi"}, ConvertCase{"f16", "i32", "fptosi"},
                                           ConvertCase{"bf16", "i32", "fptosi"}, ConvertCase{"i32", "bf16", "sitofp"},
                                           ConvertCase{"i8", "i32", "extsi"}, ConvertCase{"i32", "i8", "trunci"}),
                         [](const auto &info) { return info.param.from + "_" + info.param.to; });

// inventory: FA select, comparison (one operator)
TEST(Compute, CompareAndSelect) {
  Array x = pattern(Dtype::F32, kShape), want = x;
  for (int64_t i = 0; i < x.size(); ++i)
    want.setNumber(i, x.number(i) > 3 ? x.number(i) : -1);
  expectEqual(applied("f32", "f32",
                      "    %three = arith.constant dense<3.0> : vector<64x64xf32>\n"
                      "    %minus = arith.constant dense<-1.0> : vector<64x64xf32>\n"
                      "    %p = arith.cmpf ogt, %x_v, %three : vector<64x64xf32>\n"
                      "    %y = arith.select %p, %x_v, %minus : vector<64x64xi1>, vector<64x64xf32>\n",
                      x),
              want);
}

// inventory: FA division (i32 by a constant)
TEST(Compute, IntegersDivideTowardsMinusInfinity) {
  Array x = pattern(Dtype::I32, kShape), want = x;
  for (int64_t i = 0; i < x.size(); ++i)
    want.setInteger(i, static_cast<int64_t>(std::floor(static_cast<double>(x.integer(i)) / 7)));
  expectEqual(applied("i32", "i32",
                      "    %seven = arith.constant dense<7> : vector<64x64xi32>\n"
                      "    %y = arith.floordivsi %x_v, %seven : vector<64x64xi32>\n",
                      x),
              want);
}

// inventory: FA binary (min and max)
TEST(Compute, MinMaxAndScalarsInArrays) {
  for (const char *type : {"f32", "f16", "bf16"}) {
    Array x = pattern(*layouts::dtypeNamed(type), kShape), want = x;
    for (int64_t i = 0; i < x.size(); ++i)
      want.setNumber(i, std::min(std::max(x.number(i), -5.0), 9.0));
    std::string array = arrayType(kShape, type);
    expectEqual(applied(type, type,
                        text("    %low = arith.constant -5.0 : ", type, "\n    %l = vector.broadcast %low : ", type,
                             " to ", array, "\n    %h = arith.constant dense<9.0> : ", array,
                             "\n    %m = arith.maximumf %x_v, %l : ", array,
                             "\n    %y = arith.minimumf %m, %h : ", array, "\n"),
                        x),
                want);
  }
}

class Iota : public ::testing::TestWithParam<std::pair<const char *, layouts::RegisterLayout>> {};

// inventory: VW iota_tensor
TEST_P(Iota, CountsAlongBothDimensions) {
  layouts::Shape shape{128, 32};
  for (int dim : {0, 1}) {
    KernelText k;
    k.argument("out", "i32", shape, "out");
    std::string array = arrayType(shape, "i32");
    k.body = text("    %i = \"mosaic_gpu.broadcasted_iota\"() <{dimension = ", dim, " : i32}> : () -> ", array,
                  "\n    %y = mosaic_gpu.layout_cast x(%i : ", array,
                  ") {new_layout = ", layouts::mlirText(GetParam().second), "}\n") +
             store("y", "out", globalType(shape, "i32"), array);
    RunResult result = runOnEmulator(k.text(), {Array::zeros(Dtype::I32, shape)});
    ASSERT_EQ(result.outputs.size(), 1u);
    for (int64_t r = 0; r < shape[0]; ++r)
      for (int64_t c = 0; c < shape[1]; ++c)
        ASSERT_EQ(result.outputs[0].integer(r * shape[1] + c), dim == 0 ? r : c) << r << ", " << c;
  }
}
INSTANTIATE_TEST_SUITE_P(
    All, Iota,
    ::testing::Values(std::pair<const char *, layouts::RegisterLayout>{"wgmma", catalogue::wgmma()},
                      std::pair<const char *, layouts::RegisterLayout>{"transposed", catalogue::wgmmaTransposed()},
                      std::pair<const char *, layouts::RegisterLayout>{
                          "strided", *layouts::WGStridedFragLayout::make({128, 32}, 2)},
                      std::pair<const char *, layouts::RegisterLayout>{"native", *catalogue::tmemNative(8)}),
    [](const auto &info) { return std::string(info.param.first); });

TEST(Compute, BroadcastsRowsAndColumns) {
  layouts::Shape shape{64, 32};
  struct {
    int kept;
    layouts::RegisterLayout source;
  } cases[] = {{0, catalogue::wgmmaRow()}, {1, catalogue::wgmmaCol()}};
  for (auto &[kept, source] : cases) {
    layouts::Shape line{shape[kept]};
    KernelText k;
    k.argument("x", "f32", line, "in").argument("out", "f32", shape, "out");
    std::string array = arrayType(shape, "f32"), row = arrayType(line, "f32");
    k.body = load("v", "x", globalType(line, "f32"), row) +
             text("    %r = mosaic_gpu.layout_cast x(%v : ", row, ") {new_layout = ", layouts::mlirText(source),
                  "}\n    %y = mosaic_gpu.broadcast_in_dim(%r : ", row, ") {broadcast_dimensions = array<i64: ", kept,
                  ">} -> ", array, "\n") +
             store("y", "out", globalType(shape, "f32"), array);
    Array x = pattern(Dtype::F32, line);
    RunResult result = runOnEmulator(k.text(), {x, Array::zeros(Dtype::F32, shape)});
    ASSERT_EQ(result.outputs.size(), 1u);
    for (int64_t r = 0; r < shape[0]; ++r)
      for (int64_t c = 0; c < shape[1]; ++c)
        ASSERT_EQ(result.outputs[0].number(r * shape[1] + c), x.number(kept == 0 ? r : c));
  }
}

/// IR that reduces the rows of the source (128x64, in the wgmma layout) together with those of acc.
std::string reduction(const std::string &kind, const std::string &type) {
  layouts::Shape shape{128, 64}, rows{128};
  std::string array = arrayType(shape, type), row = arrayType(rows, type);
  return text("    %s = mosaic_gpu.layout_cast x(%source : ", array,
              ") {new_layout = ", layouts::mlirText(catalogue::wgmma()),
              "}\n    %a = mosaic_gpu.layout_cast x(%acc : ", row,
              ") {new_layout = ", layouts::mlirText(catalogue::wgmmaRow()), "}\n    %y = vector.multi_reduction <",
              kind, ">, %s, %a [1] : ", array, " to ", row, "\n") +
         store("y", "out", globalType(rows, type), row);
}

// The accumulator counts as one more element of its row.
// inventory: DK vector_multi_dim_reduction
TEST(Compute, ReductionsBeginWithTheirAccumulator) {
  struct One {
    const char *type, *source, *acc, *kind;
    double want;
  };
  layouts::Shape shape{128, 64}, rows{128};
  for (const One &one :
       {One{"f32", "5.0", "2.0", "add", 322}, One{"f32", "5.0", "2.0", "maximumf", 5},
        One{"f32", "5.0", "7.0", "maximumf", 7}, One{"i32", "5", "2", "maxsi", 5}, One{"i32", "-5", "-2", "maxsi", -2},
        One{"i32", "-2", "-5", "maxsi", -2}, One{"i32", "5", "2", "maxui", 5}, One{"i32", "2", "5", "maxui", 5}}) {
    KernelText k;
    k.argument("out", one.type, rows, "out");
    k.body = text("    %source = arith.constant dense<", one.source, "> : ", arrayType(shape, one.type),
                  "\n    %acc = arith.constant dense<", one.acc, "> : ", arrayType(rows, one.type), "\n") +
             reduction(one.kind, one.type);
    RunResult result = runOnEmulator(k.text(), {Array::zeros(*layouts::dtypeNamed(one.type), rows)});
    ASSERT_EQ(result.outputs.size(), 1u);
    for (int64_t r = 0; r < 128; ++r)
      ASSERT_EQ(result.outputs[0].number(r), one.want) << one.type << one.source << one.acc << one.kind;
  }
  for (const char *kind : {"add", "maximumf"}) {
    KernelText k;
    k.argument("x", "f32", shape, "in").argument("start", "f32", rows, "in").argument("out", "f32", rows, "out");
    k.body = load("source", "x", globalType(shape, "f32"), arrayType(shape, "f32")) +
             load("acc", "start", globalType(rows, "f32"), arrayType(rows, "f32")) + reduction(kind, "f32");
    Array x = pattern(Dtype::F32, shape), start = pattern(Dtype::F32, rows, 9);
    RunResult result = runOnEmulator(k.text(), {x, start, Array::zeros(Dtype::F32, rows)});
    ASSERT_EQ(result.outputs.size(), 1u);
    for (int64_t r = 0; r < 128; ++r) {
      double want = start.number(r);
      for (int64_t c = 0; c < 64; ++c)
        want = kind[0] == 'a' ? want + x.number(r * 64 + c) : std::max(want, x.number(r * 64 + c));
      ASSERT_EQ(result.outputs[0].number(r), want) << kind << r;
    }
  }
}

// inventory: PL fori_loop_array, fori_loop_scalar
TEST(Compute, LoopsCarryArraysAndScalars) {
  Array x = pattern(Dtype::F32, kShape), want = x;
  for (int64_t i = 0; i < x.size(); ++i)
    want.setNumber(i, 5 * x.number(i) + 10); // 0 + 1 + 2 + 3 + 4
  expectEqual(
      applied("f32", "f32",
              "    %zero = arith.constant dense<0.0> : vector<64x64xf32>\n"
              "    %c0 = arith.constant 0 : i32\n    %c1 = arith.constant 1 : i32\n"
              "    %c5 = arith.constant 5 : i32\n"
              "    %y = scf.for %i = %c0 to %c5 step %c1 iter_args(%sum = %zero) -> (vector<64x64xf32>) : i32 {\n"
              "      %f = arith.sitofp %i : i32 to f32\n"
              "      %b = vector.broadcast %f : f32 to vector<64x64xf32>\n"
              "      %a = arith.addf %sum, %x_v : vector<64x64xf32>\n"
              "      %n = arith.addf %a, %b : vector<64x64xf32>\n"
              "      scf.yield %n : vector<64x64xf32>\n    }\n",
              x),
      want);
}

// inventory: PL while_loop, cond_returning_array
TEST(Compute, WhileLoopsAndBranches) {
  Array x = pattern(Dtype::F32, kShape), want = x;
  for (int64_t i = 0; i < x.size(); ++i)
    want.setNumber(i, 2 * (2 * x.number(i) + 100)); // twice x, plus 100, twice that
  expectEqual(
      applied("f32", "f32",
              "    %c0 = arith.constant 0 : i32\n    %c1 = arith.constant 1 : i32\n    %c3 = arith.constant 3 : i32\n"
              "    %hundred = arith.constant dense<100.0> : vector<64x64xf32>\n"
              "    %r:2 = scf.while (%n = %c0, %v = %x_v) : (i32, vector<64x64xf32>) -> (i32, vector<64x64xf32>) {\n"
              "      %more = arith.cmpi slt, %n, %c3 : i32\n"
              "      scf.condition(%more) %n, %v : i32, vector<64x64xf32>\n    } do {\n"
              "    ^bb0(%n: i32, %v: vector<64x64xf32>):\n"
              "      %m = arith.addi %n, %c1 : i32\n      %p = arith.cmpi eq, %n, %c1 : i32\n"
              "      %w = scf.if %p -> (vector<64x64xf32>) {\n"
              "        %d = arith.addf %v, %hundred : vector<64x64xf32>\n        scf.yield %d : vector<64x64xf32>\n"
              "      } else {\n"
              "        %d = arith.addf %v, %v : vector<64x64xf32>\n        scf.yield %d : vector<64x64xf32>\n      }\n"
              "      scf.yield %m, %w : i32, vector<64x64xf32>\n    }\n"
              "    %nought = arith.constant dense<0.0> : vector<64x64xf32>\n"
              "    %y = arith.addf %r#1, %nought : vector<64x64xf32>\n",
              x),
      want);
}

// inventory: DK profiler, PR profiler
TEST(Compute, RegionsAreRecordedPerWarpgroup) {
  KernelText k;
  k.warpgroups = 2;
  k.grid = {3, 1, 1};
  k.profileEntries = 64;
  k.argument("out", "f32", kShape, "out");
  std::string array = arrayType(kShape, "f32");
  k.body =
      "    lanescope.region_begin \"outer\"\n    lanescope.region_begin \"inner\"\n    lanescope.region_end \"inner\"\n"
      "    %c = arith.constant dense<1.0> : " +
      array + "\n" + store("c", "out", globalType(kShape, "f32"), array) + "    lanescope.region_end \"outer\"\n";
  RunResult result = runOnEmulator(k.text(), {Array::zeros(Dtype::F32, kShape)});
  ASSERT_TRUE(result.trace);
  ASSERT_EQ(result.trace->tracks.size(), 6u);
  for (const TraceTrack &track : result.trace->tracks) {
    ASSERT_EQ(track.slices.size(), 2u);
    EXPECT_EQ(result.trace->names[track.slices[0].name], "outer");
    EXPECT_EQ(result.trace->names[track.slices[1].name], "inner");
    EXPECT_LE(track.slices[0].beginNs, track.slices[1].beginNs);
    EXPECT_GE(track.slices[0].endNs, track.slices[1].endNs);
  }
}

TEST(Compute, EventsThatDoNotFitAreCountedNotStored) {
  KernelText k;
  k.profileEntries = 8; // room for two events
  k.smemBytes = 16;
  k.argument("out", "i32", {128}, "out");
  std::string region = "    lanescope.region_begin \"r\"\n    lanescope.region_end \"r\"\n";
  k.body = region + region + region + "    %c = arith.constant dense<1> : vector<128xi32>\n" +
           store("c", "out", globalType({128}, "i32"), "vector<128xi32>");
  KernelStages stages = compileText(k.text());
  ASSERT_TRUE(stages.kernel);
  auto device = makeEmulatorDevice();
  std::vector<Array> inputs{Array::zeros(Dtype::I32, {128})};
  auto result = device->run(*stages.kernel, inputs, {});
  const Diagnostics &problems = result ? result->diagnostics : result.error();
  bool said = false;
  for (const Diagnostic &diagnostic : problems)
    said |= diagnostic.kind == "profile-space";
  EXPECT_TRUE(said) << render(problems);
}
