// The debugger's model without a window: going, breakpoints, panels, runs that cannot be opened.
#include "viz/gui/debugger/DebuggerModel.h"
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
    for (int i = 0; i < 20000 && requests.busy(); ++i) {
      requests.deliver();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    requests.deliver();
    ASSERT_FALSE(model.busy());
  }
  void perform(DebugAction action) {
    model.perform(action, requests);
    settle();
  }

  DebuggerModel model;
  Requests requests; // after the model: its jobs end first
};

TEST_F(DebuggerModels, DoNothingWithoutARun) {
  model.perform(DebugAction::Continue, requests);
  model.toggleBreakpoint(1, false, requests);
  model.showPanel(DebugPanel::Arrays, requests);
  model.interrupt();
  settle();
  EXPECT_EQ(model.page(), nullptr);
  EXPECT_EQ(model.lineInFront(), 0U);
  EXPECT_EQ(readableText(model), "");
}

TEST_F(DebuggerModels, GoForwardAndBack) {
  model.offer(targetOf(kPtx), requests);
  EXPECT_EQ(model.page(), nullptr); // it is opened when someone asks
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
  model.goTo(3, requests);
  settle();
  EXPECT_EQ(model.page()->stop.moment, 3U);
  EXPECT_EQ(model.page()->last, last);
}

TEST_F(DebuggerModels, StopAtBreakpoints) {
  model.offer(targetOf(kPtx), requests);
  model.toggleBreakpoint(11, false, requests);
  perform(DebugAction::Continue);
  EXPECT_EQ(model.page()->stop.reason, core::StopReason::Breakpoint);
  EXPECT_EQ(model.lineInFront(), 11U);
  EXPECT_TRUE(model.page()->ptxBreaks.contains(11));
  core::WarpRef first = model.page()->stop.warp;
  perform(DebugAction::Continue);
  EXPECT_NE(model.page()->stop.warp, first);
  model.toggleBreakpoint(11, false, requests);
  settle();
  EXPECT_TRUE(model.page()->ptxBreaks.empty());
  perform(DebugAction::Continue);
  EXPECT_EQ(model.page()->stop.reason, core::StopReason::End);
  model.setFocus({0, 1}, requests);
  settle();
  model.setFocus({7, 7}, requests); // no such warp
  settle();
  EXPECT_EQ(model.page()->focus.block, 0U);
}

TEST_F(DebuggerModels, TakeArraysForTheirPanelAlone) {
  model.offer(targetOf(kPtx), requests);
  perform(DebugAction::End);
  EXPECT_TRUE(model.page()->arrays.empty());
  model.showPanel(DebugPanel::Arrays, requests);
  settle();
  ASSERT_EQ(model.page()->arrays.size(), 1U);
  EXPECT_EQ(model.page()->arrays[0].integer(63), 63);
  perform(DebugAction::Start);
  EXPECT_EQ(model.page()->arrays[0].integer(63), 0);
}

TEST_F(DebuggerModels, OpenAFaultAtTheMomentBefore) {
  auto target = targetOf(kPtx, 40); // lane 8 of warp 1 is the first to leave the array
  target->faulted = true;
  model.offer(target, requests);
  settle();
  ASSERT_TRUE(model.page());
  EXPECT_EQ(model.page()->stop.reason, core::StopReason::Fault);
  EXPECT_EQ(model.lineInFront(), 11U);
  EXPECT_EQ(model.page()->stop.warp, (core::WarpRef{0, 1}));
  EXPECT_NE(stopWords(*model.page()).find("the moment before a fault"), std::string::npos);
}

TEST_F(DebuggerModels, SayWhyARunCannotBeOpened) {
  model.offer(targetOf("this is no PTX"), requests);
  perform(DebugAction::Continue);
  EXPECT_EQ(model.page(), nullptr);
  EXPECT_FALSE(model.problems().empty());
  model.offer(targetOf(kPtx), requests); // another one can
  EXPECT_TRUE(model.problems().empty());
  perform(DebugAction::Start);
  EXPECT_TRUE(model.page());
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
}

TEST(DebuggerWords, NameLanes) {
  EXPECT_EQ(lanesWords(UINT32_MAX), "all lanes");
  EXPECT_EQ(lanesWords(1), "lane 0");
  EXPECT_EQ(lanesWords(0x8000000F), "lanes 0-3, 31");
}

} // namespace
} // namespace lanescope::viz
