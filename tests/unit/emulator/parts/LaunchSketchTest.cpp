// Launch descriptions made from PTX alone: what the PTX says, and what is guessed and named as a guess.
#include "core/gpu/emulator/LaunchSketch.h"
#include "tests/unit/emulator/EmulatorSupport.h"

#include <algorithm>
#include <set>

namespace lanescope::core::test {
namespace {

const char *const kScale = R"(.version 8.7
.target sm_90a
.address_size 64
.extern .shared .align 16 .b8 smem[];
.visible .entry scale(.param .u64 x, .param .u64 .ptr .global .align 16 y, .param .u32 n, .param .f32 by, .param .u64 stride,
  .param .align 64 .b8 map[128])
.reqntid 96, 1, 1
{
.reg .b16 %h<4>;
.reg .b32 %r<8>;
.reg .b64 %d<8>;
ld.param.u64 %d1, [x];
ld.param.u64 %d2, [y];
ld.param.u64 %d5, [stride];
cvta.to.global.u64 %d3, %d1;
cvta.to.global.u64 %d4, %d2;
add.s64 %d6, %d3, 2;
ld.global.b16 %h1, [%d6];
st.global.f32 [%d4+4], 0f00000000;
ret;
}
)";

Result<LaunchSketch> sketch(const char *ptx, const SketchOptions &options = {}) {
  return sketchLaunch(Source::make("k.ptx", ptx), options);
}

bool guessed(const LaunchSketch &sketch, std::string_view word) {
  return std::ranges::any_of(sketch.guesses, [&](const std::string &guess) { return guess.find(word) != guess.npos; });
}

TEST(LaunchSketch, WhatPtxSaysIsTakenFromIt) {
  auto made = sketch(kScale);
  ASSERT_TRUE(made) << errorText(made.error());
  const Launch &launch = made->launch;
  EXPECT_EQ(launch.entry, "scale");
  EXPECT_EQ(launch.block, (std::array<uint32_t, 3>{96, 1, 1}));
  EXPECT_FALSE(guessed(*made, "`block`"));
  ASSERT_EQ(launch.params.size(), 6u);
  // Loads and stores show the types: x holds halves that are read, y floats that are written.
  const auto &x = std::get<BufferParam>(launch.params[0]).buffer, &y = std::get<BufferParam>(launch.params[1]).buffer;
  EXPECT_EQ(x.dtype, Dtype::F16);
  EXPECT_TRUE(x.out.empty());
  EXPECT_EQ(y.dtype, Dtype::F32);
  EXPECT_FALSE(y.out.empty());
  EXPECT_EQ(std::get<ScalarParam>(launch.params[2]).dtype, Dtype::I32);
  EXPECT_EQ(std::get<ScalarParam>(launch.params[3]).dtype, Dtype::F32);
  EXPECT_EQ(std::get<ScalarParam>(launch.params[4]).dtype, Dtype::I64); // 64 bits that no address is computed from
  EXPECT_EQ(std::get<BytesParam>(launch.params[5]).size, 128u);
  for (const char *word : {"`grid`", "`dynamic_smem`", "parameter 0", "parameter 2", "tensor_maps"})
    EXPECT_TRUE(guessed(*made, word)) << word;
}

TEST(LaunchSketch, IsALaunchDescription) {
  auto made = sketch(kScale);
  ASSERT_TRUE(made);
  auto read = parseLaunch(Source::make("launch.json", sketchJson(*made)));
  ASSERT_TRUE(read) << errorText(read.error());
  EXPECT_EQ(toJson(*read), toJson(made->launch));
  EXPECT_NE(sketchJson(*made).find("placeholders"), std::string::npos);
}

TEST(LaunchSketch, WhatIsGivenIsNotGuessed) {
  SketchOptions options;
  options.grid = {4, 2, 1};
  options.arguments = {{"n", "1024"}, {"3", "2.5"}};
  options.hints = {{"x"}, {"y", Dtype::F64, {}, 80}, {"n"}};
  auto made = sketch(kScale, options);
  ASSERT_TRUE(made) << errorText(made.error());
  EXPECT_EQ(made->launch.grid, (std::array<uint32_t, 3>{4, 2, 1}));
  EXPECT_EQ(std::get<ScalarParam>(made->launch.params[2]).bits, 1024u);
  EXPECT_EQ(std::bit_cast<float>(static_cast<uint32_t>(std::get<ScalarParam>(made->launch.params[3]).bits)), 2.5f);
  EXPECT_EQ(std::get<BufferParam>(made->launch.params[1]).buffer.shape, Shape{10});
  for (const char *word : {"`grid`", "`n`", "`y`"})
    EXPECT_FALSE(guessed(*made, word)) << word;
}

TEST(LaunchSketch, WhatDoesNotFitSaysWhy) {
  auto kind = [](const char *ptx, const SketchOptions &options = {}) {
    auto made = sketch(ptx, options);
    return made ? std::string("fine") : made.error().front().kind;
  };
  EXPECT_EQ(kind(kScale, {.entry = "other"}), "no-entry");
  EXPECT_EQ(kind(".version 8.7\n.target sm_90a\n.address_size 64\n"), "no-entry");
  EXPECT_EQ(kind(kScale, {.arguments = {{"m", "3"}}}), "arguments");
  EXPECT_EQ(kind(kScale, {.arguments = {{"2", "many"}}}), "arguments");
  EXPECT_NE(kind("not ptx"), "fine");
}

TEST(LaunchSketch, SampleArraysAreTheSameEachTime) {
  BufferSpec buffer;
  buffer.dtype = Dtype::F32;
  buffer.shape = {10000};
  Array a = sampleArray(buffer, 1), b = sampleArray(buffer, 1), c = sampleArray(buffer, 2);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_NE(a.bytes, c.bytes);
  std::set<double> values;
  for (int64_t i = 0; i < a.size(); ++i)
    values.insert(a.number(i));
  EXPECT_EQ(*values.begin(), -1);
  EXPECT_EQ(*values.rbegin(), 1);
  EXPECT_GT(values.size(), 4u);
  buffer.shape = {0};
  EXPECT_EQ(sampleArray(buffer, 1).bytes.size(), 0u);
}

} // namespace
} // namespace lanescope::core::test
