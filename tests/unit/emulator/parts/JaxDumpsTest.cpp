// The PTX that JAX's Mosaic GPU wrote for small kernels runs and gives the right numbers.
#include "tests/unit/emulator/EmulatorSupport.h"

#include "core/data/Numeric.h"

namespace lanescope::core::test {
namespace {

Result<RunResult> runDump(const std::string &name, std::vector<Array> &arrays, EmulatorOptions options = {}) {
  auto launch = parseLaunch(goldenSource("jax_dumps/" + name + "/launch.json"));
  if (!launch)
    return std::unexpected(launch.error());
  for (const BufferSpec *buffer : launch->buffers()) {
    Array array = Array::zeros(buffer->dtype, buffer->shape);
    if (!buffer->data.empty())
      for (int64_t i = 0; i < array.size(); ++i)
        array.setNumber(i, static_cast<double>((i * 7 + 3) % 61) - 30);
    arrays.push_back(std::move(array));
  }
  return emulate(goldenSource("jax_dumps/" + name + "/kernel.ptx"), *launch, arrays, options);
}

void checkRan(const Result<RunResult> &result) {
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
}

TEST(JaxDumps, AddAddsOne) {
  for (const char *name : {"add_Lane", "add_Warpgroup"}) {
    std::vector<Array> arrays;
    auto result = runDump(name, arrays);
    checkRan(result);
    for (int64_t i = 0; i < 128 * 128; ++i)
      ASSERT_EQ(result->outputs[1].number(i), arrays[0].number(i) + 1) << name << " element " << i;
    EXPECT_NE(result->note.find("all instructions are exact"), std::string::npos) << result->note;
  }
}

void checkDoubled(const char *name, size_t input, size_t output, EmulatorOptions options) {
  std::vector<Array> arrays;
  auto result = runDump(name, arrays, options);
  checkRan(result);
  for (int64_t i = 0; i < 128 * 128; ++i)
    ASSERT_EQ(result->outputs[output].number(i), arrays[input].number(i) * 2) << name << " element " << i;
}

TEST(JaxDumps, TmaDoubles) {
  for (uint64_t seed : {0, 1, 2}) {
    EmulatorOptions options;
    options.seed = seed;
    checkDoubled("tma_Lane", 0, 1, options);
    checkDoubled("tma_Warpgroup", 1, 0, options);
    options.instant = true;
    checkDoubled("tma_Lane", 0, 1, options);
    checkDoubled("tma_Warpgroup", 1, 0, options);
  }
}

TEST(JaxDumps, WgmmaMultiplies) {
  std::vector<Array> arrays;
  auto result = runDump("wgmma_Warpgroup", arrays);
  checkRan(result);
  for (int64_t i = 0; i < 64; ++i)
    for (int64_t j = 0; j < 128; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < 64; ++k)
        sum += arrays[1].number(i * 64 + k) * arrays[2].number(k * 128 + j);
      ASSERT_EQ(result->outputs[0].number(i * 128 + j), sum) << i << ", " << j;
    }
  EXPECT_EQ(result->note.find("approximate"), std::string::npos) << result->note;
}

} // namespace
} // namespace lanescope::core::test
