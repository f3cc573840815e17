// Which lines of the snippet each line of a kernel's stages comes from, as the snippet language shows it.
#include "tests/unit/repl/KernelSupport.h"

#include "core/gpu/emulator/EmulatorDevice.h"
#include "core/gpu/emulator/PtxCosts.h"
#include "core/Links.h"

namespace lanescope::repl {
namespace {

/// The numbers of the snippet's lines that a stage of the last launch comes from.
std::vector<uint32_t> linesIn(const Snippet &done, std::string_view id) {
  const core::Stages &stages = *done.runtime->launches().back().stages;
  std::vector<uint32_t> lines;
  core::Stage source = core::sourceStage(stages.sources.front());
  for (uint32_t line = 1; line <= source.origins.size(); ++line)
    if (!core::linkedLines(source, line, *stages.find(id)).empty())
      lines.push_back(line);
  return lines;
}

TEST(KernelLinks, EveryLineOfABody) {
  Snippet done(R"(@kernel()
def k(x: GMEM((128,), f32), out: Out((128,), f32)):
  def twice(value):
    return value * 2.0
  a = load(x)
  b = exp(twice(a))
  out[...] = a + b
k(random((128,), f32, seed=0))
)",
               {.device = "none", .keepTexts = true});
  ASSERT_TRUE(done.ok) << done.errors;
  for (const char *stage : {"ir", "laid-out", "nvvm", "llvm", "ptx"})
    EXPECT_EQ(linesIn(done, stage), (std::vector<uint32_t>{2, 4, 5, 6, 7})) << stage;
}

TEST(KernelLinks, CostsOfEachLine) {
  Snippet done(R"(@kernel()
def k(x: GMEM((128,), f32), out: Out((128,), f32)):
  a = load(x)
  out[...] = a + 1.0
x = random((128,), f32, seed=0)
k(x)
print(costs(k))
print(costs(k, x, run=True))
print(costs(k, stage="ptx"))
)",
               {.device = "emulator", .keepTexts = true});
  ASSERT_TRUE(done.ok) << done.errors;
  EXPECT_NE(done.printed.find("|   out[...] = a + 1.0"), std::string::npos) << done.printed;
  EXPECT_NE(done.printed.find("  gmem_bytes"), std::string::npos) << done.printed;
  EXPECT_NE(done.printed.find("ld.global"), std::string::npos) << done.printed;
  // Only the run has this column.
  EXPECT_EQ(done.printed.find("gmem_bytes"), done.printed.rfind("gmem_bytes")) << done.printed;
}

// Bytes that TMA moves are counted at the copy's line, summed over all blocks.
TEST(KernelLinks, BytesOfCopies) {
  Snippet done(R"(@kernel(grid=(2,), grid_names=("m",), scratch=[SMEM((64, 64), f16), Barrier()])
def k(x: GMEM((128, 64), f16), out: Out((128, 64), f16), tile, loaded):
  row = ds(axis_index("m") * 64, 64)
  copy_gmem_to_smem(x.at[row], tile, loaded)
  barrier_wait(loaded)
  copy_smem_to_gmem(tile, out.at[row])
  wait_smem_to_gmem(0)
)");
  ASSERT_TRUE(done.ok) << done.errors;
  core::RunRecord record;
  done.runtime->setDevice("emulator", core::makeEmulatorDevice(nullptr, &record));
  done.again("k(random((128, 64), f16, seed=0))\n");
  ASSERT_TRUE(done.ok) << done.errors;
  const core::KernelStages &stages = *done.runtime->launches().back().stages;
  SourceRef ptx = Source::make("k.ptx", stages.kernel->ptx);
  auto costs = core::ptxCosts(ptx, &record);
  ASSERT_TRUE(costs);
  auto column = std::ranges::find(costs->columns, "copy_bytes", &core::CostColumn::id) - costs->columns.begin();
  double loads = 0, stores = 0;
  for (uint32_t line = 1; line <= costs->lines.size(); ++line)
    if (!costs->of(line).empty()) {
      double bytes = costs->of(line)[static_cast<size_t>(column)];
      bool copies = ptx->lineText(line).find("cp.async.bulk.tensor") != std::string_view::npos;
      EXPECT_TRUE(copies || bytes == 0) << ptx->lineText(line);
      (ptx->lineText(line).find(".shared::cluster.global") != std::string_view::npos ? loads : stores) += bytes;
    }
  EXPECT_EQ(loads, 128 * 64 * 2);
  EXPECT_EQ(stores, 128 * 64 * 2);
  record.copies = false; // as in the fast mode, which counts no copies
  EXPECT_EQ(core::ptxCosts(ptx, &record)->columns.back().id, "gmem_bytes");
}

// prelude.py is not the user's file; its code links to the call in the snippet.
TEST(KernelLinks, TheLibrarysCodeLeadsToItsCall) {
  Snippet done(R"(@kernel()
def k(x: GMEM((4, 128), f32), out: Out((4, 128), f32)):
  def body(indices, a, o):
    o[...] = a[...] + 1.0
  spec = BlockSpec((1, 128), lambda i: (i, 0))
  emit_pipeline(body, grid=(4,), in_specs=[spec], out_specs=[spec], max_concurrent_steps=2)(x, out)
k(random((4, 128), f32, seed=0))
)",
               {.device = "none", .keepTexts = true});
  ASSERT_TRUE(done.ok) << done.errors;
  EXPECT_EQ(linesIn(done, "ptx"), (std::vector<uint32_t>{2, 4, 6}));
  EXPECT_EQ(done.runtime->launches().back().stages->sources.size(), 1u);
}

TEST(KernelLinks, AreShown) {
  Snippet done(R"(@kernel()
def k(x: GMEM((128,), f32), out: Out((128,), f32)):
  out[...] = load(x) * 3.0
x = random((128,), f32, seed=0)
code = links(k, x)
for line in code:
  if "mul" in line or "ret;" in line or ".reg" in line:
    print(line)
print(links(k, x, stage="ir").text == code.text)
)",
               {.device = "none"});
  ASSERT_TRUE(done.ok) << done.errors;
  EXPECT_NE(done.printed.find("3 | \tmul.f32"), std::string::npos) << done.printed;
  EXPECT_NE(done.printed.find("- | \tret;"), std::string::npos) << done.printed;
  EXPECT_NE(done.printed.find("  | \t.reg"), std::string::npos) << done.printed;
  EXPECT_NE(done.printed.find("False"), std::string::npos) << done.printed;
  done.again("links(k, x, stage=\"toaster\")");
  EXPECT_NE(done.errors.find("a stage is"), std::string::npos) << done.errors;
  // A kernel compiled without links has none.
  done.again("@kernel()\ndef k(x: GMEM((n,), f32), out: Out((n,), f32)):\n  out[...] = load(x)\nk(x)\n");
  ASSERT_TRUE(done.ok) << done.errors;
  done.again("links(k)");
  EXPECT_NE(done.errors.find("give the kernel's arguments, too"), std::string::npos) << done.errors;
}

} // namespace
} // namespace lanescope::repl
