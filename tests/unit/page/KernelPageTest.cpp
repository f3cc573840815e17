// The web page's view of kernels, as the page uses it: requests and answers in JSON. tests/web/kernels.py has the page.
#include "repl/web/KernelPage.h"
#include "viz/web/GivenFiles.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstring>

namespace lanescope::repl {
namespace {

using viz::forgetFiles;

using nlohmann::json;

json ask(KernelPage &page, const json &request) { return json::parse(page.call(request.dump())); }

void give(KernelPage &page, const std::string &name, std::string_view content) {
  page.file().resize(content.size());
  std::memcpy(page.file().data(), content.data(), content.size());
  EXPECT_EQ(ask(page, {{"do", "file"}, {"name", name}}), json::object());
}

constexpr std::string_view kPtx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry neighbours(.param .u64 p0) {
  .shared .align 4 .b8 buf[256];
  .reg .b64 %d<4>; .reg .b32 %r<6>;
  ld.param.u64 %d0, [p0];
  mov.u32 %r0, %tid.x;
  mul.lo.u32 %r1, %r0, 4;
  mov.u32 %r2, buf;
  add.u32 %r3, %r1, %r2;
  st.shared.b32 [%r3], %r0;
  xor.b32 %r4, %r3, 128;
  ld.shared.b32 %r5, [%r4];
  cvt.u64.u32 %d1, %r1;
  add.s64 %d2, %d0, %d1;
  st.global.b32 [%d2], %r5;
  ret;
}
)";
constexpr std::string_view kLaunch = R"({"entry": "neighbours", "grid": [1, 1, 1], "block": [64, 1, 1],
  "dynamic_smem": 0, "params": [{"kind": "buffer", "dtype": "i32", "shape": [64], "out": "y.npy"}]})";

class KernelPageTest : public testing::Test {
protected:
  KernelPageTest() { forgetFiles(); }
  json open(const std::string &ptx, std::string_view launch = kLaunch) {
    give(page, "kernel.ptx", ptx);
    if (!launch.empty())
      give(page, "launch.json", launch);
    return ask(page, {{"do", "open"}});
  }
  KernelPage page;
};

std::string withBarrier() {
  std::string ptx(kPtx);
  return ptx.insert(ptx.find("  xor.b32"), "  bar.sync 0;\n");
}

TEST_F(KernelPageTest, runsAKernelAndSumsUpItsArrays) {
  json kernel = open(withBarrier())["kernel"];
  EXPECT_EQ(kernel["entry"], "neighbours");
  EXPECT_EQ(kernel["ptx"], "kernel.ptx");
  EXPECT_TRUE(kernel["guesses"].empty());
  json ran = ask(page, {{"do", "run"}})["ran"];
  EXPECT_TRUE(ran["findings"].empty());
  EXPECT_GT(ran["runs"], 1);
  json output = ran["outputs"][0];
  EXPECT_EQ(output["type"], "i32[64]");
  EXPECT_EQ(output["changed"], 63); // one thread writes a zero
  EXPECT_EQ(output["words"], "32, 33, 34, 35, 36, 37, 38, 39, …; from 0 to 63");
  EXPECT_GT(ask(page, {{"do", "output"}, {"index", 0}})["npy"]["bytes"], 256);
  EXPECT_TRUE(ask(page, {{"do", "output"}, {"index", 1}}).contains("error"));
}

TEST_F(KernelPageTest, findsARaceAtItsLine) {
  open(std::string(kPtx));
  json findings = ask(page, {{"do", "run"}})["ran"]["findings"];
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0]["grade"], "fault");
  EXPECT_EQ(findings[0]["rule"], "race");
  EXPECT_EQ(findings[0]["file"], "kernel.ptx");
  EXPECT_EQ(findings[0]["kernel"], "neighbours");
  EXPECT_FALSE(findings[0]["related"].empty());
}

TEST_F(KernelPageTest, guessesALaunchAndRefusesWhatIsNoKernel) {
  EXPECT_TRUE(ask(page, {{"do", "run"}}).contains("error"));
  EXPECT_TRUE(ask(page, {{"do", "open"}}).contains("error")); // no file
  json kernel = open(withBarrier(), "")["kernel"];
  EXPECT_FALSE(kernel["guesses"].empty());
  json error = open("nothing", kLaunch)["error"];
  EXPECT_EQ(error["field"], "kernel.ptx");
  EXPECT_EQ(error["line"], 1);
  EXPECT_EQ(open(withBarrier(), "{\n]")["error"]["line"], 2);
  EXPECT_TRUE(ask(page, {{"do", "fly"}}).contains("error"));
}

