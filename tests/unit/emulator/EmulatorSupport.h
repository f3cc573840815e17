// Helpers of the emulator's tests: they run a body of PTX on small arrays, read files, and find words in diagnostics.
#pragma once

#include "core/gpu/emulator/Emulator.h"

#include <bit>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace lanescope::core::test {

inline std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline SourceRef goldenSource(const std::string &name) {
  std::string path = std::string(LANESCOPE_SOURCE_DIR) + "/tests/golden/" + name;
  std::string text = readFile(path);
  EXPECT_FALSE(text.empty()) << path;
  return Source::make(name, text);
}

inline std::string errorText(const Diagnostics &diagnostics) { return render(diagnostics); }

inline bool mentions(const Diagnostics &diagnostics, std::string_view word) {
  return render(diagnostics).find(word) != std::string::npos;
}

/// A kernel `k` with pointer parameters, a body, and the declarations before it.
struct Kernel {
  std::string body;
  int params = 2;
  uint32_t threads = 32, blocks = 1, dynamicSmem = 0;
  std::string declarations; // at module level
  std::array<uint32_t, 3> cluster{1, 1, 1};
  std::string directives; // directives of the entry
  std::string target = "sm_90a";

  std::string ptx() const {
    std::string out =
        ".version 9.0\n.target " + target + "\n.address_size 64\n" + declarations + "\n.visible .entry k(";
    for (int n = 0; n < params; ++n)
      out += std::string(n ? ", " : "") + ".param .u64 p" + std::to_string(n);
    out += ")\n" + directives +
           "\n{\n.reg .pred %p<20>;\n.reg .b16 %h<40>;\n.reg .b32 %r<60>;\n.reg .b64 %d<60>;\n.reg .f32 %f<40>;\n"
           ".reg .f64 %g<20>;\n";
    for (int n = 0; n < params; ++n)
      out += "ld.param.u64 %d" + std::to_string(50 + n) + ", [p" + std::to_string(n) + "];\n";
    return out + body + "\n}\n";
  }
};

inline Array u32Array(std::vector<uint32_t> values) {
  Array array = Array::zeros(Dtype::U32, {static_cast<int64_t>(values.size())});
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

inline std::vector<uint32_t> words(const Array &array) {
  std::vector<uint32_t> out(array.bytes.size() / 4);
  std::memcpy(out.data(), array.bytes.data(), out.size() * 4);
  return out;
}

inline Launch launchOf(const Kernel &kernel, std::span<const Array> arrays) {
  Launch launch;
  launch.entry = "k";
  launch.grid = {kernel.blocks, 1, 1};
  launch.block = {kernel.threads, 1, 1};
  launch.dynamicSmem = kernel.dynamicSmem;
  launch.cluster = kernel.cluster;
  for (const Array &array : arrays) {
    BufferSpec buffer;
    buffer.dtype = array.dtype;
    buffer.shape = array.shape;
    launch.params.push_back(BufferParam{buffer});
  }
  return launch;
}

inline Result<RunResult> run(const Kernel &kernel, std::vector<Array> arrays, EmulatorOptions options = {}) {
  return emulate(Source::make("k.ptx", kernel.ptx()), launchOf(kernel, arrays), arrays, options);
}

/// Each lane loads `%r0 = a[tid]`, runs `body`, and stores %r1 to out[tid]; returns out.
inline std::vector<uint32_t> perLane(std::vector<uint32_t> input, const std::string &body,
                                     const std::string &target = "sm_90a") {
  Kernel kernel;
  kernel.target = target;
  kernel.threads = static_cast<uint32_t>(input.size());
  kernel.body =
      "mov.u32 %r50, %tid.x;\nmul.wide.u32 %d40, %r50, 4;\nadd.s64 %d41, %d50, %d40;\nadd.s64 %d42, %d51, %d40;\n"
      "ld.global.b32 %r0, [%d41];\n" +
      body + "\nst.global.b32 [%d42], %r1;\nret;\n";
  auto out = u32Array(std::vector<uint32_t>(input.size()));
  auto result = run(kernel, {u32Array(std::move(input)), out});
  if (!result) {
    ADD_FAILURE() << errorText(result.error());
    return std::vector<uint32_t>(words(out).size());
  }
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  return words(result->outputs[1]);
}

/// Passes one value through one lane.
inline uint32_t evaluate(uint32_t input, const std::string &body) {
  auto out = perLane(std::vector<uint32_t>(32, input), body);
  return out.empty() ? 0xDEADBEEF : out[0];
}

} // namespace lanescope::core::test
