// Modules of other MLIR versions: what the table of differences rewrites, what stays unchanged, and what happens to
// operations that no dialect has.
#include "core/gpu/ir/Context.h"
#include "core/gpu/ir/Dump.h"
#include "core/gpu/ir/GpuDialects.h"
#include "core/ir/CommonSyntax.h"
#include "core/ir/KernelModule.h"
#include "core/ir/ModuleLexer.h"

#include <gtest/gtest.h>

namespace lanescope::core {
namespace {

std::string ours(std::string_view text) {
  std::vector<SyntaxDifference> known(commonDifferences().begin(), commonDifferences().end());
  std::ranges::copy(gpuDialects().differences, std::back_inserter(known));
  return EditedText(text, toOurSyntax(text, known)).text();
}

std::string readAndPrinted(const std::string &text) {
  IrContext context = makeGpuContext();
  auto module = parseModule(context, Source::make("k.mlir", text));
  return module ? moduleText(*module) : render(module.error());
}

TEST(ModuleLexer, TokensOfAnOperation) {
  std::string_view text = "%0:2 = nvvm.elect.sync -> i1 // a comment\n#a.b<\"x\\\"y\"> !t";
  std::vector<std::string> words;
  ModuleLexer lexer(text);
  for (ModuleToken token = lexer.next(); token.kind != ModuleToken::Kind::End; token = lexer.next())
    words.emplace_back(lexer.of(token));
  EXPECT_EQ(words, (std::vector<std::string>{"%0", ":", "2", "=", "nvvm.elect.sync", "->", "i1", "#a.b", "<",
                                             "\"x\\\"y\"", ">", "!t"}));
  EXPECT_EQ(lexer.next().kind, ModuleToken::Kind::End);
}

TEST(ModuleLexer, Brackets) {
  EXPECT_EQ(pastBracket("(a -> b, [\")\"])c", 0), 15U);
  EXPECT_EQ(pastBracket("<a (d0) -> (d0)>", 0), 16U);
  EXPECT_EQ(pastBracket("(a]", 0), std::string_view::npos);
  EXPECT_EQ(pastBracket("(a", 0), std::string_view::npos);
}

TEST(EditedText, KnowsWhereItsBytesComeFrom) {
  EditedText edited("one two three", {{8, 13, "3"}, {0, 3, "first"}});
  EXPECT_EQ(edited.text(), "first two 3");
  EXPECT_EQ(edited.original(0), 0U);
  EXPECT_EQ(edited.original(4), 0U);
  EXPECT_EQ(edited.original(6), 4U);
  EXPECT_EQ(edited.original(10), 8U);
  EXPECT_EQ(edited.original(11), 13U);
}

TEST(SyntaxDifferences, NewerAndOlderSpellings) {
  EXPECT_EQ(ours("a\n  nvvm.fence.proxy <async.shared>, space = <cta>\nb"),
            "a\n  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}\nb");
  EXPECT_EQ(ours("nvvm.fence.proxy <alias>\n"), "nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}\n");
  EXPECT_EQ(ours("nvvm.cp.async.bulk.wait_group 1 read\n  nvvm.cp.async.bulk.wait_group 2\nx"),
            "nvvm.cp.async.bulk.wait_group 1 {read}\n  nvvm.cp.async.bulk.wait_group 2\nx");
  EXPECT_EQ(
      ours("%1 = vector.extract_strided_slice %0 offsets = [0, 0], sizes = [8, 8], strides = [1, 1] {a = [1]} : x"),
      "%1 = vector.extract_strided_slice %0 {offsets = [0, 0], sizes = [8, 8], strides = [1, 1], a = [1]} : x");
  EXPECT_EQ(ours("vector.insert_strided_slice %0, %1#2 offsets = [0], strides = [1] : x"),
            "vector.insert_strided_slice %0, %1#2 {offsets = [0], strides = [1]} : x");
  EXPECT_EQ(ours("vector.insert_strided_slice %0, %1 offsets = [0], strides = [1] : x"),
            "vector.insert_strided_slice %0, %1 {offsets = [0], strides = [1]} : x");
  EXPECT_EQ(ours("nvvm.mbarrier.init.shared %0, %1 : !llvm.ptr<3>, i32"),
            "nvvm.mbarrier.init %0, %1 : !llvm.ptr<3>, i32");
  EXPECT_EQ(ours("nvvm.mbarrier.arrive.expect_tx %0, %c64 scope = cluster : !llvm.ptr<7>, i32"),
            "nvvm.mbarrier.arrive.expect_tx %0, %c64 {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32");
}

TEST(CommonSyntax, SlicesGoBothWays) {
  const std::string newer =
      "  %1 = vector.extract_strided_slice %0 offsets = [2, 0], sizes = [1, 16], strides = [1, 1] : "
      "vector<4x16xi32> to vector<1x16xi32>\n";
  const std::string older =
      "  %1 = vector.extract_strided_slice %0 {offsets = [2, 0], sizes = [1, 16], strides = [1, 1]} : "
      "vector<4x16xi32> to vector<1x16xi32>\n";
  EXPECT_EQ(ours("a\n" + newer + "b"), "a\n" + older + "b");
  EXPECT_EQ(asJaxPrints("a\n" + older + "b"), "a\n" + newer + "b");
  EXPECT_EQ(ours(older), older);
  EXPECT_EQ(asJaxPrints(newer), newer);
  EXPECT_EQ(asJaxPrints("vector.insert_strided_slice %0, %1 {offsets = [0], strides = [1]} : x"),
            "vector.insert_strided_slice %0, %1 offsets = [0], strides = [1] : x");
  for (const char *same : {"", "\n", "vector.extract_strided_slice", "vector.extract_strided_slice %0 offsets = [2",
                           "tpu.log \"vector.extract_strided_slice %0 offsets = [0], sizes = [1], strides = [1] : \"",
                           "// vector.extract_strided_slice %0 offsets = [0], sizes = [1], strides = [1] : x"})
    EXPECT_EQ(ours(same), same);
}

TEST(SyntaxDifferences, LeaveTheRestAsItIs) {
  for (const char *same : {"", "nvvm.fence.proxy ", "nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}",
                           "nvvm.fence.proxy <never closed\n>", "\"nvvm.fence.proxy <alias>\"",
                           "// nvvm.fence.proxy <alias>\n", "#x<nvvm.fence.proxies <alias>>"})
    EXPECT_EQ(ours(same), same);
}

TEST(ModuleReader, UnknownOperationsAreKept) {
  const std::string text = R"(func.func @k(%i: i32, %v: vector<64x8xf32>) -> i32 {
  %a:2 = mosaic_gpu.frobnicate %i, %v {n = 1 : i32} : i32, vector<64x8xf32>
  mosaic_gpu.other (%a#0 : i32) {
    ^bb0(%x: i32):
      mosaic_gpu.inner %x
  }
  %r = arith.addi %a#0, %i : i32
  %w = arith.addf %a#1, %v : vector<64x8xf32>
  return %r : i32
}
)";
  auto dump = readDump(Source::make("k.mlir", text));
  ASSERT_TRUE(dump) << render(dump.error());
  ASSERT_EQ(dump->ops.size(), 3U);
  EXPECT_EQ(dump->ops[0].name, "mosaic_gpu.frobnicate");
  EXPECT_FALSE(dump->ops[0].known);
  ASSERT_EQ(dump->ops[0].operands.size(), 2U);
  EXPECT_EQ(dump->ops[0].operands[1].type, "vector<64x8xf32>");
  ASSERT_EQ(dump->ops[0].results.size(), 2U);
  EXPECT_EQ(dump->ops[0].results[0].type, "i32");
  EXPECT_EQ(dump->ops[0].results[1].type, "vector<64x8xf32>");
  EXPECT_EQ(text.substr(dump->ops[0].nameSpan.begin, 21), "mosaic_gpu.frobnicate");
  EXPECT_EQ(dump->ops[1].name, "mosaic_gpu.other");
  EXPECT_TRUE(dump->ops[2].known);

