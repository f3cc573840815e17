// The window reads the cases of tests/golden/readings like all other readers.
#include "tests/unit/Readings.h"
#include "viz/gui/explorer/ExplorerPanes.h"
#include "viz/host/FieldText.h"

#include <algorithm>

namespace lanescope::viz {
namespace {

using layouts::Memory;

std::string remarksOf(const ExplorerFacts &facts) {
  std::string out;
  for (const std::string &remark : facts.remarks)
    out += remark + "\n";
  return out;
}

TEST(WindowReading, OfEachCase) {
  for (const ReadingCase &each : readingCases()) {
    if (!each.reads)
      continue; // these depend on the array of the text field
    ExplorerInput input{.layout = each.text, .shape = "64x64", .dtype = "f32", .layoutEdited = !each.shape};
    if (each.shape)
      input.shape = shapeFieldText(*each.shape);
    ExplorerOutcome out = explore(input, {});
    ASSERT_TRUE(out.facts.diagnostics.empty()) << each.text << "\n" << render(out.facts.diagnostics);
    EXPECT_EQ(out.facts.read, each.memory) << each.text;
    if (std::holds_alternative<layouts::Foreign>(*out.facts.layout))
      EXPECT_EQ(out.facts.shape, *each.reads) << each.text;
    std::string remarks = remarksOf(out.facts);
    EXPECT_EQ(remarks.find("is read as") != std::string::npos, each.note.has_value()) << each.text << "\n" << remarks;
    if (each.note)
      EXPECT_NE(remarks.find("the switch `Read as`"), std::string::npos) << remarks;
    // The array's picture shows the same memory.
    PaneRequest request = paneRequest(input, out.facts, PaneKind::Array);
    auto reading = readingOf(request.spec, *request.layout);
    ASSERT_TRUE(reading);
    EXPECT_EQ(reading->memory, each.memory) << each.text;
  }
}

TEST(WindowReading, TheSwitchHolds) {
  ExplorerInput input{.layout = "(8,4):(4,1)", .shape = "8x4", .dtype = "f32"};
  ExplorerOutcome open = explore(input, {PaneKind::Array, PaneKind::Threads, PaneKind::Smem});
  EXPECT_EQ(open.facts.choices, (std::vector<Memory>{Memory::Shared, Memory::Registers}));
  EXPECT_EQ(open.facts.read, Memory::Shared);
  ASSERT_EQ(open.panes.size(), 3u);
  EXPECT_TRUE(open.panes[0].scene);
  EXPECT_FALSE(open.panes[1].scene) << "memory has no threads";
  EXPECT_TRUE(open.panes[2].scene);

  input.memory = Memory::Registers;
  ExplorerOutcome asked = explore(input, {PaneKind::Array, PaneKind::Threads});
  EXPECT_EQ(asked.facts.read, Memory::Registers);
  EXPECT_EQ(remarksOf(asked.facts).find("is read as"), std::string::npos) << "nothing is guessed";
  for (const PaneOutcome &pane : asked.panes)
    EXPECT_TRUE(pane.scene) << paneEntry(pane.kind).name;
  EXPECT_EQ(paneRequest(input, asked.facts, PaneKind::Array).spec.memory, Memory::Registers) << "shared with the view";

  // Compared with threads, the layout is read as threads. A switch that the layout does not know has no effect.
  ExplorerInput compared{.layout = "((4,8),(2,2)):((32,1),(16,8))",
                         .compare = "fragment(\"mma.m16n8k16.f16\", \"d\")",
                         .shape = "16x8",
                         .dtype = "f32"};
  ExplorerOutcome both = explore(compared, {PaneKind::Array, PaneKind::Second});
  EXPECT_EQ(both.facts.read, Memory::Registers);
  EXPECT_TRUE(both.facts.equal) << (both.facts.comparison.empty() ? "" : both.facts.comparison[0]);
  compared.memory = Memory::Tmem;
  EXPECT_EQ(explore(compared, {}).facts.read, Memory::Registers);
}

} // namespace
} // namespace lanescope::viz
