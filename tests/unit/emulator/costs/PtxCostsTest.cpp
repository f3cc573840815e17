// The costs of lines of PTX: live registers in small programs with known answers, counts, and what a run records.
#include "tests/unit/emulator/EmulatorSupport.h"

#include "core/gpu/emulator/costs/Liveness.h"
#include "core/gpu/emulator/ptx/PtxParser.h"
#include "core/gpu/emulator/PtxCosts.h"

namespace lanescope::core::test {
namespace {

std::vector<uint32_t> liveIn(const std::string &body) {
  Kernel kernel;
  kernel.params = 0;
  kernel.body = body;
  auto module = emulator::parsePtx(Source::make("k.ptx", kernel.ptx()));
  EXPECT_TRUE(module) << errorText(module.error());
  return module ? emulator::liveRegisters(module->functions.front()) : std::vector<uint32_t>();
}
using Live = std::vector<uint32_t>;

TEST(Liveness, FromTheWriteToTheLastRead) {
  EXPECT_EQ(liveIn("mov.u32 %r0, 1;\nmov.u32 %r1, 2;\nadd.u32 %r2, %r0, %r1;\nst.global.u32 [%d0], %r2;\nret;"),
            (Live{3, 4, 4, 3, 0}));                         // %d0, which no instruction writes, takes two
  EXPECT_EQ(liveIn("mov.u32 %r0, 1;\nret;"), (Live{1, 0})); // no instruction reads it, and it takes a register
  EXPECT_EQ(liveIn("setp.eq.u32 %p0, %r0, 1;\n@%p0 mov.u32 %r1, 2;\nst.shared.u32 [%r0], %r1;\nret;"),
            (Live{2, 2, 2, 0})); // under a guard %r1 may keep its old value; predicates do not count
}

TEST(Liveness, AroundALoop) {
  Live live = liveIn("mov.u32 %r0, 0;\nmov.u32 %r1, 7;\n$L:\nadd.u32 %r0, %r0, %r1;\nsetp.lt.u32 %p0, %r0, 100;\n"
                     "@%p0 bra $L;\nst.shared.u32 [%r2], %r0;\nret;");
  EXPECT_EQ(live, (Live{2, 3, 3, 3, 3, 2, 0})); // %r1 is needed until the loop ends, %r2 after it
}

TEST(Liveness, ResultsOfEveryForm) {
  EXPECT_EQ(liveIn("mov.b64 {%r0, %r1}, %d0;\nst.shared.v2.b32 [%r2], {%r0, %r1};\nret;"), (Live{3, 3, 0}));
  EXPECT_EQ(liveIn("shfl.sync.bfly.b32 %r0|%p0, %r1, 1, 31, -1;\nst.shared.u32 [%r2], %r0;\nret;"), (Live{2, 2, 0}));
  // These instructions write no register.
  EXPECT_EQ(liveIn("bar.sync %r0, 128;\nnanosleep.u32 %r1;\nret;"), (Live{2, 1, 0}));
  EXPECT_EQ(liveIn("{ .reg .b32 now; mov.u32 now, 1; st.shared.u32 [%r0], now; }\n{ .reg .b64 now; mov.u64 now, 1; "
                   "st.shared.u64 [%r0], now; }\nret;"),
            (Live{2, 2, 3, 3, 0})); // two registers with one name, each in its own braces
  EXPECT_TRUE(liveIn("").empty());
}

size_t columnOf(const LineCosts &costs, std::string_view id) {
  for (size_t i = 0; i < costs.columns.size(); ++i)
    if (costs.columns[i].id == id)
      return i;
  ADD_FAILURE() << "no column " << id;
  return 0;
}

double costOf(const LineCosts &costs, const Source &ptx, std::string_view words, std::string_view column) {
  uint32_t line = ptx.lineColumn(static_cast<uint32_t>(ptx.text().find(words))).line;
  const std::vector<double> &of = costs.of(line);
  size_t at = columnOf(costs, column);
  return at < of.size() ? of[at] : 0;
}

constexpr char kBody[] = "mov.u32 %r0, %tid.x;\nmul.lo.u32 %r1, %r0, 128;\nmov.u32 %r2, smem;\nadd.u32 %r1, %r1, %r2;\n"
                         "st.shared.u32 [%r1], %r0;\nbar.sync 0;\nld.shared.u32 %r3, [%r1];\n"
                         "shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;\nmul.wide.u32 %d0, %r0, 4;\nadd.s64 %d1, %d51, %d0;\n"
                         "st.global.u32 [%d1], %r3;\nret;";

TEST(PtxCosts, OfTheTextAndOfARun) {
  Kernel kernel;
  kernel.threads = 64;
  kernel.dynamicSmem = 8192;
  kernel.declarations = ".extern .shared .align 128 .b8 smem[];";
  kernel.body = kBody;
  SourceRef ptx = Source::make("k.ptx", kernel.ptx());
  auto still = ptxCosts(ptx);
  ASSERT_TRUE(still) << errorText(still.error());
  EXPECT_EQ(costOf(*still, *ptx, "st.shared", "shared"), 1);
  EXPECT_EQ(costOf(*still, *ptx, "shfl.sync", "shuffles"), 1);
  EXPECT_EQ(costOf(*still, *ptx, "bar.sync", "sync"), 1);
  EXPECT_EQ(costOf(*still, *ptx, "st.global", "global"), 1);
  EXPECT_GE(costOf(*still, *ptx, "st.global", "live"), 3);
  for (const CostColumn &column : still->columns)
    EXPECT_NE(column.id, "conflicts"); // no run has been recorded

  std::vector<Array> arrays{u32Array(std::vector<uint32_t>(64)), u32Array(std::vector<uint32_t>(64))};
  RunRecord record;
  EmulatorOptions options;
  options.record = &record;
  EmulatorStatistics recorded, plain;
  auto result = emulate(ptx, launchOf(kernel, arrays), arrays, options, &recorded);
  ASSERT_TRUE(result && result->diagnostics.empty()) << errorText(result ? result->diagnostics : result.error());
  options.record = nullptr;
  auto without = emulate(ptx, launchOf(kernel, arrays), arrays, options, &plain);
  ASSERT_TRUE(without);
  EXPECT_EQ(recorded.cycles, plain.cycles); // counting changes no times
  EXPECT_EQ(recorded.warpInstructions, plain.warpInstructions);
  EXPECT_EQ(result->outputs[1].bytes, without->outputs[1].bytes);

  auto ran = ptxCosts(ptx, &record);
  ASSERT_TRUE(ran);
  EXPECT_EQ(costOf(*ran, *ptx, "st.shared", "executed"), 2); // two warps
  EXPECT_EQ(costOf(*ran, *ptx, "st.shared", "conflicts"), 62);
  EXPECT_EQ(costOf(*ran, *ptx, "ld.shared", "conflicts"), 62);
  EXPECT_EQ(costOf(*ran, *ptx, "st.shared", "smem_bytes"), 256);
  EXPECT_EQ(costOf(*ran, *ptx, "st.global", "gmem_bytes"), 256);
  EXPECT_GT(costOf(*ran, *ptx, "shfl.sync", "cycles"), 0); // it waits for the load
  double cycles = 0;
  for (const std::vector<double> &line : ran->lines)
    cycles += line.empty() ? 0 : line[columnOf(*ran, "cycles")];
  EXPECT_LE(cycles, 2 * static_cast<double>(recorded.cycles)); // two warps; each takes at most the run
  bool found = false;
  for (const InstructionRecord &entry : record.instructions)
    if (ptx->text().substr(entry.place, 9) == "st.shared") {
      found = true;
      ASSERT_EQ(entry.shared.size(), 64u); // 16 of every 128 bytes
      EXPECT_EQ(entry.shared[1].first - entry.shared[0].first, 128);
    }
  EXPECT_TRUE(found);
  RunRecord brief{.limit = 3};
  options.record = &brief;
  auto longer = emulate(ptx, launchOf(kernel, arrays), arrays, options);
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->outputs[1].bytes, without->outputs[1].bytes);
  EXPECT_TRUE(brief.instructions.empty()); // a part is not mistaken for the whole
  EXPECT_EQ(ptxCosts(ptx, &brief)->columns.size(), still->columns.size());
  RunRecord other;
  other.ptx = Source::make("other.ptx", "");
  EXPECT_EQ(ptxCosts(ptx, &other)->columns.size(), still->columns.size()); // a run of another PTX text
  EXPECT_FALSE(ptxCosts(Source::make("no.ptx", ".entry {{{")));
}

TEST(PtxCosts, RowsOfMatricesCount) {
  Kernel kernel;
  kernel.dynamicSmem = 1024;
  kernel.declarations = ".extern .shared .align 128 .b8 smem[];";
  kernel.body = "mov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 4;\nmov.u32 %r2, smem;\nadd.u32 %r1, %r1, %r2;\n"
                "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1], {%r0, %r0};\nret;";
  SourceRef ptx = Source::make("k.ptx", kernel.ptx());
  std::vector<Array> arrays{u32Array(std::vector<uint32_t>(4)), u32Array(std::vector<uint32_t>(4))};
  RunRecord record;
  EmulatorOptions options;
  options.record = &record;
  auto result = emulate(ptx, launchOf(kernel, arrays), arrays, options);
  ASSERT_TRUE(result) << errorText(result.error());
  auto costs = ptxCosts(ptx, &record);
  ASSERT_TRUE(costs);
  EXPECT_EQ(costOf(*costs, *ptx, "stmatrix", "smem_bytes"), 256); // two matrices of 8 rows of 16 bytes
  for (const InstructionRecord &entry : record.instructions)
    if (ptx->text().substr(entry.place, 8) == "stmatrix")
      EXPECT_EQ(entry.shared, (std::vector<std::pair<int64_t, int64_t>>{{0, 256}}));
}

TEST(PtxCosts, GoOverTheLinksToOtherTexts) {
  SourceRef snippet = Source::make("k.py", "a\nb\n");
  LineOrigin first{LineOrigin::Kind::Source, {spanAt(snippet, 1, 1)}};
  LineOrigin both{LineOrigin::Kind::Source, {spanAt(snippet, 1, 1), spanAt(snippet, 2, 1)}};
  Stage source{kSourceStage, snippet, {first, {LineOrigin::Kind::Source, {spanAt(snippet, 2, 1)}}}};
  Stage code{{"ptx", "", ""}, Source::make("k.ptx", "1\n2\n3\n"), {first, both, {}}};
  LineCosts costs{
      .columns = {{"instr", "instruction", "instructions", ""}, {"live", "register", "registers", "", true}},
      .lines = {{1, 5}, {2, 3}, {7, 9}}};
  LinkTable links(std::vector<const Stage *>{&source, &code});
  LineCosts seen = costsFrom(costs, links, 1, 0, 2);
  EXPECT_EQ(seen.of(1), (std::vector<double>{3, 5}));
  EXPECT_EQ(seen.of(2), (std::vector<double>{2, 3}));
  EXPECT_TRUE(seen.of(9).empty());
  EXPECT_EQ(costWords(seen, 1), "3 instructions\n5 registers");
  EXPECT_EQ(seen.largest(0), 3);
  EXPECT_EQ(costTable(seen, *snippet), "instr  live    |\n    3     5  1 | a\n    2     3  2 | b\n");
  EXPECT_EQ(costNumber(999), "999");
  EXPECT_EQ(costNumber(12345), "12.3 k");
  EXPECT_EQ(costNumber(2.5e6), "2.5 M");
  EXPECT_EQ(costNumber(3e9), "3.0 G");
}

} // namespace
} // namespace lanescope::core::test
