// Files that change while the window shows them: what runs again, what is kept, and that no text is lost.
#include "FakeHost.h"

#include "core/data/Files.h"
#include "tests/unit/TemporaryFolder.h"
#include "viz/gui/window/LiveFiles.h"
#include "viz/host/WorkspaceState.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace lanescope::viz {
namespace {

namespace fs = std::filesystem;

/// Waits until the condition holds, for at most ten seconds.
template <typename Condition> bool eventually(Condition condition) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

class LiveFilesTest : public testing::Test {
protected:
  void SetUp() override {
    path = (folder / "a.py").string();
    write("x = 1\n");
    live.whileTyping = true;
    live.opened({.path = path, .snippet = true, .parameters = {{.name = "stages", .value = "4", .initial = "4"}}});
    ASSERT_TRUE(turn([&] { return editor.path() == path; }));
  }
  void write(std::string_view text) const { ASSERT_TRUE(core::writeFile(path, text)); } // a new file, renamed
  std::string onDisk() const { return (*core::readSource(path))->text(); }
  /// Draws frames until the condition holds.
  template <typename Condition> bool turn(Condition condition) {
    return eventually([&] {
      live.update();
      requests.deliver();
      return condition();
    });
  }

  FakeHost host;
  Requests requests;
  EditorModel editor;
  LiveFiles live{host, requests, editor};
  const TemporaryFolder own;
  const fs::path folder = own.path();
  std::string path;
};

TEST_F(LiveFilesTest, ASaveElsewhereRunsAgainAndIsInTheEditor) {
  write("x = 2\n");
  ASSERT_TRUE(turn([&] { return editor.text() == "x = 2\n" && !host.reopened.empty(); }));
  EXPECT_EQ(host.reopened[0].path, path);
  EXPECT_FALSE(host.reopened[0].text);
  EXPECT_FALSE(editor.modified());
  std::ofstream(path) << "x = 33\n"; // written in place
  ASSERT_TRUE(turn([&] { return editor.text() == "x = 33\n"; }));
}

TEST_F(LiveFilesTest, WhatIsTypedIsCheckedAndRun) {
  editor.paste("wrong\n");
  EXPECT_TRUE(turn([&] { return !editor.problems.empty(); }));
  EXPECT_EQ(editor.problems[0].line, 1u);
  EXPECT_TRUE(host.reopened.empty()); // the syntax is wrong
  editor.undo();
  editor.paste("y = 1\n");
  ASSERT_TRUE(turn([&] { return !host.reopened.empty(); }));
  EXPECT_TRUE(editor.problems.empty());
  EXPECT_EQ(host.reopened[0].text, "y = 1\nx = 1\n");
  EXPECT_EQ(onDisk(), "x = 1\n");
  live.whileTyping = false;
  editor.paste("z = 1\n");
  ASSERT_TRUE(turn([&] { return !live.waiting() && !requests.busy(); }));
  EXPECT_EQ(host.reopened.size(), 1u);
}

TEST_F(LiveFilesTest, AProgramRunsWhenItIsSavedAndNeverWhileItIsTyped) {
  live.opened({.path = path, .snippet = true, .program = true});
  EXPECT_TRUE(live.ofPython());
  editor.paste("y = 1\n");
  ASSERT_TRUE(turn([&] { return !live.waiting() && !requests.busy(); }));
  EXPECT_TRUE(host.reopened.empty());
  editor.paste("wrong\n"); // the snippet language's rules do not apply to Python
  ASSERT_TRUE(turn([&] { return !live.waiting() && !requests.busy(); }));
  EXPECT_TRUE(editor.problems.empty());
  live.save();
  ASSERT_TRUE(turn([&] { return !host.reopened.empty(); }));
  EXPECT_FALSE(host.reopened[0].text);
  live.opened({.path = path, .again = true, .snippet = true}); // without its imports it is a snippet again
  EXPECT_FALSE(live.ofPython());
}

// PTX has a launch instead of a snippet's parameters. The editor keeps its snippet.
TEST_F(LiveFilesTest, ALaunchOfPtxIsSetAsParametersAre) {
  const std::string ptx = (folder / "k.ptx").string();
  live.opened({.path = ptx, .launch = true, .parameters = {{.name = "grid", .value = "1", .initial = "1"}}});
  EXPECT_TRUE(live.isLaunch());
  EXPECT_EQ(editor.path(), path);
  live.setParameter(0, "4");
  ASSERT_TRUE(turn([&] { return !host.reopened.empty(); }));
  EXPECT_EQ(host.reopened[0].path, ptx);
  EXPECT_FALSE(host.reopened[0].text);
  live.run();
  ASSERT_TRUE(turn([&] { return host.reopened.size() == 2; }));
  EXPECT_EQ(host.reopened[1].path, ptx);
  live.opened({.path = path, .snippet = true});
  EXPECT_FALSE(live.isLaunch());
}

TEST_F(LiveFilesTest, SavingWritesRunsAndIsNoNews) {
  editor.paste("y = 1\n");
  live.save();
  ASSERT_TRUE(turn([&] { return !host.reopened.empty(); }));
  EXPECT_EQ(onDisk(), "y = 1\nx = 1\n");
  EXPECT_FALSE(editor.modified());
  EXPECT_FALSE(host.reopened[0].text);
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  turn([&] { return !requests.busy(); });
  EXPECT_EQ(host.reopened.size(), 1u);
}

TEST_F(LiveFilesTest, ATextThatWasEditedInBothPlacesIsNeverLost) {
  live.whileTyping = false;
  editor.paste("mine\n");
  write("theirs\n");
  ASSERT_TRUE(turn([&] { return editor.theirs().has_value(); }));
  EXPECT_EQ(editor.text(), "mine\nx = 1\n");
  EXPECT_TRUE(host.reopened.empty()); // the user has not decided which text runs
  live.save();                        // does not overwrite changes that the user has not seen
  ASSERT_TRUE(turn([&] { return !requests.busy(); }));
  EXPECT_EQ(onDisk(), "theirs\n");
  live.keepMine();
  live.save();
  ASSERT_TRUE(turn([&] { return onDisk() == "mine\nx = 1\n"; }));
}

TEST_F(LiveFilesTest, AnUnsavedTextIsPutAsideForAnotherFile) {
  live.whileTyping = false;
  editor.paste("mine\n");
  std::string other = (folder / "b.py").string();
  ASSERT_TRUE(core::writeFile(other, "b\n"));
  live.opened({.path = other, .snippet = true});
  ASSERT_TRUE(turn([&] { return editor.path() == other; }));
  EXPECT_EQ(live.unsaved(), (std::map<std::string, std::string>{{path, "mine\nx = 1\n"}}));
  EXPECT_EQ(live.recent, (std::vector<std::string>{other, path}));
  live.opened({.path = path, .snippet = true});
  ASSERT_TRUE(turn([&] { return editor.path() == path; }));
  EXPECT_EQ(editor.text(), "mine\nx = 1\n");
  EXPECT_TRUE(editor.modified());
}

TEST_F(LiveFilesTest, ATextOfAnEarlierSessionComesBack) {
  std::string other = (folder / "c.py").string();
  ASSERT_TRUE(core::writeFile(other, "c\n"));
  live.restoreUnsaved(other, "edited\n");
  live.opened({.path = other, .snippet = true});
  ASSERT_TRUE(turn([&] { return editor.path() == other; }));
  EXPECT_EQ(editor.text(), "edited\n");
  EXPECT_TRUE(editor.undo());
  EXPECT_EQ(editor.text(), "c\n");
}

TEST_F(LiveFilesTest, AFailingRunMakesThePicturesOld) {
  live.opened({.path = path, .again = true, .snippet = true, .ok = false, .problems = {{3, 1, 1, "no such name"}}});
  EXPECT_EQ(live.old(), "a.py, line 3: no such name");
  EXPECT_EQ(editor.problems.size(), 1u);
  ASSERT_EQ(live.parameters().size(), 1u); // the run failed before it declared its parameters
  live.opened({.path = path, .again = true, .snippet = true});
  EXPECT_EQ(live.old(), "");
  EXPECT_TRUE(live.parameters().empty());
}

TEST_F(LiveFilesTest, AParameterRunsTheTextAsItStands) {
  live.whileTyping = false;
  editor.paste("y\n");
  live.setParameter(0, "5");
  EXPECT_EQ(host.parameters["stages"], "5");
  ASSERT_EQ(host.reopened.size(), 1u);
  EXPECT_EQ(host.reopened[0].text, "y\nx = 1\n");
  live.setParameter(0, "5"); // the parameter has this value already
  EXPECT_EQ(host.reopened.size(), 1u);
  live.resetParameters();
  EXPECT_EQ(host.parameters["stages"], std::nullopt);
}

TEST_F(LiveFilesTest, WhatCannotBeWrittenIsSaid) {
  editor.open((folder / "missing" / "d.py").string(), "");
  editor.paste("d\n");
  live.save();
  ASSERT_TRUE(turn([&] { return !editor.said.empty(); }));
  EXPECT_TRUE(editor.said.starts_with("not saved: ")) << editor.said;
  EXPECT_TRUE(editor.modified());
}

TEST_F(LiveFilesTest, AWorkspaceIsWhatItWas) {
  WorkspaceState state{.files = {path, "/elsewhere/t.json"},
                       .parameters = {{"stages", "5"}},
                       .view = "trace",
                       .pictures = "view(\"WGMMA\", shape=(64, 64))",
                       .range = {{10, 20.5}},
                       .editor = true,
                       .line = 3,
                       .column = 4,
                       .dark = false,
                       .scale = 1.5f};
  state.arrangement.console.wish = FoldWish::Folded;
  moveDock(state.arrangement.docks, DockPanel::Console, DockSide::Right);
  moveDock(state.arrangement.docks, DockPanel::Editor, DockSide::Left); // outside the other panels
  dockOf(state.arrangement.docks, DockPanel::Files).width = 0.25f;
  state.arrangement.views["trace"].side = {.folding = {FoldWish::Folded}, .left = true, .share = 0.5f};
  state.arrangement.views["code"].grid = {{0.25f, 0.75f}, {1}};
  state.arrangement.tabs = {"trace", "layout"};
  state.pictureOrder = {"threads", "array"}, state.textOrder = {"ptx", "snippet"};
  fs::path file = folder / "w.lanescope";
  ASSERT_TRUE(saveWorkspace(file, state));
  // A relative path, so that both files can be moved together.
  EXPECT_NE((*core::readSource(file))->text().find("\"a.py\""), std::string::npos);
  auto read = loadWorkspace(file);
  ASSERT_TRUE(read) << render(read.error());
  EXPECT_EQ(read->files, state.files);
  EXPECT_EQ(read->parameters, state.parameters);
  EXPECT_EQ(read->view, state.view);
  EXPECT_EQ(read->pictures, state.pictures);
  EXPECT_EQ(read->range, state.range);
  EXPECT_EQ(read->line, 3u);
  EXPECT_TRUE(read->editor && !read->dark);
  EXPECT_EQ(read->arrangement.console.wish, FoldWish::Folded);
  EXPECT_EQ(read->arrangement.files.wish, FoldWish::Auto);
  EXPECT_EQ(read->arrangement.docks, state.arrangement.docks);
  const ViewArrangement &trace = read->arrangement.views["trace"];
  EXPECT_TRUE(trace.side.left && trace.side.share == 0.5f && trace.side.folding.wish == FoldWish::Folded);
  EXPECT_EQ(read->arrangement.views["code"].grid.columns, (std::vector<float>{0.25f, 0.75f}));
  EXPECT_EQ(read->arrangement.tabs, state.arrangement.tabs);
  EXPECT_EQ(read->pictureOrder, state.pictureOrder);
  EXPECT_EQ(read->textOrder, state.textOrder);
  EXPECT_EQ(read->scale, 1.5f);
  fs::path keptFile = folder / "deep" / "window.json";
  ASSERT_TRUE(saveKept(keptFile, {.last = state, .recent = {path}, .unsaved = {{path, "\xff text"}}}));
  KeptState kept = loadKept(keptFile);
  EXPECT_EQ(kept.recent, std::vector<std::string>{path});
  EXPECT_EQ(kept.unsaved.size(), 1u);
  EXPECT_EQ(kept.last->files, state.files);
}

TEST_F(LiveFilesTest, WhatIsNoWorkspaceIsSaid) {
  for (auto [content, words] : {std::pair("", "this is no workspace"),
                                {"{]", "this is no workspace"},
                                {"[]", "this is no workspace"},
                                {R"({"lanescope": "workspace", "view": 3})", "`view` must be a text"},
                                {R"({"lanescope": "workspace", "docks": 3})", "`docks` must be a list"},
                                {R"({"lanescope": "workspace", "views": []})", "`views` must be an object"},
                                {R"({"lanescope": "workspace", "line": -3})", "`line` must be a number"}}) {
    write(content);
    auto read = loadWorkspace(path);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error()[0].kind, "workspace-file");
    EXPECT_NE(read.error()[0].message.find(words), std::string::npos) << read.error()[0].message;
  }
  write(R"({"lanescope": "workspace", "scale": 1e300, "files": [3, "b"], "unknown": 1})");
  auto read = loadWorkspace(path);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->scale, 4);
  EXPECT_EQ(read->arrangement.docks, usualDocks());
  write(R"({"lanescope": "workspace", "docks": [3, {"panel": "moon"}, {"panel": "console", "side": "right", "width": 9},
            {"panel": "console", "side": "left"}], "views": {"code": {"columns": [2, "x", 0.5]}, "trace": 1}})");
  auto odd = loadWorkspace(path);
  ASSERT_TRUE(odd);
  ASSERT_EQ(odd->arrangement.docks.size(), kDockPanels); // panels that the file leaves out keep their default place
  EXPECT_EQ(odd->arrangement.docks[0], (Dock{DockPanel::Console, DockSide::Right, kMostShare, 0}));
  EXPECT_EQ(odd->arrangement.views["code"].grid.columns, std::vector<float>{1});
  EXPECT_EQ(read->files, std::vector<std::string>{(folder / "b").string()});
  EXPECT_TRUE(loadKept(folder / "nowhere").recent.empty());
  EXPECT_TRUE(loadKept(path).recent.empty());
}

} // namespace
} // namespace lanescope::viz
