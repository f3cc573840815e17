// Links that the window copies in its debugger, opened by the page.
#include "core/data/Files.h"
#include "core/data/PageLink.h"
#include "repl/web/KernelPage.h"
#include "viz/gui/debugger/DebuggerLink.h"
#include "viz/gui/debugger/DebuggerModel.h"
#include "viz/host/LinkedFiles.h"
#include "viz/web/GivenFiles.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <random>
#include <thread>

namespace lanescope::repl {
namespace {

using nlohmann::json;

constexpr std::string_view kPtx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry twice(.param .u64 p0, .param .u64 p1) {
  .reg .b64 %d<6>; .reg .b32 %r<6>;
  .file 1 "twice.cu"
  ld.param.u64 %d0, [p0];
  ld.param.u64 %d1, [p1];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d2, %r0, 4;
  .loc 1 2 0
  add.s64 %d3, %d0, %d2;
  ld.global.u32 %r1, [%d3];
  add.u32 %r2, %r1, %r1;
  add.s64 %d4, %d1, %d2;
  st.global.u32 [%d4], %r2;
  ret;
}
)";

core::BufferSpec named(const char *name, int64_t elements) {
  core::BufferSpec out;
  out.dtype = layouts::Dtype::I32;
  out.shape = {elements};
  out.name = name;
  return out;
}

/// A run of the kernel. The first array has these numbers, the second one zeros.
std::shared_ptr<viz::DebugTarget> target(const std::vector<int32_t> &numbers) {
  auto out = std::make_shared<viz::DebugTarget>();
  const auto elements = static_cast<int64_t>(numbers.size());
  out->title = "twice";
  out->ptx = Source::make("/elsewhere/k.ptx", std::string(kPtx));
  out->snippet = Source::make("/elsewhere/twice.cu", "// a\nout[i] = 2 * in[i];\n");
  out->launch.entry = "twice";
  out->launch.block = {64, 1, 1};
  out->launch.params = {core::BufferParam{named("in", elements)}, core::BufferParam{named("in", elements)}};
  out->arrays = {core::Array::zeros(layouts::Dtype::I32, {elements}),
                 core::Array::zeros(layouts::Dtype::I32, {elements})};
  std::memcpy(out->arrays[0].bytes.data(), numbers.data(), numbers.size() * sizeof(int32_t));
  return out;
}

json kernelOf(const std::string &link) {
  auto state = core::pageState(Source::make("link", link));
  return state ? json::parse(*state)["kernel"] : json();
}

class WindowLinkTest : public testing::Test {
protected:
  WindowLinkTest() { viz::forgetFiles(); }
  void settle() {
    while (model.busy()) {
      model.update();
      std::this_thread::yield();
    }
  }
  json ask(const json &request) { return json::parse(page.call(request.dump())); }
  /// Opens the link's kernel as viz/web/page/kernels.js does.
  json open(const json &kernel) {
    auto parsed = core::parseJson(Source::make("files", kernel["files"].dump()));
    const std::vector<viz::LinkedFile> files = *viz::linkedFilesOf(*parsed);
    for (const viz::LinkedFile &file : files) {
      page.file().resize(file.content.size());
      std::memcpy(page.file().data(), file.content.data(), file.content.size());
      ask({{"do", "file"}, {"name", file.name}});
    }
    return ask({{"do", "open"}});
  }

  viz::DebuggerModel model;
  KernelPage page;
};

TEST_F(WindowLinkTest, thePageShowsTheRunOfTheWindow) {
  EXPECT_FALSE(viz::debuggerLink(model, "http://x/")) << "no run is offered";
  std::vector<int32_t> numbers(64);
  for (size_t n = 0; n < numbers.size(); ++n)
    numbers[n] = int32_t(3 * n + 1);
  model.offer(target(numbers));
  auto link = viz::debuggerLink(model, "http://x/");
  ASSERT_TRUE(link && link->hasArrays);
  EXPECT_TRUE(link->link.starts_with("http://x/kernels.html#1="));
  EXPECT_FALSE(kernelOf(link->link).contains("debug")) << "the run is not opened yet";

  model.goTo(9);
  model.toggleBreakpoint(15, false);
  model.setFocus({0, 1});
  model.showPanel(viz::DebugPanel::Registers);
  settle();
  link = viz::debuggerLink(model, "http://x/");
  ASSERT_TRUE(link);
  json kernel = kernelOf(link->link);
  json opened = open(kernel)["kernel"];
  EXPECT_EQ(opened["entry"], "twice");
  EXPECT_EQ(kernel["files"][2]["name"], "twice.cu"); // beside the PTX, where the page finds it
  EXPECT_TRUE(opened["guesses"].empty());
  EXPECT_TRUE(opened["remarks"].empty()) << opened["remarks"];
  json output = ask({{"do", "run"}})["ran"]["outputs"][1];
  EXPECT_EQ(output["words"].get<std::string>().substr(0, 12), "2, 8, 14, 20");
  json debug = ask({{"do", "load"}, {"state", kernel["debug"]}})["debug"];
  EXPECT_EQ(debug["at"], 9);
  EXPECT_EQ(debug["focus"]["warp"], 1);
  EXPECT_EQ(debug["stops"].size(), 1u);
  EXPECT_EQ(ask({{"do", "share"}})["debug"], kernel["debug"]);
}

TEST_F(WindowLinkTest, sourcesBesideThePtxAreInTheLink) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "window_link";
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(core::writeFile(folder / "twice.cu", "// beside\n"));
  auto opened = target({1, 2, 3, 4});
  opened->ptx = Source::make((folder / "k.ptx").string(), std::string(kPtx));
  opened->snippet = nullptr;
  model.offer(opened);
  json files = kernelOf(viz::debuggerLink(model, "http://x/").value().link)["files"];
  std::filesystem::remove_all(folder);
  ASSERT_EQ(files.size(), 4u);
  EXPECT_EQ(files[2], (json{{"name", "twice.cu"}, {"text", "// beside\n"}}));
}

TEST_F(WindowLinkTest, largeArraysAreLeftOut) {
  std::mt19937 random(1);
  for (size_t elements : {size_t{1} << 15, size_t{1} << 19}) { // more than a link's letters, and more than its state
    std::vector<int32_t> numbers(elements);
    for (int32_t &each : numbers)
      each = int32_t(random());
    model.offer(target(numbers));
    auto link = viz::debuggerLink(model, "http://x/");
    ASSERT_TRUE(link);
    EXPECT_FALSE(link->hasArrays);
    EXPECT_LE(link->link.size(), core::kLongestPageLink);
    json opened = open(kernelOf(link->link))["kernel"];
    EXPECT_NE(opened["remarks"].dump().find("random numbers stand in"), std::string::npos) << opened;
  }
  auto large = target({1, 2, 3, 4});
  std::string remarks(kPtx);
  for (int n = 0; n < 40'000; ++n)
    remarks += "// " + std::to_string(random()) + "\n";
  large->ptx = Source::make("k.ptx", remarks);
  model.offer(large);
  EXPECT_FALSE(viz::debuggerLink(model, "http://x/")) << "the PTX alone is too large";
}

} // namespace
} // namespace lanescope::repl