TEST_F(KernelPageTest, stepsAndGoesBack) {
  open(withBarrier());
  json debug = ask(page, {{"do", "debug"}})["debug"];
  EXPECT_EQ(debug["stop"], "before the first instruction");
  EXPECT_EQ(debug["warps"].size(), 2u);
  EXPECT_EQ(debug["ptxLine"], 7);
  debug = ask(page, {{"do", "act"}, {"action", "line"}})["debug"];
  EXPECT_EQ(debug["ptxLine"], 8);
  debug = ask(page, {{"do", "act"}, {"action", "line-back"}})["debug"];
  EXPECT_EQ(debug["ptxLine"], 7);
  debug = ask(page, {{"do", "break"}, {"line", 14}})["debug"];
  EXPECT_EQ(debug["stops"][0]["line"], 14);
  debug = ask(page, {{"do", "act"}, {"action", "continue"}})["debug"];
  EXPECT_EQ(debug["ptxLine"], 14);
  debug = ask(page, {{"do", "panel"}, {"panel", "shared"}})["debug"];
  EXPECT_EQ(debug["shared"]["bytes"], 1024); // a block's shared memory has whole KiB
  EXPECT_EQ(debug["shared"]["rows"][1]["words"][2]["bits"], "0000000a");
  EXPECT_TRUE(debug["shared"]["rows"][1]["words"][2]["written"]);
  uint32_t address = debug["shared"]["address"];
  debug = ask(page, {{"do", "word"}, {"address", address + 40}})["debug"];
  EXPECT_NE(std::string(debug["shared"]["words"]).find("written by warp 0"), std::string::npos);
  debug = ask(page, {{"do", "panel"}, {"panel", "registers"}})["debug"];
  json thread;
  for (const json &one : debug["registers"])
    if (one["name"] == "%r0")
      thread = one["lanes"];
  ASSERT_EQ(thread.size(), 32u);
  EXPECT_EQ(thread[10], debug["focus"]["warp"] == 0 ? "0xa" : "0x2a"); // its number in the block
  EXPECT_TRUE(ask(page, {{"do", "panel"}, {"panel", "none"}}).contains("error"));
}

TEST_F(KernelPageTest, stopsUnderConditionsAndAtWrites) {
  open(withBarrier());
  ask(page, {{"do", "debug"}});
  json debug = ask(page, {{"do", "stop"}, {"words", "14 if warp == 1"}})["debug"];
  EXPECT_EQ(debug["said"], "breakpoint 1 at PTX line 14, if warp == 1");
  EXPECT_TRUE(debug["stops"][0]["conditional"]);
  debug = ask(page, {{"do", "act"}, {"action", "continue"}})["debug"];
  EXPECT_EQ(debug["ptxLine"], 14);
  EXPECT_EQ(debug["focus"]["warp"], 1);
  // A condition has Python's builtins, and not those about layouts, which would make the module a third larger.
  debug = ask(page, {{"do", "stop"}, {"words", "14 if owners(warp)"}})["debug"];
  EXPECT_NE(debug["said"].get<std::string>().find("a condition knows no `owners`"), std::string::npos) << debug["said"];
  debug = ask(page, {{"do", "stop"}, {"words", "14 if max(warp, 1) < 1"}})["debug"];
  EXPECT_FALSE(debug["refused"]) << debug["said"];
  ask(page, {{"do", "remove"}, {"number", debug["stops"].back()["number"]}});
  debug = ask(page, {{"do", "stop"}, {"words", "14 if nothing == 1"}})["debug"];
  EXPECT_TRUE(debug["refused"]);
  EXPECT_NE(debug["said"].get<std::string>().find("knows no `nothing`"), std::string::npos);
  debug = ask(page, {{"do", "stop"}, {"words", "watch 0[40]"}})["debug"];
  EXPECT_EQ(debug["stops"].size(), 2u);
  debug = ask(page, {{"do", "enable"}, {"number", 1}, {"enabled", false}})["debug"];
  EXPECT_FALSE(debug["stops"][0]["enabled"]);
  debug = ask(page, {{"do", "act"}, {"action", "continue"}})["debug"];
  EXPECT_EQ(debug["focus"]["warp"], 1); // the warp of thread 40 writes element 40
  EXPECT_NE(debug["stop"].get<std::string>().find("→"), std::string::npos);
  debug = ask(page, {{"do", "condition"}, {"line", 12}, {"inSnippet", false}})["debug"];
  EXPECT_EQ(debug["stopWords"], "ptx:12 if ");
}

