// Launches read from torch.compile's output code, in the forms of its versions, and `check` of a Triton cache inside
// the folder of such a file.
#include "repl/check/InductorCode.h"
#include "core/gpu/emulator/Emulator.h"
#include "repl/check/CheckTargets.h"
#include "repl/check/PythonText.h"
#include "repl/check/TritonCache.h"
#include "tests/unit/TemporaryFolder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace lanescope::repl {
namespace {

namespace fs = std::filesystem;

/// A module of output code with one kernel `name`, its head and parameters, and the body of its `call`.
std::string moduleOf(const std::string &meta, const std::string &parameters, const std::string &body,
                     const std::string &examples = "    pass\n") {
  return "import torch\nfrom torch._inductor.async_compile import AsyncCompile\nasync_compile = AsyncCompile()\n"
         "# kernel path: cache/ab/cab.py\n"
         "k_0 = async_compile.triton('k_0', '''\nimport triton\n@triton_heuristics.pointwise(\n"
         "    size_hints={'x': 4096}, triton_meta={'signature': {}}, inductor_meta={" +
         meta + "},\n)\n@triton.jit\ndef k_0(" + parameters +
         "):\n    xoffset = tl.program_id(0) * XBLOCK\n    buf0 = 7\n''', device_str='cuda')\n\n"
         "async_compile.wait(globals())\ndel async_compile\n\ndef call(args):\n" +
         body + "\ndef benchmark_compiled_module(times=10, repeat=10):\n" + examples;
}

const std::string kPointwise = "in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr";

InductorCode read(const std::string &text) { return inductorCode(Source::make("output_code.py", text)); }

/// The call of k_0, which must exist.
InductorCall callOf(const std::string &text) {
  InductorCode code = read(text);
  const InductorCall *call = code.callOf("k_0");
  EXPECT_NE(call, nullptr) << text;
  return call ? *call : InductorCall{};
}

TEST(PythonText, IntegersOfExpressions) {
  std::map<std::string, int64_t, std::less<>> names{{"s0", 5}, {"ks1", 3}};
  for (auto [text, value] :
       {std::pair("7", 7), std::pair("-2", -2), std::pair("4*s0 + 2", 22), std::pair("(s0 + 1) * ks1", 18),
        std::pair("s0 // 2", 2), std::pair("s0 % 2", 1), std::pair("s0*ks1 - 4*(1 + ks1)", -1), std::pair("  16 ", 16)})
    EXPECT_EQ(pythonInteger(text, names), value) << text;
  for (const char *text : {"", "s1", "2**3", "1.5", "f(2)", "(1", "1)", "1 2", "-s0 // 2", "s0 // 0",
                           "9223372036854775807 + 1", "0x10", "'7'"})
    EXPECT_EQ(pythonInteger(text, names), std::nullopt) << text;
}

TEST(PythonText, StatementsAndParts) {
  auto texts = [](std::string_view source) {
    std::vector<std::string> out;
    for (const PythonStatement &statement : pythonStatements(source))
      out.emplace_back(statement.text);
    return out;
  };
  EXPECT_EQ(texts("a = 1; del a  # reuse\nf(1,\n  2)\n# nothing\nb = 'x;#y'\n"),
            (std::vector<std::string>{"a = 1", "del a", "f(1,\n  2)", "b = 'x;#y'"}));
  EXPECT_EQ(splitPython("a, (4, 8), g=[1, 2], 'x,y', ").size(), 4u);
  EXPECT_EQ(argumentsOf("f(a, g(b))", "f"), "a, g(b)");
  EXPECT_EQ(argumentsOf("f(a) + g(b)", "f"), std::nullopt);
  EXPECT_EQ(pythonBlocks("a('''x'y''') # '''no'''\nb(\"\"\"z\"\"\")").size(), 2u);
  EXPECT_TRUE(pythonStatements("f((((\n").size() <= 1); // a truncated text
}

TEST(InductorCode, SizesNumbersAndGrid) {
  InductorCall call = callOf(moduleOf("'grid_type': 'Grid1D'", kPointwise,
                                      "    arg0_1, = args\n    args.clear()\n"
                                      "    assert_size_stride(arg0_1, (200, 10), (10, 1))\n"
                                      "    with torch.cuda._DeviceGuard(0):\n        torch.cuda.set_device(0)\n"
                                      "        buf0 = empty_strided_cuda((200, 10), (12, 1), torch.float32)\n"
                                      "        stream0 = get_raw_stream(0)\n"
                                      "        k_0.run(arg0_1, buf0, 2000, stream=stream0)\n"
                                      "        del arg0_1\n    return (buf0, )\n"));
  EXPECT_EQ(call.elements["in_ptr0"], 2000);
  EXPECT_EQ(call.elements["out_ptr0"], 199 * 12 + 10);
  EXPECT_EQ(call.numbers["xnumel"], 2000);
  EXPECT_EQ(call.calls, 1u);
  EXPECT_EQ(gridOf(call, {1024, 1, 1}), (std::array<uint32_t, 3>{2, 1, 1}));
  EXPECT_EQ(gridOf(call, {0, 1, 1}), std::nullopt) << "what a block does is not known";
  EXPECT_EQ(call.place.source->lineText(call.place.source->lineColumn(call.place.begin).line),
            "        k_0.run(arg0_1, buf0, 2000, stream=stream0)");
}

TEST(InductorCode, GridsOfAllVersions) {
  const std::string two = "in_ptr0, out_ptr0, ynumel, xnumel, YBLOCK : tl.constexpr, XBLOCK : tl.constexpr";
  auto gridOfCall = [](const std::string &meta, const std::string &parameters, const std::string &call) {
    return gridOf(callOf(moduleOf(meta, parameters, "    " + call + "\n")), {32, 16, 1});
  };
  using Grid = std::array<uint32_t, 3>;
  EXPECT_EQ(gridOfCall("'grid_type': 'Grid2D'", two, "k_0.run(a, b, 100, 64, stream=s)"), (Grid{2, 7, 1}));
  EXPECT_EQ(gridOfCall("", kPointwise, "k_0.run(a, b, 100, grid=grid(100), stream=s)"), (Grid{4, 1, 1}));
  EXPECT_EQ(gridOfCall("", two, "k_0.run(a, b, 100, 64, grid=grid(100, 64), stream=s)"), (Grid{2, 7, 1}));
  EXPECT_EQ(gridOfCall("", kPointwise, "k_0[grid(100)](a, b, 100, XBLOCK=32, num_warps=4)"), (Grid{4, 1, 1}));
  EXPECT_EQ(gridOfCall("'grid_type': 'FixedGrid', 'fixed_grid': ['_grid_0']", "arg_A, arg_B, out_ptr0",
                       "k_0.run(a, b, c, 6, 5, 1, stream=s)"),
            (Grid{6, 5, 1}));
  EXPECT_EQ(gridOfCall("", kPointwise, "k_0.run(a, b, 100, grid=(3, 1, 1), stream=s)"), (Grid{3, 1, 1}));
  // An unknown value stays a guess.
  for (const char *meta : {"'grid_type': 'SplitScanGrid'", "'grid_type': 'CooperativeReductionGrid'",
                           "'grid_type': 'SequentialComboKernelGrid'"})
    EXPECT_EQ(gridOfCall(meta, kPointwise, "k_0.run(a, b, 100, stream=s)"), std::nullopt) << meta;
  EXPECT_EQ(gridOfCall("", kPointwise, "k_0.run(a, b, 100, grid=split_scan_grid(1, 100), stream=s)"), std::nullopt);
  EXPECT_EQ(gridOfCall("", kPointwise, "k_0.run(a, b, s7, grid=grid(s7), stream=s)"), std::nullopt);
}

TEST(InductorCode, BuffersThatAreReusedViewedAndAllocatedInOtherWays) {
  auto sizes = [](const std::string &body) {
    InductorCall call = callOf(moduleOf("'grid_type': 'Grid1D'", kPointwise, body));
    auto of = [&](const char *name) { return call.elements.contains(name) ? call.elements[name] : -1; };
    return std::pair(of("in_ptr0"), of("out_ptr0"));
  };
  const std::string run = "    k_0.run(buf1, buf2, 8, stream=s)\n";
  EXPECT_EQ(sizes("    buf0 = empty_strided_cuda((4, 2), (2, 1), torch.float32)\n"
                  "    buf1 = buf0; del buf0  # reuse\n"
                  "    buf2 = reinterpret_tensor(buf1, (2, 2), (2, 1), 4); del buf1  # reuse\n"
                  "    k_0.run(reinterpret_tensor(buf1, (8, ), (1, ), 0), buf2, 8, stream=s)\n"),
            std::pair(int64_t{8}, int64_t{4}));
  EXPECT_EQ(sizes("    buf1 = empty((3, 5), device='cuda', dtype=torch.float32)\n"
                  "    buf2 = empty_strided((3, 5), (1, 3), device='cuda', dtype=torch.float32)\n" +
                  run),
            std::pair(int64_t{15}, int64_t{15}));
  EXPECT_EQ(sizes("    buf1 = extern_kernels.convolution(x, y, stride=(1, 1))\n"
                  "    assert_size_stride(buf1, (4, 2, 3, 3), (18, 9, 3, 1))\n"
                  "    buf2 = empty_strided_cuda((), (), torch.float32)\n" +
                  run),
            std::pair(int64_t{72}, int64_t{1}));
  EXPECT_EQ(sizes("    buf1 = something(4)\n    buf2 = empty_strided_cuda((0, 4), (4, 1), torch.float32)\n" + run),
            std::pair(int64_t{-1}, int64_t{0}));
  EXPECT_EQ(sizes("    buf1 = empty_strided_cuda((4, ), (1, ), torch.float32)\n    buf1 = unknown(buf1)\n"
                  "    buf2 = empty_strided_cuda((s9, ), (1, ), torch.float32)\n" +
                  run),
            std::pair(int64_t{-1}, int64_t{-1}))
      << "a name that became something else";
}

TEST(InductorCode, SymbolsHaveTheValuesOfTheExampleInputs) {
  InductorCall call =
      callOf(moduleOf("'grid_type': 'Grid1D'", "in_ptr0, out_ptr0, ks0, xnumel, XBLOCK : tl.constexpr",
                      "    arg0_1, arg1_1 = args\n    s0 = arg0_1\n    assert_size_stride(arg1_1, (s0, 64), (64, 1))\n"
                      "    ps0 = 2 + s0\n    buf0 = empty_strided_cuda((ps0, 64), (64, 1), torch.float16)\n"
                      "    k_0_xnumel = 64*s0\n    k_0.run(arg1_1, buf0, ps0, k_0_xnumel, stream=stream0)\n",
                      "    from torch._dynamo.testing import rand_strided\n    arg0_1 = 12\n"
                      "    arg1_1 = rand_strided((12, 64), (64, 1), device='cuda:0', dtype=torch.float16)\n"));
  EXPECT_EQ(call.elements["in_ptr0"], 12 * 64);
  EXPECT_EQ(call.elements["out_ptr0"], 14 * 64);
  EXPECT_EQ(call.numbers["ks0"], 14);
  EXPECT_EQ(call.numbers["xnumel"], 768);
  EXPECT_EQ(gridOf(call, {256, 1, 1}), (std::array<uint32_t, 3>{3, 1, 1}));
}

TEST(InductorCode, TheFirstOfSeveralCallsCounts) {
  InductorCall call = callOf(moduleOf("'grid_type': 'Grid1D'", kPointwise,
                                      "    k_0.run(a, b, 8, stream=s)\n    k_0.run(a, b, 9, stream=s)\n"));
  EXPECT_EQ(call.numbers["xnumel"], 8);
  EXPECT_EQ(call.calls, 2u);
}

TEST(InductorCode, FilesThatAreNone) {
  EXPECT_EQ(read("").callOf("k_0"), nullptr);
  EXPECT_EQ(read("x = 1\nk_0.run(a, 1)\n").callOf("k_0"), nullptr);
  EXPECT_EQ(read(moduleOf("", kPointwise, "    pass\n")).callOf("k_0"), nullptr) << "it is never launched";
  std::string twice = moduleOf("", kPointwise, "    k_0.run(a, b, 8, stream=s)\n");
  std::string second =
      twice.substr(twice.find("k_0 = async"), twice.find("async_compile.wait") - twice.find("k_0 = async"));
  second.replace(0, 3, "k_1");
  twice.insert(twice.find("async_compile.wait"), second);
  EXPECT_EQ(read(twice).callOf("k_0"), nullptr) << "two kernels have the name";
  std::string whole = moduleOf("'grid_type': 'Grid1D'", kPointwise, "    k_0.run(a, b, 8, grid=grid(8), stream=s)\n");
  for (size_t size = 0; size < whole.size(); size += 7) // truncated at many places
    read(whole.substr(0, size)).callOf("k_0");
}

class InductorCache : public testing::Test {
protected:
  void SetUp() override {
    for (const auto &entry : fs::directory_iterator(fs::path(LANESCOPE_SOURCE_DIR) / "tests/golden/triton_cache"))
      if (fs::exists(entry.path() / "k_add.ptx")) {
        fs::create_directories(folder_ / "triton/0");
        fs::copy(entry.path(), folder_ / "triton/0/HASH");
      }
    fs::create_directories(folder_ / "ab");
  }
  void write(const std::string &parameters, const std::string &body) const {
    std::string text = moduleOf("'grid_type': 'Grid1D'", parameters, body);
    for (size_t at; (at = text.find("k_0")) != std::string::npos;)
      text.replace(at, 3, "k_add");
    std::ofstream(folder_ / "ab/cabmodule.py") << text;
  }
  /// The cached kernel with the launch that a check uses. The remarks are kept.
  CheckTarget target(core::SketchOptions given = {}) {
    TargetOptions options{.launch = {}, .sketch = std::move(given), .inductor = &files_};
    remarks_.clear();
    auto found = ptxTarget(folder_ / "triton/0/HASH/k_add.ptx", options, {}, remarks_);
    EXPECT_TRUE(found) << render(found.error());
    return found ? *std::move(found) : CheckTarget{};
  }
  static Diagnostics run(const CheckTarget &target) {
    auto result = core::emulate(target.ptx, target.launch, target.arrays, {});
    return result ? result->diagnostics : result.error();
  }
  const std::string call_ = "    assert_size_stride(x, (1000, ), (1, ))\n    assert_size_stride(y, (1000, ), (1, ))\n"
                            "    buf0 = empty_strided_cuda((1000, ), (1, ), torch.float32)\n";

