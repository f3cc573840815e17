// The window's host without a window: its answers to entries and to opened files of each kind.
#include "repl/workbench/SessionHost.h"
#include "viz/export/Png.h"
#include "viz/host/DebuggedRun.h"

#include "core/data/Files.h"
#include "layouts/support/Text.h"
#include "tests/unit/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

namespace lanescope::repl {
namespace {

namespace fs = std::filesystem;
using viz::HostEvent;

class SessionHostTest : public testing::Test {
protected:
  void SetUp() override { settle(); }

  /// All events of the host until it is idle.
  std::vector<HostEvent> settle() {
    std::vector<HostEvent> out;
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    do {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      for (HostEvent &event : host_.poll())
        out.push_back(std::move(event));
    } while (!host_.activity().empty() && std::chrono::steady_clock::now() < end);
    return out;
  }
  std::vector<HostEvent> opened(const std::string &name, std::string_view content) {
    EXPECT_TRUE(core::writeFile(folder_ / name, content));
    host_.open((folder_ / name).string());
    return settle();
  }
  static std::string printed(const std::vector<HostEvent> &events) {
    std::string out;
    for (const HostEvent &event : events)
      if (const auto *output = std::get_if<viz::Output>(&event))
        out += output->text;
    return out;
  }
  template <typename Request> static std::vector<Request> shown(const std::vector<HostEvent> &events) {
    std::vector<Request> out;
    for (const HostEvent &event : events)
      if (const auto *show = std::get_if<viz::Show>(&event))
        if (const auto *request = std::get_if<Request>(&show->what))
          out.push_back(*request);
    return out;
  }