TEST_F(KernelPageTest, aCommentAllowsAFinding) {
  std::string ptx(kPtx);
  ptx.insert(ptx.find(", %r0;\n  xor") + 6, " // lanescope: allow race because a test needs one");
  open(ptx);
  // After an allowed fault the run goes on, and may find more.
  auto found = [&](const char *rule) {
    const json answer = ask(page, {{"do", "run"}});
    for (const json &finding : answer["ran"]["findings"])
      if (finding["rule"] == rule)
        return finding;
    return json();
  };
  EXPECT_EQ(found("race")["allowed"], "a test needs one");
  EXPECT_TRUE(found("unused-allow").is_null());
  std::string other = ptx;
  other.replace(other.find("allow race"), 10, "allow dead-read");
  open(other);
  EXPECT_FALSE(found("race").contains("allowed"));
  EXPECT_FALSE(found("unused-allow").is_null());
  std::string bare = ptx.erase(ptx.find(" because a test needs one"), 25);
  json kernel = open(bare)["kernel"];
  ASSERT_EQ(kernel["remarks"].size(), 1u);
  EXPECT_NE(kernel["remarks"][0].get<std::string>().find("gives no reason"), std::string::npos);
}

TEST_F(KernelPageTest, aLinkHoldsTheStateOfTheDebugger) {
  open(withBarrier());
  json view = ask(page, {{"do", "share"}});
  EXPECT_EQ(view["ptx"], "kernel.ptx");
  EXPECT_FALSE(view.contains("debug"));
  ask(page, {{"do", "debug"}});
  for (const char *words : {"14 if warp == 1", "0[3]", "smem 1024 8"})
    ask(page, {{"do", "stop"}, {"words", words}});
  ask(page, {{"do", "enable"}, {"number", 2}, {"enabled", false}});
  ask(page, {{"do", "panel"}, {"panel", "shared"}});
  ask(page, {{"do", "word"}, {"address", 1032}});
  ask(page, {{"do", "goTo"}, {"moment", 9}});
  json before = ask(page, {{"do", "focus"}, {"block", 0}, {"warp", 1}})["debug"];
  view = ask(page, {{"do", "share"}});
  EXPECT_EQ(
      view["debug"]["stops"],
      json::parse(R"([{"words": "ptx:14 if warp == 1"}, {"words": "0[3]", "off": true}, {"words": "smem 1024 8"}])"));
  json files = ask(page, {{"do", "files"}, {"arrays", true}})["files"];
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0]["name"], "kernel.ptx");
  EXPECT_EQ(files[0]["text"], withBarrier());

  KernelPage other;
  for (const json &file : files)
    give(other, file["name"], file["text"].get<std::string>());
  ask(other, {{"do", "open"}});
  json after = ask(other, {{"do", "load"}, {"state", view["debug"]}})["debug"];
  for (json *each : {&before, &after})
    each->erase("said");
  EXPECT_EQ(after, before);
  EXPECT_EQ(ask(other, {{"do", "share"}}), view);
}

TEST_F(KernelPageTest, aLinkStandsAtTheStartAtTheEndAndBeforeAFault) {
  auto linked = [&] {
    KernelPage other;
    ask(other, {{"do", "open"}});
    return ask(other, {{"do", "load"}, {"state", ask(page, {{"do", "share"}})["debug"]}})["debug"];
  };
  open(withBarrier());
  json debug = ask(page, {{"do", "debug"}})["debug"];
  EXPECT_EQ(debug["stop"], "before the first instruction");
  EXPECT_EQ(linked(), debug);
  debug = ask(page, {{"do", "act"}, {"action", "end"}})["debug"];
  EXPECT_EQ(debug["stop"], "all blocks have ended");
  EXPECT_EQ(linked(), debug);
  debug = ask(page, {{"do", "goTo"}, {"moment", 5}})["debug"];
  EXPECT_EQ(debug["at"], 5);
  EXPECT_TRUE(debug["lastIsEnd"]);
  EXPECT_EQ(linked(), debug);
  open(std::string(kPtx));
  ask(page, {{"do", "run"}});
  debug = ask(page, {{"do", "debug"}})["debug"];
  EXPECT_TRUE(debug["isFault"]);
  EXPECT_EQ(linked(), debug);
}

TEST_F(KernelPageTest, aLinkThatIsWrongIsReported) {
  open(withBarrier());
  EXPECT_TRUE(ask(page, {{"do", "load"}}).contains("error"));
  json state =
      json::parse(R"({"moment": "x", "stops": [7, {"words": "<b>"}], "block": -4, "warp": 1e300, "panel": 3})");
  json debug = ask(page, {{"do", "load"}, {"state", state}})["debug"];
  EXPECT_TRUE(debug["refused"]);
  EXPECT_NE(debug["said"].get<std::string>().find("is not set"), std::string::npos);
  EXPECT_EQ(debug["at"], 0);
  EXPECT_TRUE(debug["stops"].empty());
}

} // namespace
} // namespace lanescope::repl
