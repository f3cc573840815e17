// Reading JAX's dumps as data: texts that JAX 0.11 wrote, and texts broken in every way that we could think of.
#include "core/gpu/ir/Dump.h"

#include "layouts/Catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

using namespace lanescope;
using namespace lanescope::core;

namespace {

std::string golden(const std::string &path) {
  std::ifstream file(LANESCOPE_SOURCE_DIR "/tests/golden/jax_dumps/" + path);
  std::ostringstream content;
  content << file.rdbuf();
  EXPECT_FALSE(content.str().empty()) << path;
  return content.str();
}

Result<Dump> read(std::string text) { return readDump(Source::make("dump.mlir", std::move(text))); }

const DumpOp *find(const Dump &dump, std::string_view name) {
  auto found = std::ranges::find(dump.ops, name, &DumpOp::name);
  return found == dump.ops.end() ? nullptr : &*found;
}

std::string_view textOf(const Span &span) {
  return std::string_view(span.source->text()).substr(span.begin, span.end - span.begin);
}

std::vector<std::string> names(const Dump &dump) {
  std::vector<std::string> out;
  for (const DumpOp &op : dump.ops)
    out.push_back(op.name);
  return out;
}

/// The text must be refused, with an error that has a place.
void expectRefused(const std::string &text, std::string_view message, const std::string &about) {
  auto dump = read(text);
  ASSERT_FALSE(dump) << about;
  ASSERT_FALSE(dump.error().empty()) << about;
  EXPECT_TRUE(hasErrors(dump.error())) << about;
  bool found = false;
  for (const Diagnostic &problem : dump.error()) {
    ASSERT_TRUE(problem.span.source) << about << ": " << problem.message;
    EXPECT_EQ(problem.span.source->name(), "dump.mlir");
    EXPECT_EQ(problem.span.source->text(), text) << "the span is in the text as given";
    EXPECT_LE(problem.span.begin, text.size());
    EXPECT_LE(problem.span.end, text.size());
    found |= problem.message.find(message) != std::string::npos;
  }
  EXPECT_TRUE(found) << about << ": " << render(dump.error());
}

// inventory: DL dump_layout_inference
TEST(Dump, MatmulAfterInference) {
  auto dump = read(golden("wgmma_Warpgroup/k_7.after_layout_inference.txt"));
  ASSERT_TRUE(dump) << render(dump.error());
  EXPECT_EQ(dump->module, "k");
  EXPECT_EQ(dump->arch, "sm_90");
  EXPECT_TRUE(dump->hasLayouts);
  EXPECT_TRUE(dump->warnings.empty()) << render(dump->warnings);

  ASSERT_EQ(dump->kernels.size(), 1U);
  const DumpKernel &kernel = dump->kernels[0];
  EXPECT_EQ(kernel.name, "k_mosaic_gpu");
  EXPECT_EQ(kernel.grid, (DumpKernel::Sizes{1, 1, 1}));
  EXPECT_EQ(kernel.block, (DumpKernel::Sizes{128, 1, 1}));
  EXPECT_FALSE(kernel.cluster);
  EXPECT_EQ(kernel.dynamicSmem, 24584);

  const DumpOp *wgmma = find(*dump, "mosaic_gpu.wgmma");
  ASSERT_TRUE(wgmma);
  EXPECT_EQ(textOf(wgmma->nameSpan), "mosaic_gpu.wgmma");
  ASSERT_EQ(wgmma->operands.size(), 3U);
  ASSERT_EQ(wgmma->results.size(), 1U);
  layouts::RegisterLayout wgmmaLayout = layouts::catalogue::wgmma();
  EXPECT_EQ(wgmma->operands[0].layout, wgmmaLayout);
  EXPECT_EQ(wgmma->results[0].layout, wgmmaLayout);
  EXPECT_EQ(wgmma->results[0].type, "vector<64x128xf32>");
  EXPECT_EQ(wgmma->results[0].shape, (layouts::Shape{64, 128}));
  EXPECT_EQ(wgmma->results[0].dtype, layouts::Dtype::F32);
  SmemTransforms transforms{layouts::Shape{8, 64}, 128};
  EXPECT_EQ(wgmma->operands[1].place, DumpValue::Place::SharedMemory);
  EXPECT_EQ(wgmma->operands[1].transforms, transforms);
  EXPECT_EQ(wgmma->operands[2].transforms, transforms);

  // Only the shared-memory reference of an asynchronous load has transforms; its barrier has none.
  const DumpOp *load = find(*dump, "mosaic_gpu.async_load");
  ASSERT_TRUE(load);
  EXPECT_EQ(load->operands[0].place, DumpValue::Place::GlobalMemory);
  EXPECT_FALSE(load->operands[0].transforms);
  EXPECT_EQ(load->operands[1].transforms, transforms);
  EXPECT_EQ(load->operands[2].place, DumpValue::Place::Barrier);
  EXPECT_FALSE(load->operands[2].transforms);

  const DumpOp *constant = find(*dump, "arith.constant");
  ASSERT_TRUE(constant);
  EXPECT_EQ(constant->results[0].layout, (layouts::RegisterLayout{layouts::WGSplatFragLayout{{64, 128}}}));
}

TEST(Dump, ElementwiseAfterInference) {
  auto dump = read(golden("add_Warpgroup/k_4.after_layout_inference.txt"));
  ASSERT_TRUE(dump) << render(dump.error());
  EXPECT_EQ(names(*dump), (std::vector<std::string>{"arith.constant", "mosaic_gpu.vector_load", "arith.addf",
                                                    "mosaic_gpu.vector_store"}));
  EXPECT_EQ(dump->kernels[0].dynamicSmem, 0);
  layouts::RegisterLayout strided = *layouts::WGStridedFragLayout::make({128, 128}, 2);
  EXPECT_EQ(dump->ops[2].operands[0].layout, strided);
  EXPECT_EQ(dump->ops[2].operands[1].layout, strided);
  EXPECT_EQ(dump->ops[2].results[0].layout, strided);
  EXPECT_EQ(textOf(dump->ops[2].nameSpan), "arith.addf");
}

TEST(Dump, EmptyTransformsAreKnownOnes) {
  auto dump = read(golden("tma_Warpgroup/k_5.after_layout_inference.txt"));
  ASSERT_TRUE(dump) << render(dump.error());
  const DumpOp *load = find(*dump, "mosaic_gpu.vector_load");
  ASSERT_TRUE(load);
  EXPECT_EQ(load->operands[0].transforms, SmemTransforms{});
}

TEST(Dump, BeforeInferenceListsTheSameOps) {
  for (std::string path : {"add_Warpgroup/k_4", "tma_Warpgroup/k_5", "wgmma_Warpgroup/k_7"}) {
    auto before = read(golden(path + ".before_layout_inference.txt"));
    auto after = read(golden(path + ".after_layout_inference.txt"));
    ASSERT_TRUE(before) << render(before.error());
    ASSERT_TRUE(after) << render(after.error());
    EXPECT_FALSE(before->hasLayouts) << path;
    auto registerOps = [](Dump &dump) {
      // Inference adds the barriers that its layouts require.
      std::vector<std::string> all = names(dump);
      std::erase(all, "mosaic_gpu.optimization_barrier");
      return all;
    };
    EXPECT_EQ(registerOps(*before), registerOps(*after)) << path;
  }
}

TEST(Dump, OurOwnModules) {
  auto dump = read(R"(module @double {
  func.func @double(%x: memref<64x8xf32>) attributes {lanescope.grid = array<i64: 4, 2, 1>,
      lanescope.num_warpgroups = 2 : i64, lanescope.smem_bytes = 1024 : i64} {
    %v = "mosaic_gpu.vector_load"(%x) <{optimized = true}> : (memref<64x8xf32>) -> vector<64x8xf32>
    %w = "mosaic_gpu.layout_cast"(%v) <{new_layout = #mosaic_gpu.WGStridedFragLayout<[64, 8], 2>}> : (vector<64x8xf32>) -> vector<64x8xf32>
    lanescope.commit_smem
    return
  }
})");
  ASSERT_TRUE(dump) << render(dump.error());
  ASSERT_EQ(dump->kernels.size(), 1U);
  EXPECT_EQ(dump->kernels[0].name, "double");
  EXPECT_EQ(dump->kernels[0].grid, (DumpKernel::Sizes{4, 2, 1}));
  EXPECT_EQ(dump->kernels[0].block, (DumpKernel::Sizes{256, 1, 1}));
  EXPECT_EQ(dump->kernels[0].dynamicSmem, 1024);
  ASSERT_EQ(dump->ops.size(), 3U);
  EXPECT_FALSE(dump->ops[0].results[0].layout);
  EXPECT_TRUE(dump->ops[1].results[0].layout) << "the cast's own layout";
}

TEST(Dump, TensorMemoryAndWhatWarpsDo) {
  auto dump = read(R"(func.func @k(%p: memref<i32, #gpu.address_space<workgroup>>) {
  %a = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) {out_tmem_layouts = [#mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>]} -> memref<128x64xi32, #mosaic_gpu.tmem>
  "mosaic_gpu.warp_map"(%p) ({
  ^bb0(%q: memref<i32, #gpu.address_space<workgroup>>):
    "mosaic_gpu.custom_primitive"() <{in_layouts = [], in_transforms = [], out_layouts = []}> ({
      mosaic_gpu.return
    }) : () -> ()
    nvvm.cp.async.bulk.wait_group 0 read
  }) : (memref<i32, #gpu.address_space<workgroup>>) -> ()
  return
})");
  ASSERT_TRUE(dump) << render(dump.error());
  EXPECT_TRUE(dump->warnings.empty()) << render(dump->warnings);
  EXPECT_EQ(names(*dump), (std::vector<std::string>{"mosaic_gpu.tmem_alloc", "mosaic_gpu.warp_map",
                                                    "mosaic_gpu.custom_primitive", "mosaic_gpu.return"}));
  ASSERT_TRUE(dump->ops[0].results[0].tensorLayout);
  EXPECT_EQ(layouts::catalogueName(*dump->ops[0].results[0].tensorLayout), "tmem_default_layout(packing=1)");
}

TEST(Dump, NestedRegionsAndPlacesInPython) {
  auto dump = read(R"(func.func @k(%x: memref<64x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  scf.for %i = %c0 to %n step %n {
    %v = "mosaic_gpu.vector_load"(%x) <{optimized = true}> : (memref<64x8xf32>) -> vector<64x8xf32> loc(#loc1)
    scf.yield
  }
  return
}
#loc1 = loc("kernel.py":12:3)
)");
  ASSERT_TRUE(dump) << render(dump.error());
  ASSERT_EQ(dump->ops.size(), 1U);
  EXPECT_EQ(dump->ops[0].place, "kernel.py:12:3");
  EXPECT_EQ(dump->source->lineColumn(dump->ops[0].nameSpan.begin).line, 4U);
}

TEST(Dump, OpsThatOurDialectLacksAreListed) {
  auto dump = read(R"(func.func @k(%x: vector<64x8xf32>) {
  %v = "mosaic_gpu.not_here_yet"(%x) {in_layouts = [#mosaic_gpu.WGStridedFragLayout<[64, 8], 2>]} : (vector<64x8xf32>) -> i32
  "other.op"(%v) : (i32) -> ()
  return
})");
  ASSERT_TRUE(dump) << render(dump.error());
  EXPECT_EQ(names(*dump), (std::vector<std::string>{"mosaic_gpu.not_here_yet", "other.op"}));
  EXPECT_FALSE(dump->ops[0].known);
  EXPECT_TRUE(dump->ops[0].operands[0].layout);
}

TEST(Dump, LayoutsThatBelongToNothingAreWarnings) {
  auto dump = read(R"(func.func @k(%x: vector<64x8xf32>) {
  %v = arith.addf %x, %x {in_layouts = [#mosaic_gpu.WGStridedFragLayout<[64, 8], 2>], out_layouts = ["?"]} : vector<64x8xf32>
  %w = arith.negf %x {in_layouts = [#mosaic_gpu.WGStridedFragLayout<[64, 16], 2>]} : vector<64x8xf32>
  %u = arith.negf %x {in_layouts = 7} : vector<64x8xf32>
  return
})");
  ASSERT_TRUE(dump) << render(dump.error());
  ASSERT_EQ(dump->warnings.size(), 4U) << render(dump->warnings);
  EXPECT_EQ(dump->warnings[0].message, "`in_layouts` has 1 entry for 2 arrays");
  EXPECT_EQ(dump->warnings[1].message, "`out_layouts` has an entry that is no register layout");
  EXPECT_EQ(dump->warnings[3].message, "`in_layouts` is not an array");
  EXPECT_EQ(textOf(dump->warnings[0].span), "arith.addf");
}

TEST(Dump, RefusesTextsThatAreNone) {
  expectRefused("", "no warpgroup-level operation", "empty");
  expectRefused("module {}", "no warpgroup-level operation", "an empty module");
  expectRefused("x = 1 + 2\n", "", "a snippet");
  expectRefused("func.func @k() { return }", "no warpgroup-level operation", "no kernel");
  expectRefused(".version 8.0\n.target sm_90a\n", "", "PTX");
}

TEST(Dump, RefusesWrongTypes) {
  std::string text = golden("add_Warpgroup/k_4.after_layout_inference.txt");
  auto replaced = [&](std::string_view from, std::string_view to) {
    std::string out = text;
    size_t at = out.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? out : out.replace(at, from.size(), to);
  };
  expectRefused(replaced("(memref<128x128xf32>) -> vector<128x128xf32>", "(memref<128x128xf32>) -> vector<128x64xf32>"),
                "", "a result of another shape");
  expectRefused(replaced("%41 = arith.addf", "%41 = arith.addi"), "", "integer addition of floats");
  expectRefused(replaced("[128, 128], 2>", "[128, 128], 3>"), "", "a layout that does not exist");
  expectRefused(replaced("[128, 128], 2>", "[128, \"x\"], 2>"), "", "a layout of no integers");
  expectRefused(replaced("%40, %cst", "%40, %nothing"), "undeclared", "an undefined value");
  expectRefused(replaced("vector<128x128xf32>", "vector<99999999999999999999xf32>"), "", "a size beyond 64 bits");
}

TEST(Dump, WrongTypesAreShownWhereTheyAre) {
  auto dump = read("func.func @k(%x: vector<8xf32>) {\n  nvvm.fence.proxy <async.shared>, space = <cta>\n"
                   "  %y = arith.addi %x, %x : vector<8xf32> loc(\"kernel.py\":1:1)\n  return\n}");
  ASSERT_FALSE(dump);
  EXPECT_EQ(dump.error()[0].span.source->lineColumn(dump.error()[0].span.begin).line, 3U) << render(dump.error());
}

TEST(Dump, RefusesTruncatedTexts) {
  std::string text = golden("wgmma_Warpgroup/k_7.after_layout_inference.txt");
  size_t last = text.find_last_of('}');
  for (size_t cut = text.find("func.func @k_mosaic_gpu"); cut < last; cut += 397)
    expectRefused(text.substr(0, cut), "", "cut at " + std::to_string(cut));
}

TEST(Dump, RefusesInvalidUtf8) {
  std::string text = golden("add_Warpgroup/k_4.after_layout_inference.txt");
  text[text.find("k_4")] = static_cast<char>(0xFF); // inside a string, where MLIR would accept it
  expectRefused(text, "not valid UTF-8", "a stray byte");
  expectRefused("module { \xC3", "not valid UTF-8", "half a character");
  expectRefused(std::string("mod\0ule {}", 10), "", "a zero byte");
}

std::string repeated(std::string_view part, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i)
    out += part;
  return out;
}

TEST(Dump, RefusesDeepNesting) {
  constexpr size_t kDeep = 200000;
  expectRefused("module attributes {a = " + repeated("7", kDeep) + " : i64} {}", "has more than 128 digits",
                "a number");
  expectRefused("module attributes {a = 1." + repeated("7", kDeep) + "e5} {}", "has more than 128 digits",
                "a fraction");
  expectRefused("module attributes {a = 0x" + repeated("f", kDeep) + " : i64} {}", "has more than 128 digits",
                "a hexadecimal number");
  expectRefused(repeated("module {", kDeep), "nesting is deeper than 128", "modules");
  expectRefused("module attributes {a = " + repeated("[", kDeep), "nesting is deeper than 128", "lists");
  expectRefused("module attributes {a = " + repeated("tuple<", kDeep), "nesting is deeper than 128", "types");
  expectRefused("#m = affine_map<(d0) -> (" + repeated("-", kDeep) + "d0)>", "affine map is longer",
                "a run of minus signs");
  expectRefused("#m = affine_map<(d0) -> (d0" + repeated(" + d0", kDeep) + ")>", "affine map is longer", "a long sum");

  std::string chain = "#a0 = []\n";
  for (size_t i = 1; i < kDeep / 10; ++i)
    chain += "#a" + std::to_string(i) + " = [#a" + std::to_string(i - 1) + "]\n";
  expectRefused(chain, "nesting is deeper than 128", "a chain of aliases");

  std::string doubling = "!t0 = tuple<i32, i32>\n";
  for (size_t i = 1; i < 60; ++i)
    doubling +=
        "!t" + std::to_string(i) + " = tuple<!t" + std::to_string(i - 1) + ", !t" + std::to_string(i - 1) + ">\n";
  expectRefused(doubling + "func.func private @k(!t59)", "written out", "aliases that double");
}

TEST(Dump, SurvivesEveryByteDropped) {
  // The result must be a dump or an error with a place.
  std::string text = "func.func @k(%x: vector<64x8xf32>) {\n  %v = arith.negf %x {in_layouts = "
                     "[#mosaic_gpu.WGStridedFragLayout<[64, 8], 2>]} : vector<64x8xf32>\n  return\n}";
  ASSERT_TRUE(read(text));
  for (size_t i = 0; i < text.size(); ++i) {
    std::string broken = text;
    broken.erase(i, 1);
    auto dump = read(broken);
    if (!dump)
      for (const Diagnostic &problem : dump.error())
        EXPECT_TRUE(problem.span.source) << i << ": " << problem.message;
  }
}

} // namespace