  SessionHost host_{{.device = "emulator"}};
  const TemporaryFolder own_;
  const fs::path folder_ = own_.path();
};

constexpr char kSnippet[] = R"(@kernel
def double(x: GMEM((64, 64), f32), out: Out((64, 64), f32)):
  with region("work"):
    out[...] = x[...] + x[...]
run(double, ones((64, 64), f32), profile=True)
)";

TEST_F(SessionHostTest, EntriesAnswerInOrder) {
  host_.evaluate("x = 2");
  host_.evaluate("x + 1");
  host_.evaluate("nothing_of_that_name");
  auto events = settle();
  std::vector<bool> done;
  for (const HostEvent &event : events)
    if (const auto *evaluated = std::get_if<viz::Evaluated>(&event))
      done.push_back(evaluated->ok);
  EXPECT_EQ(done, (std::vector<bool>{true, true, false}));
  EXPECT_NE(printed(events).find("3\n"), std::string::npos);
  EXPECT_NE(printed(events).find("nothing_of_that_name"), std::string::npos);
}

TEST_F(SessionHostTest, DumpsOpenAsPages) {
  std::string folder = LANESCOPE_SOURCE_DIR "/tests/golden/jax_dumps/wgmma_Warpgroup";
  for (const std::string &path : {folder, folder + "/k_7", folder + "/k_7.before_layout_inference.txt"}) {
    host_.open(path);
    auto events = settle();
    auto pages = shown<viz::DumpPageRequest>(events);
    ASSERT_EQ(pages.size(), 1u) << path << printed(events);
    const viz::DumpPage &page = *pages[0].page;
    ASSERT_EQ(page.rows.size(), 12u);
    const viz::DumpRow &product = page.rows[10];
    EXPECT_EQ(product.name, "mosaic_gpu.wgmma");
    EXPECT_EQ(product.values[0].source, 9u);
    ASSERT_EQ(product.values[3].why.size(), 1u);
    EXPECT_EQ(shown<viz::CodeRequest>(events).front().pages.front().title, "module");
  }
  host_.evaluate("dump.cast(11, WGMMA_TRANSPOSED)");
  EXPECT_NE(printed(settle()).find("relayouts 0 -> 1"), std::string::npos);
}

TEST_F(SessionHostTest, SeveralKernelsAreInOneDict) {
  host_.open(LANESCOPE_SOURCE_DIR "/tests/golden/jax_dumps");
  auto events = settle();
  auto pages = shown<viz::DumpPageRequest>(events);
  ASSERT_EQ(pages.size(), 1u) << printed(events);
  EXPECT_EQ(pages[0].page->name, "k_4");
  EXPECT_NE(printed(events).find("3 kernels, in `dumps`: 'add_Warpgroup/k_4'"), std::string::npos) << printed(events);
  EXPECT_NE(printed(events).find("they have no module or are too many: add_Lane, tma_Lane"), std::string::npos);
  host_.evaluate("dump = dumps['wgmma_Warpgroup/k_7']; show(dump)");
  EXPECT_EQ(shown<viz::DumpPageRequest>(settle()).at(0).page->name, "k_7");
}

TEST_F(SessionHostTest, ShowAsksTheWindow) {
  host_.evaluate("show(WGMMA, (64, 16), view='lanes')");
  auto views = shown<viz::ViewRequest>(settle());
  ASSERT_EQ(views.size(), 1u);
  EXPECT_EQ(views[0].spec.layout, "WGMMA");
  EXPECT_EQ(views[0].spec.shape, (layouts::Shape{64, 16}));
  EXPECT_EQ(views[0].spec.view, viz::View::Lanes);
}

TEST_F(SessionHostTest, ASnippetBringsItsStagesAndItsTrace) {
  auto events = opened("double.py", kSnippet);
  auto codes = shown<viz::CodeRequest>(events);
  ASSERT_EQ(codes.size(), 2u) << printed(events); // the text at once, the stages after the run
  EXPECT_EQ(codes[0].pages.size(), 1u);
  EXPECT_GT(codes[1].pages.size(), 3u);
  EXPECT_EQ(codes[1].pages.front().text, kSnippet);
  auto traces = shown<viz::TraceRequest>(events);
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_EQ(traces[0].title, "double.py");
}

/// Kernels that an edit leaves unchanged are neither compiled nor run again, and show what a new run would show.
TEST_F(SessionHostTest, AnEditElsewhereShowsWhatANewRunWould) {
  std::string text = std::string(kSnippet) + "@kernel\ndef other(x: GMEM((128,), f32), out: Out((128,), f32)):\n" +
                     "  out[...] = x[...] * 3.0\nresult = other(ones((128,), f32))\n";
  std::string edited = text + "assert max_error(result, ones((128,), f32) * 3) == 0 # an edit\n";
  opened("two.py", text);
  ASSERT_TRUE(core::writeFile(folder_ / "two.py", edited));
  host_.reopen((folder_ / "two.py").string(), std::nullopt);
  auto again = settle();
  SessionHost other({.device = "emulator"});
  other.open((folder_ / "two.py").string());
  std::vector<HostEvent> fresh;
  while (!other.activity().empty() || fresh.empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    for (HostEvent &event : other.poll())
      fresh.push_back(std::move(event));
  }
  viz::CodeRequest a = shown<viz::CodeRequest>(again).back(), b = shown<viz::CodeRequest>(fresh).back();
  ASSERT_EQ(a.pages.size(), b.pages.size());
  ASSERT_GT(a.pages.size(), 4u);
  for (size_t page = 0; page < a.pages.size(); ++page) {
    EXPECT_EQ(a.pages[page].title, b.pages[page].title);
    EXPECT_EQ(a.pages[page].text, b.pages[page].text);
    ASSERT_TRUE(a.pages[page].costs && b.pages[page].costs) << a.pages[page].title;
    EXPECT_EQ(a.pages[page].costs->lines, b.pages[page].costs->lines) << a.pages[page].title;
    EXPECT_EQ(a.pages[page].costs->columns.back().id, "copy_bytes"); // a cost that only the run records
    for (uint32_t line = 1; line < 12; ++line)
      EXPECT_EQ(a.links->linked(0, line, page), b.links->linked(0, line, page));
  }
  auto traces = shown<viz::TraceRequest>(again);
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_EQ(core::toChromeJson(*traces[0].trace), core::toChromeJson(*shown<viz::TraceRequest>(fresh).back().trace));
}

TEST_F(SessionHostTest, TheTextsOfASnippetAreLinkedAndCosted) {
  auto codes = shown<viz::CodeRequest>(opened("double.py", kSnippet));
  const viz::CodeRequest &code = codes.back();
  ASSERT_TRUE(code.links);
  EXPECT_EQ(code.onDemand, "sass");
  auto page = [&](std::string_view title) {
    return static_cast<size_t>(std::ranges::find(code.pages, title, &viz::CodeRequest::Page::title) -
                               code.pages.begin());
  };
  ASSERT_LT(page("ptx"), code.pages.size());
  std::vector<uint32_t> made = code.links->linked(0, 4, page("ptx"));
  EXPECT_GT(made.size(), 10u);
  EXPECT_EQ(code.links->linked(page("ptx"), made.front(), 0), std::vector<uint32_t>{4});
  ASSERT_TRUE(code.pages[0].costs);
  const core::LineCosts &costs = *code.pages[0].costs;
  auto column = [&](std::string_view id) {
    return static_cast<size_t>(std::ranges::find(costs.columns, id, &core::CostColumn::id) - costs.columns.begin());
  };
  EXPECT_GT(costs.of(4).at(column("instr")), 10);
  EXPECT_GT(costs.of(4).at(column("gmem_bytes")), 0); // the kernel has run
  ASSERT_EQ(code.regions.size(), 1u);
  EXPECT_EQ(code.regions[0].name, "work");
  EXPECT_EQ(code.regions[0].lines, (std::vector<uint32_t>{3, 4}));
  ASSERT_FALSE(code.arrays.empty());
  EXPECT_EQ(code.arrays[0].line, 4u);
  EXPECT_EQ(code.arrays[0].view.shape, (layouts::Shape{64, 64}));
  host_.makePage("sass");
  auto more = shown<viz::CodeRequest>(settle());
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(more[0].pages.back().title, "sass"); // the machine code, or the reason why there is none
  EXPECT_FALSE(more[0].pages.back().text.empty());
  EXPECT_TRUE(more[0].onDemand.empty());
  host_.evaluate("show(double)");
  EXPECT_TRUE(shown<viz::CodeRequest>(settle()).at(0).links);
}

TEST_F(SessionHostTest, PtxFromElsewhereIsLinkedToTheSourceBesideIt) {
  ASSERT_TRUE(core::writeFile(folder_ / "add.cu", "__global__\nvoid k() {\n  add();\n}\n"));
  auto codes = shown<viz::CodeRequest>(
      opened("add.ptx", ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<4>;\n"
                        ".loc 1 3 3\nadd.u32 %r1, %r2, %r3;\nret;\n}\n.file 1 \"/elsewhere/add.cu\"\n"));
  ASSERT_EQ(codes.size(), 1u);
  ASSERT_EQ(codes[0].pages.size(), 2u);
  EXPECT_EQ(codes[0].pages[0].title, "add.cu");
  ASSERT_TRUE(codes[0].links);
  EXPECT_EQ(codes[0].links->linked(0, 3, 1), (std::vector<uint32_t>{8, 9}));
  EXPECT_TRUE(codes[0].pages[1].costs);
}

// Each of 64 threads writes a word of shared memory and reads its neighbour's word without a barrier.
constexpr char kRacingPtx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                              ".visible .entry other(.param .u32 n)\n{\nret;\n}\n"
                              ".visible .entry k(.param .u64 .ptr .global x)\n{\n.reg .b32 %r<6>;\n.reg .b64 %d<4>;\n"
                              ".shared .b32 tile[64];\nld.param.u64 %d1, [x];\nmov.u32 %r1, %tid.x;\n"
                              "mov.u32 %r2, tile;\nshl.b32 %r3, %r1, 2;\nadd.u32 %r2, %r2, %r3;\n"
                              "st.shared.u32 [%r2], %r1;\nxor.b32 %r4, %r3, 128;\nmov.u32 %r5, tile;\n"
                              "add.u32 %r5, %r5, %r4;\nld.shared.u32 %r4, [%r5];\ncvt.u64.u32 %d2, %r3;\n"
                              "add.u64 %d1, %d1, %d2;\nst.global.u32 [%d1], %r4;\nret;\n}\n";

const viz::Opened &last(const std::vector<HostEvent> &events) {
  const viz::Opened *out = nullptr;
  for (const HostEvent &event : events)
    if (const auto *opened = std::get_if<viz::Opened>(&event))
      out = opened;
  static const viz::Opened none;
  EXPECT_TRUE(out);
  return out ? *out : none;
}

TEST_F(SessionHostTest, PtxThatADescriptionIsOfRunsAtOnce) {
  ASSERT_TRUE(core::writeFile(
      folder_ / "k.launch.json",
      R"({"entry": "k", "grid": 1, "block": 64, "params": [{"kind": "buffer", "dtype": "i32", "shape": [64]}]})"));
  auto events = opened("k.ptx", kRacingPtx);
  const viz::Opened &is = last(events);
  EXPECT_TRUE(is.launch);
  std::string fields;
  for (const viz::ParameterControl &each : is.parameters)
    fields += each.name + "=" + each.value + " ";
  EXPECT_EQ(fields, "entry=k grid=1 block=64 dynamic smem=0 param 0=i32[64] adversarial=False seeds=1 ");
  EXPECT_NE(printed(events).find("without an order between them"), std::string::npos) << printed(events);
  auto debugs = shown<viz::DebugRequest>(events);
  ASSERT_EQ(debugs.size(), 1u);
  EXPECT_TRUE(debugs[0].bringToFront) << "the debugger stands at the fault";
  EXPECT_TRUE(debugs[0].target->faulted);
  EXPECT_EQ(shown<viz::CodeRequest>(events).back().pages[0].markedLines.size(), 2u);
  // A launch description opens its PTX file.
  host_.open((folder_ / "k.launch.json").string());
  events = settle();
  EXPECT_EQ(last(events).path, (folder_ / "k.ptx").string());
  EXPECT_EQ(shown<viz::DebugRequest>(events).size(), 1u);
}

TEST_F(SessionHostTest, AGuessedLaunchIsAskedForFirst) {
  auto events = opened("k.ptx", kRacingPtx);
  EXPECT_TRUE(shown<viz::DebugRequest>(events).empty());
  EXPECT_NE(printed(events).find("Nothing says how `other` is launched"), std::string::npos) << printed(events);
  std::string path = (folder_ / "k.ptx").string();
  host_.setParameter("entry", "k");
  host_.reopen(path, std::nullopt);
  events = settle();
  EXPECT_EQ(last(events).parameters[0].value, "k");
  EXPECT_EQ(last(events).parameters[0].initial, "other");
  EXPECT_EQ(shown<viz::DebugRequest>(events).size(), 1u);
  EXPECT_NE(printed(events).find("partly a guess"), std::string::npos) << printed(events);
  host_.setParameter("block", "none");
  host_.reopen(path, std::nullopt);
  events = settle();
  EXPECT_FALSE(last(events).ok);
  EXPECT_NE(printed(events).find("`block` cannot be `none`"), std::string::npos) << printed(events);
  host_.setParameter("block", "64");
  host_.setParameter("param 0", "i32[64] zeros");
  host_.reopen(path, std::nullopt);
  EXPECT_NE(printed(settle()).find("without an order between them"), std::string::npos);
  host_.setParameter("entry", "other");
  host_.reopen(path, std::nullopt);
  events = settle();
  EXPECT_NE(printed(events).find("`other`: no fault"), std::string::npos) << printed(events);
  host_.setParameter("block", std::nullopt);
  host_.reopen(path, std::nullopt);
  EXPECT_EQ(last(settle()).parameters[2].value, "128");
}

TEST_F(SessionHostTest, AFileThatIsNoArrayIsRefusedAtItsField) {
  ASSERT_TRUE(core::saveNpy(folder_ / "x.npy", core::Array::zeros(core::Dtype::I32, {64})));
  opened("k.ptx", kRacingPtx);
  std::string path = (folder_ / "k.ptx").string();
  host_.setParameter("entry", "k");
  host_.setParameter("block", "64");
  host_.setParameter("param 0", "nowhere.npy");
  host_.reopen(path, std::nullopt);
  auto events = settle();
  EXPECT_FALSE(last(events).ok);
  for (const viz::ParameterControl &each : last(events).parameters) {
    EXPECT_EQ(each.takesFile, each.name == "param 0") << each.name;
    EXPECT_EQ(each.problem.empty(), each.name != "param 0") << each.name << ": " << each.problem;
  }
  host_.setParameter("param 0", "x.npy"); // the file is next to the PTX
  host_.reopen(path, std::nullopt);
  events = settle();
  EXPECT_TRUE(last(events).ok) << printed(events);
  EXPECT_EQ(shown<viz::DebugRequest>(events).size(), 1u);
}

TEST_F(SessionHostTest, AFormTriesTheSchedulesThatItAsksFor) {
  opened("k.ptx", kRacingPtx);
  std::string path = (folder_ / "k.ptx").string();
  host_.setParameter("entry", "other"); // that kernel has no fault, so all schedules are tried
  host_.setParameter("seeds", "3");
  host_.reopen(path, std::nullopt);
  EXPECT_NE(printed(settle()).find("3 of 3 schedules tried"), std::string::npos);
  host_.setParameter("adversarial", "True");
  host_.reopen(path, std::nullopt);
  std::string said = printed(settle());
  EXPECT_EQ(said.find("3 of 3"), std::string::npos) << said;
  EXPECT_NE(said.find("schedules tried"), std::string::npos) << said;
  host_.setParameter("seeds", "none");
  host_.reopen(path, std::nullopt);
  auto events = settle();
  EXPECT_FALSE(last(events).ok);
  EXPECT_NE(last(events).parameters.back().problem.find("from 1 to"), std::string::npos);
  // For the racing kernel, the first schedule shows the fault.
  host_.setParameter("seeds", "4");
  host_.setParameter("entry", "k");
  host_.reopen(path, std::nullopt);
  host_.setParameter("seeds", "4");
  host_.setParameter("block", "64");
  host_.reopen(path, std::nullopt);
  EXPECT_NE(printed(settle()).find("1 of 4 schedules tried"), std::string::npos);
}

TEST_F(SessionHostTest, ADescriptionOfAnotherKernelIsNotTaken) {
  ASSERT_TRUE(
      core::writeFile(folder_ / "launch.json", R"({"entry": "elsewhere", "grid": 1, "block": 64, "params": []})"));
  auto events = opened("k.ptx", kRacingPtx);
  EXPECT_NE(printed(events).find("this describes a launch of `elsewhere`"), std::string::npos) << printed(events);
  EXPECT_TRUE(shown<viz::DebugRequest>(events).empty());
  host_.open((folder_ / "launch.json").string());
  EXPECT_NE(printed(settle()).find("no PTX beside it has an entry of that name"), std::string::npos);
}

TEST_F(SessionHostTest, TheIrOfASparseCoreIsLinkedToo) {
  host_.open(LANESCOPE_SOURCE_DIR "/samples/sparsecore/embedding.py");
  auto codes = shown<viz::CodeRequest>(settle());
  const viz::CodeRequest &code = codes.back();
  ASSERT_TRUE(code.links);
  ASSERT_GE(code.pages.size(), 2u);
  size_t linked = 0;
  auto lines = static_cast<uint32_t>(std::ranges::count(code.pages[0].text, '\n'));
  for (uint32_t line = 1; line <= lines; ++line)
    linked += code.links->linked(0, line, 1).size();
  EXPECT_GT(linked, 10u);
  EXPECT_TRUE(code.onDemand.empty()); // the dump has no machine code
  ASSERT_FALSE(code.regions.empty());
  EXPECT_EQ(code.regions[0].name, "gather");
}

TEST_F(SessionHostTest, DumpsAndModulesAreLinked) {
  host_.open(LANESCOPE_SOURCE_DIR "/tests/golden/jax_dumps/wgmma_Warpgroup");
  auto codes = shown<viz::CodeRequest>(settle());
  ASSERT_TRUE(codes.at(0).links);
  ASSERT_GE(codes[0].pages.size(), 2u);
  size_t linked = 0;
  for (uint32_t line = 1; line <= 100; ++line)
    for (size_t to = 1; to < codes[0].pages.size(); ++to)
      linked += codes[0].links->linked(0, line, to).size();
  EXPECT_GT(linked, 20u);
  host_.open(LANESCOPE_SOURCE_DIR "/samples/modules/gather.mlir");
  codes = shown<viz::CodeRequest>(settle());
  ASSERT_EQ(codes.at(0).pages.size(), 2u);
  ASSERT_TRUE(codes[0].links);
  const viz::CodeRequest::Page &listing = codes[0].pages[1];
  EXPECT_EQ(codes[0].links->linked(1, static_cast<uint32_t>(std::ranges::count(listing.text, '\n')), 0).size(), 1u);
}

TEST_F(SessionHostTest, AFailingSnippetComesToTheFrontWithItsLine) {
  auto events = opened("bad.py", "x = 1\ny = z\n");
  auto codes = shown<viz::CodeRequest>(events);
  ASSERT_EQ(codes.size(), 2u);
  EXPECT_TRUE(codes[1].bringToFront);
  EXPECT_EQ(codes[1].pages.front().markedLines, std::vector<uint32_t>{2});
  EXPECT_NE(printed(events).find("bad.py"), std::string::npos);
}

TEST_F(SessionHostTest, WhatAFileIsFollowsFromItsName) {
  auto layouts = shown<viz::ViewRequest>(opened("a.layout", "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))"));
  ASSERT_EQ(layouts.size(), 1u);
  EXPECT_EQ(layouts[0].spec.layout, "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))");
  EXPECT_FALSE(layouts[0].spec.shape.empty());
  auto traces = shown<viz::TraceRequest>(
      opened("t.json", R"([{"name": "a", "ph": "X", "ts": 0, "dur": 1, "pid": 1, "tid": 1}])"));
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_EQ(traces[0].trace->tracks.size(), 1u);
  auto codes = shown<viz::CodeRequest>(opened("k.ptx", ".version 8.0\n"));
  ASSERT_EQ(codes.size(), 1u);
  EXPECT_EQ(codes[0].pages.front().text, ".version 8.0\n");
  EXPECT_NE(printed(opened("broken.json", "{")).find("broken.json"), std::string::npos);
  EXPECT_NE(printed(opened("broken.layout", "no layout")).find("error"), std::string::npos);
  host_.open((folder_ / "there-is-none.py").string());
  EXPECT_NE(printed(settle()).find("there-is-none.py"), std::string::npos);
}

TEST_F(SessionHostTest, CompletesAndListsSamples) {
  host_.complete(7, "WGM", 3);
  bool answered = false;
  for (const HostEvent &event : settle())
    if (const auto *found = std::get_if<viz::Completions>(&event)) {
      answered = true;
      EXPECT_EQ(found->request, 7u);
      EXPECT_EQ(found->from, 0u);
      EXPECT_NE(std::ranges::find(found->candidates, "WGMMA"), found->candidates.end());
    }
  EXPECT_TRUE(answered);
  EXPECT_TRUE(host_.needsMoreText("def f():"));
  EXPECT_FALSE(host_.needsMoreText("1 + 1"));
  for (const viz::FileEntry &file : host_.files())
    EXPECT_EQ(file.name.ends_with(".md"), file.group == "documents") << file.path;
}

std::vector<viz::Opened> openings(const std::vector<HostEvent> &events) {
  std::vector<viz::Opened> out;
  for (const HostEvent &event : events)
    if (const auto *opened = std::get_if<viz::Opened>(&event))
      out.push_back(*opened);
  return out;
}

TEST_F(SessionHostTest, AFileThatRunsAgainKeepsWhatIsInFront) {
  auto first = opened("again.py", std::string(kSnippet) + "show(WGMMA, (64, 64))\nshow(WGMMA_TRANSPOSED, (64, 64))\n");
  ASSERT_EQ(openings(first).size(), 1u);
  EXPECT_TRUE(openings(first)[0].snippet && openings(first)[0].ok && !openings(first)[0].again);
  EXPECT_EQ(shown<viz::ViewRequest>(first).size(), 2u);
  std::string path = (folder_ / "again.py").string();
  host_.reopen(path, std::nullopt);
  auto again = settle();
  ASSERT_EQ(openings(again).size(), 1u);
  EXPECT_TRUE(openings(again)[0].again);
  auto views = shown<viz::ViewRequest>(again);
  ASSERT_EQ(views.size(), 1u); // only the last picture is shown
  EXPECT_EQ(views[0].spec.layout, "WGMMA_TRANSPOSED");
  EXPECT_EQ(shown<viz::TraceRequest>(again).size(), 1u);
  for (const HostEvent &event : again)
    if (const auto *show = std::get_if<viz::Show>(&event))
      EXPECT_TRUE(show->again);
  auto code = shown<viz::CodeRequest>(again);
  ASSERT_EQ(code.size(), 2u); // once after the first kernel has run, and once at the end
  EXPECT_GT(code[0].pages.size(), 3u);
  EXPECT_GT(code[1].pages.size(), 3u);
}

TEST_F(SessionHostTest, AFailingRunLeavesTheLastGoodPictures) {
  opened("fails.py", kSnippet);
  std::string path = (folder_ / "fails.py").string();
  host_.reopen(path, std::string(kSnippet) + "show(WGMMA)\nnothing_of_that_name\n");
  auto events = settle();
  EXPECT_TRUE(shown<viz::ViewRequest>(events).empty());
  EXPECT_TRUE(shown<viz::TraceRequest>(events).empty());
  EXPECT_EQ(shown<viz::CodeRequest>(events).back().pages[0].text, kSnippet); // all texts are from the same version
  auto ran = openings(events);
  ASSERT_EQ(ran.size(), 1u);
  EXPECT_FALSE(ran[0].ok);
  ASSERT_EQ(ran[0].problems.size(), 1u);
  EXPECT_EQ(ran[0].problems[0].line, 7u);
  EXPECT_EQ(ran[0].problems[0].length, 20u);
}

TEST_F(SessionHostTest, ATextThatIsTypedWritesNoFile) {
  std::filesystem::path file = folder_ / "written.npy";
  std::string text = lanescope::text("save(\"", file.string(), "\", ones((4,), f32))\n");
  opened("saves.py", "x = 1\n");
  std::string path = (folder_ / "saves.py").string();
  host_.reopen(path, text);
  EXPECT_TRUE(openings(settle()).back().ok);
  EXPECT_FALSE(std::filesystem::exists(file));
  std::ofstream(path) << text;
  host_.reopen(path, std::nullopt); // the text is saved, so the file itself runs
  EXPECT_TRUE(openings(settle()).back().ok);
  EXPECT_TRUE(std::filesystem::exists(file));
}

// A program that is more than a snippet asks before it runs; a snippet can write to its own folder.
TEST_F(SessionHostTest, AProgramThatIsOpenedDoesNotRun) {
  fs::path mark = folder_ / "mark";
  auto events = opened("program.py", text("import subprocess\nsubprocess.run(['touch', '", mark.string(), "'])\n"));
  EXPECT_TRUE(std::ranges::any_of(events, [](const HostEvent &event) {
    const auto *program = std::get_if<viz::ProgramState>(&event);
    return program && program->phase == viz::ProgramState::Phase::Asks;
  }));
  EXPECT_FALSE(fs::exists(mark));
  fs::path outside = folder_.parent_path() / (folder_.filename().string() + "-outside.npy");
  events =
      opened("stranger.py", text("save('inside.npy', ones(2))\nsave(", repr(Value(outside.string())), ", ones(2))\n"));
  EXPECT_NE(printed(events).find("--out DIR"), std::string::npos) << printed(events);
  EXPECT_TRUE(fs::exists(folder_ / "inside.npy"));
  EXPECT_FALSE(fs::exists(outside));
  // The console has no access to that folder.
  host_.evaluate(text("load(", repr(Value((folder_ / "inside.npy").string())), ")"));
  EXPECT_NE(printed(settle()).find("--read DIR"), std::string::npos);
}

TEST_F(SessionHostTest, ANewerTextStopsARunThatTakesLong) {
  opened("long.py", "x = 1\n");
  std::string path = (folder_ / "long.py").string();
  host_.reopen(path, "while True:\n  x = 1\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  host_.reopen(path, "print(\"the newer one\")\n");
  auto events = settle();
  EXPECT_NE(printed(events).find("the newer one"), std::string::npos);
  EXPECT_EQ(printed(events).find("interrupted"), std::string::npos) << printed(events);
  ASSERT_EQ(openings(events).size(), 1u);
  EXPECT_TRUE(openings(events)[0].ok);
}

TEST_F(SessionHostTest, ParametersAreControls) {
  auto events = opened("param.py", "stages = param('stages', 4, range(2, 7), 'in flight')\n"
                                   "dtype = param('dtype', f16, (f16, bf16))\n"
                                   "fast = param('fast', True)\nname = param('name', 'x')\nprint(stages)\n");
  ASSERT_EQ(openings(events).size(), 1u);
  const auto controls = openings(events)[0].parameters;
  using enum viz::ParameterControl::Kind;
  ASSERT_EQ(controls.size(), 4u);
  EXPECT_EQ(controls[0], (viz::ParameterControl{Slider, "stages", "in flight", "4", "4", {"2", "3", "4", "5", "6"}}));
  EXPECT_EQ(controls[1], (viz::ParameterControl{List, "dtype", "", "f16", "f16", {"f16", "bf16"}}));
  EXPECT_EQ(controls[2].kind, Switch);
  EXPECT_EQ(controls[3].kind, Text);
  host_.setParameter("stages", "6");
  host_.reopen((folder_ / "param.py").string(), std::nullopt);
  events = settle();
  EXPECT_NE(printed(events).find("6\n"), std::string::npos);
  EXPECT_EQ(openings(events).at(0).parameters.at(0).value, "6");
  events = opened("other.py", "print(param('stages', 4, range(2, 7)))\n"); // another file has its own parameters
  EXPECT_NE(printed(events).find("4\n"), std::string::npos);
}

TEST_F(SessionHostTest, ArraysOpenAsWhatTheyAre) {
  std::string path = (folder_ / "x.npy").string();
  core::Array array = core::Array::zeros(core::Dtype::I32, {3, 4});
  for (int64_t i = 0; i < array.size(); ++i)
    array.setInteger(i, i);
  ASSERT_TRUE(core::saveNpy(path, array));
  host_.open(path);
  auto events = settle();
  auto data = shown<viz::DataRequest>(events);
  ASSERT_EQ(data.size(), 1u) << printed(events);
  EXPECT_EQ(data[0].title, "x.npy");
  EXPECT_EQ(viz::elementText(data[0].items.at(0).numbers->array, 11), "11");
  host_.evaluate("loaded.shape");
  EXPECT_NE(printed(settle()).find("(3, 4)"), std::string::npos);
  // A truncated array is reported with its name, and the old picture stays.
  std::string whole = (*core::readSource(path))->text();
  events = opened("cut.npy", whole.substr(0, whole.size() - 3));
  EXPECT_TRUE(shown<viz::DataRequest>(events).empty());
  EXPECT_NE(printed(events).find("cut.npy"), std::string::npos) << printed(events);
}

TEST_F(SessionHostTest, ImagesOpenAsWhatTheyAre) {
  viz::Scene scene;
  scene.title = "a picture";
  auto events = opened("picture.png", *viz::toPng(scene));
  auto data = shown<viz::DataRequest>(events);
  ASSERT_EQ(data.size(), 1u) << printed(events);
  EXPECT_TRUE(data[0].items.at(0).numbers->image);
  host_.evaluate("loaded.shape[2]");
  EXPECT_NE(printed(settle()).find("3"), std::string::npos);
  events = opened("cut.png", "\x89PNG\r\n");
  EXPECT_NE(printed(events).find("cut.png` is not a PNG image that can be read"), std::string::npos) << printed(events);
  events = opened("photo.jpg", "\xff\xd8\xff");
  EXPECT_NE(printed(events).find("a picture"), std::string::npos) << printed(events);
}

TEST_F(SessionHostTest, TellsWhatIsWrongBeforeARun) {
  EXPECT_TRUE(host_.problemsIn("x = 1\n").empty());
  auto problems = host_.problemsIn("x = 1\ny = (\nz z\n");
  ASSERT_FALSE(problems.empty());
  EXPECT_GE(problems[0].line, 2u);
  EXPECT_TRUE(host_.problemsIn("").empty());
}

} // namespace
} // namespace lanescope::repl
