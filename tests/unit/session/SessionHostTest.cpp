// The window's host without a window: what it answers when entries are evaluated and files of each kind are opened.
#include "repl/session/SessionHost.h"

#include "core/data/Files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <unistd.h>

namespace lanescope::repl {
namespace {

namespace fs = std::filesystem;
using viz::HostEvent;

class SessionHostTest : public testing::Test {
protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("lanescope-host-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    settle();
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Everything that the host says until it rests.
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
  fs::path folder_;
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
  EXPECT_NE(printed(events).find("without a module or too many: add_Lane, tma_Lane"), std::string::npos);
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
  ASSERT_EQ(codes.size(), 2u) << printed(events); // its text at once, the stages when it has run
  EXPECT_EQ(codes[0].pages.size(), 1u);
  EXPECT_GT(codes[1].pages.size(), 3u);
  EXPECT_EQ(codes[1].pages.front().text, kSnippet);
  auto traces = shown<viz::TraceRequest>(events);
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_EQ(traces[0].title, "double.py");
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
    EXPECT_FALSE(file.name.ends_with(".md")) << file.path;
}

} // namespace
} // namespace lanescope::repl