  std::string again = readAndPrinted(text);
  EXPECT_NE(again.find("\"mosaic_gpu.frobnicate\"(%arg0, %arg1) {text = \"mosaic_gpu.frobnicate"), std::string::npos)
      << again;
  EXPECT_EQ(readAndPrinted(again), again);
}

TEST(ModuleReader, UnknownOperationsInGenericFormAndOfOtherDialects) {
  std::string again = readAndPrinted(R"(func.func @k(%i: i32) {
  %0 = "mosaic_gpu.frobnicate"(%i) <{n = 1 : i32}> : (i32) -> i32
  "elsewhere.op"(%0) : (i32) -> ()
  return
})");
  EXPECT_NE(again.find("\"mosaic_gpu.frobnicate\"(%arg0) <{n = 1 : i32}> : (i32) -> i32"), std::string::npos) << again;
  EXPECT_NE(again.find("\"elsewhere.op\"(%0) : (i32) -> ()"), std::string::npos) << again;
}

TEST(ModuleReader, ArgumentsOfAnyTypeAreNoFault) {
  std::string again = readAndPrinted(R"("builtin.module"() ({
  %0 = "llvm.mlir.undef"() : () -> vector<64x8xf32>
  %1 = "mosaic_gpu.layout_cast"(%0) <{new_layout = #mosaic_gpu.WGStridedFragLayout<[64, 8], 2>}> : (vector<64x8xf32>) -> vector<64x8xf32>
}) : () -> ())");
  EXPECT_NE(again.find("\"llvm.mlir.undef\"() : () -> vector<64x8xf32>"), std::string::npos) << again;
  std::string wrong = readAndPrinted(R"("builtin.module"() ({
  %0 = "llvm.mlir.undef"() : () -> vector<64x8xf32>
  %1 = "mosaic_gpu.layout_cast"(%0, %0) <{new_layout = 1 : i32}> : (vector<64x8xf32>, vector<64x8xf32>) -> vector<64x8xf32>
}) : () -> ())");
  EXPECT_NE(wrong.find("k.mlir:3:8: error: "), std::string::npos) << wrong;
  std::string early = readAndPrinted(R"(func.func @f() {
  "mosaic_gpu.debug_print"(%0) <{format = "{}"}> : (vector<64x8xf32>) -> ()
  %0 = "llvm.mlir.undef"() : () -> vector<64x8xf32>
  return
})");
  EXPECT_NE(early.find("error: "), std::string::npos) << early;
}

TEST(ModuleReader, ErrorsBehindARewrittenPartHaveTheirOwnColumn) {
  auto dump = readDump(Source::make("k.mlir", "nvvm.fence.proxy <alias> oops\n"));
  ASSERT_FALSE(dump);
  LineColumn place = dump.error().front().span.source->lineColumn(dump.error().front().span.begin);
  EXPECT_EQ(place.line, 1U);
  EXPECT_EQ(place.column, 26U) << render(dump.error());
}

} // namespace
} // namespace lanescope::core
