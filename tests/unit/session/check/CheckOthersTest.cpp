// `lanescope check` on the output of other compilers: the launch it uses, and its reports of guesses. The end-to-end
// test is tests/cli/check_others.py.
#include "layouts/support/Text.h"
#include "repl/check/Check.h"
#include "repl/check/CheckTargets.h"
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

fs::path golden(const char *name) { return fs::path(LANESCOPE_SOURCE_DIR) / "tests/golden" / name; }

class CheckOthers : public testing::Test {
protected:
  void write(const char *name, const std::string &text) const { std::ofstream(folder_ / name) << text; }
  static std::string kinds(const Diagnostics &diagnostics) {
    std::string all;
    for (const Diagnostic &diagnostic : diagnostics)
      all += (all.empty() ? "" : " ") + diagnostic.kind;
    return all;
  }

  const TemporaryFolder own_;
  const fs::path folder_ = own_.path();
};

constexpr char kPtx[] = R"(.version 8.7
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 .ptr .global .align 16 x, .param .u32 n)
{
.reg .b32 %r<4>;
.reg .b64 %d<4>;
ld.param.u64 %d1, [x];
ld.param.u32 %r1, [n];
mul.wide.u32 %d2, %r1, 4;
add.s64 %d3, %d1, %d2;
st.global.u32 [%d3], %r1;
ret;
}
)";

// A snippet's adversary schedules include those of its devices: a slow link, and each device slow in turn.
TEST_F(CheckOthers, SnippetsForSeveralDevices) {
  write("swap.py", R"(@kernel(mesh={"x": 2}, scratch=[Semaphore()])
def swap(x: GMEM((64, 64), f32, sharding=("x", None)), out: Out((64, 64), f32, sharding=("x", None)), done):
  other = 1 - axis_index("x")
  remote_ref(out, other)[...] = x[...]
  semaphore_signal(done, device_id=other)
  semaphore_wait(done)
x = random((128, 64), f32, seed=0)
assert max_error(swap(x), concatenate([x[64:], x[:64]])) == 0
)");
  CheckOptions options;
  options.seeds = 1;
  options.adversaries = true;
  auto report = check(folder_ / "swap.py", options);
  ASSERT_TRUE(report) << render(report.error());
  EXPECT_TRUE(report->findings.empty());
  EXPECT_EQ(report->runs, 10u)
      << "as it is, slow copies, late arrivals, a slow link, each of two devices slow, and each "
         "of four warps";
}

TEST_F(CheckOthers, TritonsMetadataIsALaunch) {
  write("k.ptx", kPtx);
  write("k.json", R"({"name": "k", "num_warps": 2, "num_ctas": 1, "shared": 64, "global_scratch_size": 0})");
  write("k.ttir", "module {\n  tt.func public @k(%out: !tt.ptr<f16> {tt.divisibility = 16 : i32} loc(\"out\"(#loc)), "
                  "%count: i32 loc(unknown)) {\n");
  auto hints = readTritonKernel(folder_ / "k.ptx");
  ASSERT_TRUE(hints && *hints);
  EXPECT_EQ((*hints)->entry, "k");
  EXPECT_EQ((*hints)->leastThreads, 64u);
  EXPECT_EQ((*hints)->dynamicSmem, 64u);
  ASSERT_EQ((*hints)->hints.size(), 4u); // `out`, `count` and two pointers to scratch memory
  EXPECT_EQ((*hints)->hints[0].name, "out");
  EXPECT_EQ((*hints)->hints[0].element, core::Dtype::F16);
  EXPECT_EQ((*hints)->hints[1].name, "count");
  EXPECT_FALSE((*hints)->hints[1].element);

  auto report = check(folder_, {.sketch = {.arguments = {{"count", "3"}}}, .seeds = 1});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->runs, 1u);
  EXPECT_EQ(kinds(report->remarks), "guessed-launch");
  EXPECT_EQ(kinds(report->problems), "");
}

TEST_F(CheckOthers, ADescriptionBesideThePtxIsOfItsKernel) {
  write("k.ptx", kPtx);
  auto kindOf = [&] {
    Diagnostics remarks;
    auto target = ptxTarget(folder_ / "k.ptx", {}, nullptr, remarks);
    EXPECT_EQ(kinds(remarks), target ? "" : "launch-of-another");
    return target ? text("grid ", target->launch.grid[0]) : target.error().front().kind;
  };
  write("launch.json", R"({"entry": "other", "grid": 5, "block": 64, "params": []})");
  EXPECT_EQ(launchBeside(folder_ / "k.ptx"), folder_ / "launch.json");
  EXPECT_EQ(kindOf(), "no-launch");
  write("k.launch.json", R"({"entry": "k", "grid": 7, "block": 64, "params": []})");
  EXPECT_EQ(launchBeside(folder_ / "k.ptx"), folder_ / "k.launch.json");
  EXPECT_EQ(kindOf(), "grid 7");
  EXPECT_EQ(launchBeside(folder_ / "nowhere" / "k.ptx"), "");
}

