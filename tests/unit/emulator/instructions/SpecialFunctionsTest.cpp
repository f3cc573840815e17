// Results of the special function unit against those of an H200 (tests/golden/special_functions, written by
// tests/gpu/special_functions.cu). Each instruction has one kernel, whose lanes hold all arguments.
#include "tests/unit/emulator/EmulatorSupport.h"

#include <fstream>
#include <map>
#include <sstream>

namespace lanescope::core::test {
namespace {

struct Sample {
  uint64_t argument = 0, result = 0;
};

std::map<std::string, std::vector<Sample>> samples() {
  std::map<std::string, std::vector<Sample>> out;
  std::ifstream file(std::string(LANESCOPE_SOURCE_DIR) + "/tests/golden/special_functions/h200.txt");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    Sample sample;
    words >> name >> std::hex >> sample.argument >> sample.result;
    out[name].push_back(sample);
  }
  return out;
}

bool isNan(const std::string &type, uint64_t bits) {
  if (type == "f64")
    return (bits & ~(1ull << 63)) > 0x7FFull << 52;
  if (type == "f32")
    return (bits & 0x7FFFFFFF) > 0x7F800000;
  return (bits & 0x7FFF) > (type == "f16" ? 0x7C00 : 0x7F80);
}

TEST(SpecialFunctions, AreThoseOfAnH200) {
  auto all = samples();
  ASSERT_EQ(all.size(), 26u);
  for (const auto &[name, cases] : all) {
    std::string type = name.substr(name.rfind('.') + 1);
    bool wide = type == "f64", half = type == "f16" || type == "bf16", two = name.starts_with("div");
    std::vector<uint32_t> arguments, results(2 * cases.size());
    for (const Sample &one : cases)
      arguments.insert(arguments.end(),
                       {static_cast<uint32_t>(one.argument), static_cast<uint32_t>(one.argument >> 32)});
    Kernel kernel;
    kernel.threads = static_cast<uint32_t>(cases.size());
    std::string registers = wide ? "%d4, %d5" : half ? "%h4, %h5" : "%r4, %r5";
    kernel.body = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d0, %r0, 8;\nadd.u64 %d1, %d50, %d0;\nadd.u64 %d2, %d51, %d0;\n"
                  "ld.global.v2.b32 {%r5, %r6}, [%d1];\nld.global.b64 %d5, [%d1];\ncvt.u16.u32 %h5, %r5;\n" +
                  name + " " + registers + (two ? ", %r6" : "") + ";\n" + (half ? "cvt.u32.u16 %r4, %h4;\n" : "") +
                  (wide ? "st.global.b64 [%d2], %d4;\nret;" : "st.global.b32 [%d2], %r4;\nret;");
    auto result = run(kernel, {u32Array(arguments), u32Array(results)});
    ASSERT_TRUE(result) << name << errorText(result.error());
    EXPECT_NE(result->note.find("all instructions are exact"), std::string::npos) << result->note;
    std::vector<uint32_t> out = words(result->outputs[1]);
    for (size_t n = 0; n < cases.size(); ++n) {
      uint64_t got = out[2 * n] | static_cast<uint64_t>(out[2 * n + 1]) << 32;
      bool nan = isNan(type, cases[n].result);
      EXPECT_TRUE(nan ? isNan(type, got) : got == cases[n].result)
          << name << " of " << std::hex << cases[n].argument << " is " << cases[n].result << ", not " << got;
    }
  }
}

TEST(SpecialFunctions, AreApproximateForBlackwell) {
  Kernel kernel;
  kernel.target = "sm_100a";
  kernel.body = "ex2.approx.ftz.f32 %f1, 0f3F800000;\nret;";
  auto result = run(kernel, {u32Array({0}), u32Array({0})});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_NE(result->note.find("approximate: `ex2.approx.ftz.f32`"), std::string::npos) << result->note;
}

TEST(SpecialFunctions, ProductsAreFlushedByTheirUnroundedSize) {
  // Both products are just below 2^-126, by more and by less than half a unit of 24 bits. The second is 2^-63 (1 +
  // 2^-11) times 2^-64 (2 - …).
  Kernel kernel;
  kernel.threads = 1;
  kernel.body = "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%d50];\nmul.rn.ftz.f32 %f4, %f0, %f1;\n"
                "mul.rn.ftz.f32 %f5, %f2, %f3;\nfma.rn.ftz.f32 %f6, %f0, %f1, 0f00000000;\n"
                "st.global.v2.f32 [%d51], {%f4, %f5};\nst.global.f32 [%d51+8], %f6;\nret;";
  auto bits = [](float f) { return std::bit_cast<uint32_t>(f); };
  auto result =
      run(kernel, {u32Array({bits(0x1.b289cp-101f), bits(0x1.2da29ep-26f), bits(0x1.0001dp-63f), bits(0x1.fffc6p-64f)}),
                   u32Array({1, 1, 1})});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(words(result->outputs[1]), (std::vector<uint32_t>{0, 0x00800000, 0}));
}

} // namespace
} // namespace lanescope::core::test
