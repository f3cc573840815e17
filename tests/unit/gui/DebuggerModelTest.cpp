// The debugger's model without a window: running, breakpoints, panels, and runs that cannot be opened.
#include "viz/gui/debugger/DebuggerModel.h"
#include "core/gpu/emulator/debug/Debugger.h"
#include "viz/gui/debugger/DebuggerWords.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace lanescope::viz {
namespace {

constexpr const char *kPtx = ".version 8.0\n.target sm_90a\n.address_size 64\n"
                             ".visible .entry k(.param .u64 out) {\n"
                             "  .reg .b32 %r<4>;\n  .reg .b64 %rd<4>;\n"
                             "  mov.u32 %r1, %tid.x;\n"       // line 7
                             "  ld.param.u64 %rd1, [out];\n"  // line 8
                             "  mul.wide.u32 %rd2, %r1, 4;\n" // line 9
                             "  add.s64 %rd3, %rd1, %rd2;\n"  // line 10
                             "  st.global.u32 [%rd3], %r1;\n" // line 11
                             "  ret;\n}\n";

std::shared_ptr<DebugTarget> targetOf(const char *ptx, int64_t elements = 64) {
  auto target = std::make_shared<DebugTarget>();
  target->title = "k";
  target->ptx = Source::make("k.ptx", ptx);
  target->launch.entry = "k";
  target->launch.block = {64, 1, 1};
  core::BufferSpec buffer;
  buffer.dtype = layouts::Dtype::I32;
  buffer.shape = {elements};
  target->launch.params = {core::BufferParam{buffer}};
  target->arrays = {core::Array::zeros(layouts::Dtype::I32, {elements})};
  return target;
}

class DebuggerModels : public testing::Test {
protected:
  void settle() {
    while (model.busy()) {
      model.update();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void perform(DebugAction action) {
    model.perform(action);
    settle();
  }

  DebuggerModel model;
};

TEST_F(DebuggerModels, DoNothingWithoutARun) {
  model.perform(DebugAction::Continue);
  model.toggleBreakpoint(1, false);
  model.showPanel(DebugPanel::Arrays);
  model.interrupt();
  settle();
  EXPECT_EQ(model.page(), nullptr);
  EXPECT_EQ(model.lineInFront(), 0U);
  EXPECT_EQ(readableText(model), "");
}

TEST_F(DebuggerModels, GoForwardAndBack) {
  model.offer(targetOf(kPtx));
  EXPECT_EQ(model.page(), nullptr); // the run is opened on request
  EXPECT_TRUE(model.ptxInFront);    // there is no snippet
  perform(DebugAction::Start);
  ASSERT_TRUE(model.page());
  EXPECT_EQ(model.page()->stop.moment, 0U);
  EXPECT_EQ(model.page()->warps.size(), 2U);
  EXPECT_EQ(model.lineInFront(), 7U);
  EXPECT_FALSE(model.page()->lastIsEnd);
  perform(DebugAction::Instruction);
  EXPECT_EQ(model.lineInFront(), 8U);
  perform(DebugAction::InstructionBack);
  EXPECT_EQ(model.lineInFront(), 7U);
  perform(DebugAction::End);
  EXPECT_EQ(model.page()->stop.reason, core::StopReason::End);
  EXPECT_TRUE(model.page()->lastIsEnd);
  uint64_t last = model.page()->last;
  EXPECT_GT(last, 5U);
  EXPECT_NE(readableText(model).find("all blocks have ended"), std::string::npos);
  model.goTo(3);
  settle();
  EXPECT_EQ(model.page()->stop.moment, 3U);
  EXPECT_EQ(model.page()->last, last);
}

TEST_F(DebuggerModels, StopAtBreakpoints) {
  model.offer(targetOf(kPtx));
  model.toggleBreakpoint(11, false);
  perform(DebugAction::Continue);
  EXPECT_EQ(model.page()->stop.reason, core::StopReason::Breakpoint);
  EXPECT_EQ(model.lineInFront(), 11U);
  ASSERT_EQ(model.page()->stops.size(), 1U);
  EXPECT_EQ(model.page()->stops[0].words, "PTX line 11");
  core::WarpRef first = model.page()->stop.warp;
  perform(DebugAction::Continue);
  EXPECT_NE(model.page()->stop.warp, first);
  model.toggleBreakpoint(11, false);
  settle();
  EXPECT_TRUE(model.page()->stops.empty());
  perform(DebugAction::Continue);
  EXPECT_EQ(model.page()->stop.reason, core::StopReason::End);
  model.setFocus({0, 1});
  settle();
  model.setFocus({7, 7}); // no such warp
  settle();
  EXPECT_EQ(model.page()->focus.block, 0U);
}

TEST_F(DebuggerModels, TakeArraysForTheirPanelAlone) {
  model.offer(targetOf(kPtx));
  perform(DebugAction::End);
  EXPECT_TRUE(model.page()->arrays.empty());
  model.showPanel(DebugPanel::Arrays);
  settle();
  ASSERT_EQ(model.page()->arrays.size(), 1U);
  EXPECT_EQ(model.page()->arrays[0].integer(63), 63);
  perform(DebugAction::Start);
  EXPECT_EQ(model.page()->arrays[0].integer(63), 0);
}

TEST_F(DebuggerModels, OpenAFaultAtTheMomentBefore) {
  auto target = targetOf(kPtx, 40); // lane 8 of warp 1 is the first whose address leaves the array
  target->faulted = true;
  model.offer(target);
  settle();
  ASSERT_TRUE(model.page());
  EXPECT_EQ(model.page()->stop.reason, core::StopReason::Fault);
  EXPECT_EQ(model.lineInFront(), 11U);
  EXPECT_EQ(model.page()->stop.warp, (core::WarpRef{0, 1}));
  EXPECT_NE(stopWords(*model.page()).find("the moment before a fault"), std::string::npos);
}

TEST_F(DebuggerModels, SayWhyARunCannotBeOpened) {
  model.offer(targetOf("this is no PTX"));
  perform(DebugAction::Continue);
  EXPECT_EQ(model.page(), nullptr);
  EXPECT_FALSE(model.problems().empty());
  model.offer(targetOf(kPtx)); // this run can be opened
  EXPECT_TRUE(model.problems().empty());
  perform(DebugAction::Start);
  EXPECT_TRUE(model.page());
}

// An endless loop.
constexpr const char *kEndless =
    ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
    "  .reg .b64 %rd<4>;\n  ld.param.u64 %rd1, [out];\nL:\n  mov.u64 %rd2, %clock64;\n"
    "  st.global.u64 [%rd1], %rd2;\n  bra L;\n}\n";

TEST_F(DebuggerModels, EndWhatRunsWhenToldTo) {
  auto endless = targetOf(kEndless);
  endless->launch.block = {1, 1, 1};
  model.offer(endless);
  model.perform(DebugAction::Continue);
  while (model.busy()) {
    model.interrupt();
    model.update();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_TRUE(model.page());
  EXPECT_EQ(model.page()->stop.reason, core::StopReason::Limit);
  // Opening another run waits neither for the closed run nor for its pending actions.
  model.perform(DebugAction::Continue);
  model.perform(DebugAction::Continue);
  EXPECT_TRUE(model.busy());
  model.offer(targetOf(kPtx));
  perform(DebugAction::Start);
  ASSERT_TRUE(model.page());
  EXPECT_EQ(model.page()->stop.moment, 0U);
  EXPECT_EQ(model.page()->warps.size(), 2U);
}

/// Stops that understand one word.
class OneStop final : public DebugStops {
public:
  explicit OneStop(core::Debugger &debugger) : debugger_(debugger) {}
  Result<std::string> obey(std::string_view words) override {
    if (words != "store")
      return error("debug-command", "it is none");
    auto made = debugger_.breakAt({.line = 11, .inSnippet = false, .condition = {}, .text = "store"});
    return made ? Result<std::string>("done") : std::unexpected(made.error());
  }
  Diagnostics takeProblems() override { return {}; }

private:
  core::Debugger &debugger_;
};

TEST_F(DebuggerModels, StopWhereWordsSay) {
  auto target = targetOf(kPtx);
  target->stops = [](core::Debugger &debugger) { return std::make_unique<OneStop>(debugger); };
  model.offer(target);
  model.obey("load");
  settle();
  EXPECT_TRUE(model.page()->refused);
  EXPECT_EQ(model.page()->said, "it is none");
  model.obey("store");
  settle();
  EXPECT_FALSE(model.page()->refused);
  EXPECT_EQ(model.page()->said, "done");
  ASSERT_EQ(model.page()->stops.size(), 1U);
  EXPECT_TRUE(model.page()->stops[0].conditional);
  EXPECT_NE(readableText(model).find("breakpoint at PTX line 11, if store"), std::string::npos) << readableText(model);
  perform(DebugAction::Continue);
  EXPECT_EQ(model.lineInFront(), 11U);
  EXPECT_EQ(model.page()->said, "");
  uint32_t number = model.page()->stops[0].number;
  model.enableStop(number, false);
  perform(DebugAction::Continue);
  EXPECT_EQ(model.page()->stop.reason, core::StopReason::End);
  EXPECT_FALSE(model.page()->stops[0].enabled);
  model.removeStop(number);
  settle();
  EXPECT_TRUE(model.page()->stops.empty());
  model.offer(targetOf(kPtx)); // without `OneStop`: lines only
  model.obey("store");
  settle();
  EXPECT_TRUE(model.page()->refused);
  model.writeCondition();
  settle();
  EXPECT_EQ(model.panel(), DebugPanel::Stops);
  EXPECT_EQ(model.stopWords, "ptx:7 if ");
}

TEST_F(DebuggerModels, GoFromWarpToWarp) {
  model.offer(targetOf(kPtx));
  model.focusNext(1); // no run is open yet
  perform(DebugAction::Start);
  for (uint32_t warp : {1U, 0U}) {
    model.focusNext(warp == 1 ? 1 : -1);
    settle();
    EXPECT_EQ(model.page()->focus, (core::WarpRef{0, warp}));
  }
  model.focusNext(-1); // wraps round
  settle();
  EXPECT_EQ(model.page()->focus, (core::WarpRef{0, 1}));
}

TEST(DebuggerMemoryWords, NameWhoWroteAWordAndWhatItIs) {
  DebugPage page;
  page.shared = {.address = 1024, .bytes = std::vector<std::byte>(256)};
  page.shared.bytes[131] = std::byte{0x40}; // 2.0f at 1152
  page.shared.writers = {{.address = 1024, .bytes = 128, .who = "", .place = {}},
                         {.address = 1152, .bytes = 64, .who = "warp 3", .place = {.snippetLine = 9}}};
  page.flights = {{.warp = {0, 1}, .bytes = 32, .from = "`x`", .sharedAddress = 1184}};
  page.shared.flights = {0};
  auto map = layouts::AddressMap::make("f32[2, 16]", {2, 16}, 32, [] {
    std::vector<int32_t> offsets;
    for (int n = 0; n < 32; ++n)
      offsets.push_back(n + 32);
    return offsets;
  }());
  ASSERT_TRUE(map);
  auto memories = std::make_shared<DebugMemories>();
  memories->tiles.push_back({"tile", layouts::Dtype::F32, 1024, *map});
  page.memories = memories;
  EXPECT_EQ(sharedWordWords(page, 1152),
            "address 1152, bank 0: 0x40000000, as f32 2, as i32 1073741824; tile[0, 0]; written by warp 3, line 9");
  EXPECT_EQ(sharedWordWords(page, 1024), "address 1024, bank 0: 0x00000000, as f32 0, as i32 0; not written");
  EXPECT_NE(sharedWordWords(page, 1216).find("; tile[1, 0]; not written"), std::string::npos)
      << sharedWordWords(page, 1216);
  EXPECT_NE(sharedWordWords(page, 1188).find("a copy of warp 1 is on its way there, from `x`"), std::string::npos);
  EXPECT_NE(sharedWordWords(page, 4096).find("not in the block's"), std::string::npos);
}

TEST(DebuggerActions, HaveNamesAndKeysOfTheirOwn) {
  std::set<std::string> names, keys;
  for (const DebugActionEntry &entry : debugActions()) {
    EXPECT_TRUE(names.insert(entry.name).second);
    EXPECT_EQ(debugActionNamed(entry.name), &entry);
    if (*entry.keys) {
      EXPECT_TRUE(keys.insert(entry.keys).second);
      EXPECT_EQ(keyNamed(entry.keys), entry.key) << entry.keys;
    }
  }
  EXPECT_EQ(debugActionNamed("nothing"), nullptr);
  std::set<std::string> panels;
  for (size_t n = 0; n < debugPanels().size(); ++n) {
    EXPECT_EQ(debugPanels()[n].panel, static_cast<DebugPanel>(n));
    EXPECT_TRUE(panels.insert(debugPanels()[n].name).second);
  }
}

TEST(DebuggerWords, NameLanes) {
  EXPECT_EQ(lanesWords(UINT32_MAX), "all lanes");
  EXPECT_EQ(lanesWords(1), "lane 0");
  EXPECT_EQ(lanesWords(0x8000000F), "lanes 0-3, 31");
}

} // namespace
} // namespace lanescope::viz