TEST_F(CheckOthers, DescriptorsOfTritonHaveSizesAndStridesBehindThem) {
  fs::path file;
  for (const auto &entry : fs::recursive_directory_iterator(golden("triton_cache")))
    file = entry.path().filename() == "k_tma_add.ptx" ? entry.path() : file;
  Diagnostics remarks;
  auto target = ptxTarget(file, {}, nullptr, remarks);
  ASSERT_TRUE(target);
  const auto &block = std::get<core::BytesParam>(target->launch.params[1]);
  ASSERT_EQ(block.tensorMaps.size(), 1u);
  EXPECT_EQ(block.tensorMaps[0].swizzle, 128);
  EXPECT_EQ(block.tensorMaps[0].box, (core::Shape{32, 32}));
  EXPECT_EQ(block.tensorMaps[0].dtype, core::Dtype::F32);
  auto value = [&](size_t n) { return std::get<core::ScalarParam>(target->launch.params[n]).bits; };
  EXPECT_EQ(value(2), static_cast<uint64_t>(block.tensorMaps[0].shape[0]));
  EXPECT_EQ(value(3), static_cast<uint64_t>(block.tensorMaps[0].shape[1]));
  EXPECT_EQ(value(4), static_cast<uint64_t>(block.tensorMaps[0].stridesBytes[0] / 4));
  EXPECT_EQ(value(5), 1u);
}

TEST_F(CheckOthers, GuessesThatDoNotFitAreNoFaultsOfTheKernel) {
  write("k.ptx", kPtx);
  write("k.json", R"({"name": "k", "num_warps": 1, "shared": 0})");
  auto report = check(folder_ / "k.ptx", {.sketch = {.arguments = {{"1", "5000000"}}}});
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->findings.empty());
  EXPECT_EQ(kinds(report->problems), "guessed-launch");
}

TEST_F(CheckOthers, DamagedMetadata) {
  write("k.ptx", kPtx);
  for (const char *text : {"", "[1]", R"({"num_warps": 99, "shared": 0})", R"({"num_warps": 4, "shared": -1})",
                           R"({"num_warps": 4, "shared": 0, "num_ctas": 0})"}) {
    write("k.json", text);
    auto hints = readTritonKernel(folder_ / "k.ptx");
    ASSERT_FALSE(hints) << text;
    EXPECT_EQ(kinds(hints.error()), "triton");
  }
  write("k.json", R"({"something": "else"})");
  auto hints = readTritonKernel(folder_ / "k.ptx");
  EXPECT_TRUE(hints && !*hints);
  for (const char *ir :
       {"tt.func public @k(", "tt.func public @k(%x", "tt.func public @k(%x: !tt.ptr<", "tt.func public @k()"}) {
    write("k.json", R"({"name": "k", "num_warps": 1, "shared": 0})");
    write("k.ttgir", ir);
    EXPECT_TRUE(readTritonKernel(folder_ / "k.ptx")) << ir;
  }
}

TEST_F(CheckOthers, WhatTheModuleDoesNotFitIsCompiledAnew) {
  fs::copy_file(golden("jax_dumps/tma_Warpgroup/k_5.before_layout_inference.txt"),
                folder_ / "k_5.before_layout_inference.txt");
  write("k_5.ptx", kPtx);
  auto report = check(folder_, {});
  ASSERT_TRUE(report);
  EXPECT_EQ(kinds(report->remarks), "compiled-anew");
  EXPECT_GT(report->runs, 1u) << "several schedules by default";
  EXPECT_TRUE(report->findings.empty() && report->problems.empty());
}

TEST_F(CheckOthers, ArraysThatAreNotThereAreRandom) {
  auto report = check(golden("nvcc"), {});
  ASSERT_TRUE(report);
  EXPECT_EQ(kinds(report->remarks), "random-inputs");
}

TEST_F(CheckOthers, FindingsComeByGrade) {
  CheckReport report;
  auto found = check(fs::path(LANESCOPE_SOURCE_DIR) / "tests/lit/ir", {});
  EXPECT_FALSE(found); // the folder has no PTX
  EXPECT_EQ(kinds(found.error()), "no-ptx");
  auto snippet = check(fs::path(LANESCOPE_SOURCE_DIR) / "tests/emulator/missing_commit.py", {});
  ASSERT_TRUE(snippet);
  EXPECT_TRUE(std::ranges::is_sorted(snippet->findings, {}, &Finding::severity));
}

} // namespace
} // namespace lanescope::repl