  const TemporaryFolder own_;
  const fs::path folder_ = own_.path();
  InductorFiles files_;
  Diagnostics remarks_;
};

const std::string kAdd = "x, y, out, n, xnumel, XBLOCK : tl.constexpr";

TEST_F(InductorCache, AKernelIsLaunchedAsTheOutputCodeCallsIt) {
  write(kAdd, call_ + "    k_0.run(x, y, buf0, 1000, 1000, stream=s)\n");
  CheckTarget found = target();
  EXPECT_TRUE(found.guesses.empty()) << found.guesses[0];
  EXPECT_EQ(found.launch.grid, (std::array<uint32_t, 3>{4, 1, 1}));
  ASSERT_GE(found.arrays.size(), 3u);
  for (size_t n = 0; n < 3; ++n)
    EXPECT_EQ(found.arrays[n].size(), 1000);
  EXPECT_TRUE(run(found).empty()) << render(run(found));
  ASSERT_EQ(remarks_.size(), 1u) << render(remarks_);
  EXPECT_EQ(remarks_[0].kind, "output-code");
  EXPECT_NE(remarks_[0].span.source->name().find("cabmodule.py"), std::string_view::npos);
}

TEST_F(InductorCache, BuffersThatAreTooSmallForTheCallAreFaults) {
  write(kAdd, call_ + "    k_0.run(x, y, buf0, 1001, 1001, stream=s)\n");
  CheckTarget found = target();
  EXPECT_TRUE(found.guesses.empty()) << "real sizes are no guesses";
  Diagnostics faults = run(found);
  ASSERT_FALSE(faults.empty());
  EXPECT_EQ(faults[0].kind, "global-out-of-bounds");
}

TEST_F(InductorCache, WhatTheOutputCodeDoesNotSayStaysAGuess) {
  write(kAdd, call_ + "    k_0.run(x, unknown(), buf0, s0, s0, stream=s)\n");
  std::string guesses;
  for (const std::string &guess : target().guesses)
    guesses += guess + "; ";
  for (const char *part : {"`grid`", "`y`", "`n`"})
    EXPECT_NE(guesses.find(part), std::string::npos) << guesses;
  for (const char *part : {"`x`", "`out`"})
    EXPECT_EQ(guesses.find(part), std::string::npos) << guesses;
}

TEST_F(InductorCache, WithoutOutputCodeAllIsAGuess) {
  EXPECT_GE(target().guesses.size(), 5u);
  EXPECT_TRUE(remarks_.empty());
}

TEST_F(InductorCache, WhatTheUserSaysComesFirst) {
  write(kAdd, call_ + "    k_0.run(x, y, buf0, 1001, 1001, stream=s)\n");
  core::SketchOptions given;
  given.arguments = {{"n", "1000"}};
  given.grid = {5, 1, 1};
  CheckTarget found = target(given);
  EXPECT_EQ(found.launch.grid, (std::array<uint32_t, 3>{5, 1, 1}));
  EXPECT_TRUE(run(found).empty());
}

TEST_F(InductorCache, WhatABlockDoesIsInTheIr) {
  EXPECT_EQ(tritonBlocks(folder_ / "triton/0/HASH/k_add.ptx"), (std::array<int64_t, 3>{256, 1, 1}));
  EXPECT_EQ(tritonBlocks(folder_ / "triton/0/HASH/nothing.ptx"), (std::array<int64_t, 3>{}));
  auto blocks = [&](const std::string &ir) {
    std::ofstream(folder_ / "k.ttir") << ir;
    return tritonBlocks(folder_ / "k.ptx");
  };
  EXPECT_EQ(blocks("%c64_i32 = arith.constant 64 : i32\n%c8_i32 = arith.constant 8 : i32\n"
                   "%yoffset = tt.get_program_id y : i32 loc(#a)\n%0 = arith.muli %yoffset, %c8_i32 : i32\n"
                   "%xoffset = tt.get_program_id x : i32 loc(#a)\n%1 = arith.muli %xoffset, %c64_i32 : i32\n"),
            (std::array<int64_t, 3>{64, 8, 1}));
  EXPECT_EQ(blocks("%x = tt.get_program_id x : i32\n%1 = arith.addi %x, %c : i32\n")[0], 1);
  EXPECT_EQ(blocks("%c64 = arith.constant 64 : i32\n%c8 = arith.constant 8 : i32\n%x = tt.get_program_id x : i32\n"
                   "%1 = arith.muli %x, %c64 : i32\n%2 = arith.muli %x, %c8 : i32\n")[0],
            0);
  EXPECT_EQ(blocks("%x = tt.get_program_id x : i32\n%1 = arith.muli %x, %size : i32\n")[0], 0);
}

} // namespace
} // namespace lanescope::repl
