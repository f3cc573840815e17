// The command palette contains the entries of its owners' lists, and finds them.
#include "FakeHost.h"
#include "FakeTextures.h"

#include "layouts/support/Text.h"
#include "viz/gui/window/CommandPalette.h"
#include "viz/gui/window/FastKeys.h"
#include "viz/gui/window/Script.h"
#include "viz/gui/window/WindowWorkspace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <ranges>
#include <set>
#include <sstream>

namespace lanescope::viz {
namespace {

class Palette : public testing::Test {
protected:
  void SetUp() override {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    host.listed = {{"samples/kernels/double.py", "kernels", "double.py", "Doubles a tile"},
                   {"docs/readings.md", "documents", "readings.md", "Which reading does my text get?"}};
    workspace.emplace(host, theme, textures);
    entries = paletteEntries(*workspace);
  }
  void TearDown() override {
    workspace.reset();
    ImGui::DestroyContext();
  }
  bool holds(std::string_view kind, std::string_view name) const {
    return std::ranges::any_of(entries, [&](const PaletteEntry &e) { return e.kind == kind && e.name == name; });
  }
  size_t count(std::string_view kind) const { return size_t(std::ranges::count(entries, kind, &PaletteEntry::kind)); }
  /// Runs the first entry found.
  std::string run(std::string_view query) {
    std::vector<size_t> found = matching(entries, query);
    if (found.empty())
      return "";
    entries[found.front()].run(*workspace);
    while (workspace->pending())
      workspace->update();
    return entries[found.front()].name;
  }

  FakeHost host;
  Theme theme;
  FakeTextures textures;
  std::optional<Workspace> workspace;
  std::vector<PaletteEntry> entries;
};

TEST_F(Palette, HoldsEveryList) {
  for (const ViewEntry &view : views())
    EXPECT_TRUE(holds("view", view.title)) << view.title;
  EXPECT_EQ(count("view"), views().size());
  for (const PaneEntry &pane : paneTable())
    EXPECT_TRUE(holds("picture", pane.title)) << pane.title;
  EXPECT_EQ(count("picture"), paneTable().size());
  for (const std::string &layout : catalogueNames())
    EXPECT_TRUE(holds("layout", layout)) << layout;
  EXPECT_EQ(count("layout"), catalogueNames().size());
  EXPECT_TRUE(holds("sample", "kernels/double.py"));
  EXPECT_TRUE(holds("document", "documents/readings.md"));
  EXPECT_EQ(count("sample") + count("document"), host.listed.size());
  for (const char *colour : {"warp", "lane", "register", "vector", "bank"})
    EXPECT_TRUE(holds("action", std::string("Colour by ") + colour));
  for (const char *action : {"Dark theme", "Light theme", "Larger", "Smaller", "Keys", "Copy view", "Paste", "Stop",
                             "Read as memory", "Read as (thread, value)", "No swizzle", "Console"})
    EXPECT_TRUE(holds("action", action)) << action;
}

TEST_F(Palette, FindsByWords) {
  auto best = [&](std::string_view query) {
    std::vector<size_t> found = matching(entries, query);
    return found.empty() ? std::string() : entries[found.front()].name;
  };
  EXPECT_EQ(matching(entries, "").size(), entries.size());
  EXPECT_EQ(matching(entries, "  ").size(), entries.size());
  EXPECT_EQ(best("wgmma_row"), "WGMMA_ROW");
  EXPECT_EQ(best("WGMMA"), "WGMMA") << "the name that begins with it, in the catalogue's order";
  EXPECT_EQ(best("light"), "Light theme");
  EXPECT_EQ(best("reading document"), "documents/readings.md");
  EXPECT_EQ(best("doubles tile"), "kernels/double.py");
  EXPECT_EQ(best("no such thing at all"), "");
}

// Queries in the words of people who have not read our documents. They were written down before they were tried.
TEST_F(Palette, IsFoundByWhatPeopleCallIt) {
  const std::pair<const char *, const char *> kSearches[] = {
      {"bank conflict", "Shared memory"},
      {"bank conflicts", "Shared memory"},
      {"smem", "Shared memory"},
      {"step back", "Debugger: line back"},
      {"step over", "Debugger: line"},
      {"step into", "Debugger: instruction"},
      {"breakpoint", "Debugger: breakpoint"},
      {"watchpoint", "Debugger: stop where …"},
      {"ldmatrix", "Conflicts of ldmatrix.x4"},
      {"why slow", "Critical path"},
      {"stall", "Critical path"},
      {"bottleneck", "Critical path"},
      {"SASS", "Machine code"},
      {"disassembly", "Machine code"},
      {"warp", "Colour by warp"},
      {"lane", "Colour by lane"},
      {"register", "Colour by register"},
      {"dark mode", "Dark theme"},
      {"font size", "Larger"},
      {"shortcuts", "Keys"},
      {"hotkeys", "Keys"},
      {"help", "Keys"},
      {"svg", "Export the picture"},
      {"save image", "Export the picture"},
      {"screenshot", "Export the picture"},
      {"tmem", "Tensor memory"},
      {"swizzle", "Swizzle of 128 bytes"},
      {"occupancy", "Blocks on processors"},
      {"overlap", "Overlap over time"},
      {"timeline", "Trace"},
      {"diff", "Difference"},
      {"convert layout", "Relayout"},
      {"shuffle", "Relayout"},
      {"load file", "Open a file"},
      {"share", "Copy view"},
      {"reset layout", "Usual arrangement"},
      {"cancel", "Stop"},
      {"fit", "Whole picture"},
      {"deadlock", "Debugger: who waits for whom"},
      {"mbarrier", "Debugger: barriers"},
      {"race", "Debugger: fault"},
      {"in flight", "Debugger: what is in flight"},
      {"rerun", "Run again"},
      {"zoom", "Zoom in"},
      {"ptx", "Code"},
      {"color by lane", "Colour by lane"},
      {"linear layout", "Bits"},
      {"profiler", "Trace"},
      {"repl", "Console"},
      {"compare traces", "Compare the traces"},
  };
  for (auto [query, wanted] : kSearches) {
    std::vector<size_t> found = matching(entries, query);
    EXPECT_EQ(found.empty() ? "nothing" : entries[found.front()].name, wanted) << query;
  }
}

TEST_F(Palette, SynonymsNameEntriesAndNoTwoShareOne) {
  std::set<std::string> seen;
  for (const Synonyms &each : synonyms()) {
    EXPECT_EQ(std::ranges::count(entries, each.name, &PaletteEntry::name), 1) << each.name;
    for (auto word : std::views::split(each.words, std::string_view(", ")))
      EXPECT_TRUE(seen.emplace(word.begin(), word.end()).second) << std::string(word.begin(), word.end());
  }
}

TEST_F(Palette, DoesWhatItSays) {
  EXPECT_EQ(run("light theme"), "Light theme");
  EXPECT_FALSE(workspace->wantDark);
  EXPECT_EQ(run("colour register"), "Colour by register");
  EXPECT_EQ(workspace->models.explorer.input.colourBy, ColourBy::Register);
  EXPECT_EQ(run("trace"), "Trace");
  EXPECT_EQ(workspace->models.front, ViewId::Trace);
  EXPECT_EQ(run("wgmma_transposed"), "WGMMA_TRANSPOSED");
  EXPECT_EQ(workspace->models.front, ViewId::Layout);
  EXPECT_EQ(workspace->models.explorer.input.layout, "WGMMA_TRANSPOSED");
  EXPECT_EQ(run("read as thread"), "Read as (thread, value)");
  EXPECT_EQ(workspace->models.explorer.input.memory, layouts::Memory::Registers);
  EXPECT_EQ(run("readings.md"), "documents/readings.md");
  EXPECT_EQ(host.opened, std::vector<std::string>{"docs/readings.md"});
  togglePalette(*workspace);
  EXPECT_TRUE(workspace->models.palette.open);
  EXPECT_EQ(workspace->models.palette.entries.size(), entries.size());
  togglePalette(*workspace);
  EXPECT_FALSE(workspace->models.palette.open);
}

/// The names in the first column of the tables under a heading.
std::vector<std::string> listedUnder(const std::string &document, const std::string &heading) {
  std::vector<std::string> out;
  size_t at = document.find("\n## " + heading + "\n");
  size_t end = document.find("\n## ", at + 1);
  std::istringstream lines(at == std::string::npos ? "" : document.substr(at + 1, end - at));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("| ") && !line.starts_with("| ---") && !line.starts_with("| action") &&
        !line.starts_with("| keys"))
      out.push_back(line.substr(2, line.find(" |", 2) - 2));
  return out;
}

TEST_F(Palette, EveryActionAndKeyIsInTheDocument) {
  std::ifstream file(LANESCOPE_SOURCE_DIR "/docs/window.md");
  std::string document(std::istreambuf_iterator<char>(file), {});
  std::vector<std::string> documented = listedUnder(document, "Actions"), actions;
  for (const PaletteEntry &entry : entries)
    if (entry.kind == "action")
      actions.push_back(entry.name);
  std::ranges::sort(documented);
  std::ranges::sort(actions);
  EXPECT_EQ(documented, actions);
  for (const KeyList &list : keyLists())
    for (const KeyRow &row : list.rows)
      EXPECT_NE(document.find(text("| ", row.keys, " | ", row.about, " |")), std::string::npos)
          << list.title << ": " << row.keys << " is not in docs/window.md as the window says it";
  for (const ViewEntry &view : views())
    EXPECT_NE(document.find(text("**", view.title, "**")), std::string::npos) << view.title;
  for (const PaneEntry &pane : paneTable())
    EXPECT_NE(document.find(text("*", pane.title, "*")), std::string::npos) << pane.title;
}

TEST_F(Palette, EveryScriptCommandIsInTheDocument) {
  std::ifstream file(LANESCOPE_SOURCE_DIR "/docs/gui-script.md");
  std::string document(std::istreambuf_iterator<char>(file), {});
  for (const ScriptHelp &command : scriptCommands())
    EXPECT_NE(document.find(text("| `", command.name)), std::string::npos) << command.name;
}

TEST_F(Palette, APathListsFilesAndFolders) {
  EXPECT_TRUE(isPathBegun("/usr") && isPathBegun("./a") && isPathBegun("~/x") && !isPathBegun("wgmma"));
  std::vector<PaletteEntry> found = pathEntries(LANESCOPE_SOURCE_DIR "/samples/ker");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "folder");
  found[0].run(*workspace); // the palette stays open inside the folder
  EXPECT_TRUE(workspace->models.palette.open);
  EXPECT_TRUE(workspace->models.palette.query.ends_with("samples/kernels/"));
  const auto &inside = workspace->models.palette.entries;
  auto at = std::ranges::find_if(inside, [](const PaletteEntry &e) { return e.name.ends_with("/double.py"); });
  ASSERT_NE(at, inside.end());
  at->run(*workspace);
  EXPECT_TRUE(host.opened.back().ends_with("samples/kernels/double.py"));
  EXPECT_TRUE(pathEntries("/there is no such folder/").empty());
}

TEST(FastKeysTest, AKeyThatIsOverBeforeTheFrameIsHeldForIt) {
  FastKeys keys;
  keys.pressed('K', 2);
  keys.released('K');
  keys.pressed('A', 0);
  EXPECT_EQ(keys.take(), (std::vector<FastKey>{{'K', 2}}));
  keys.released('A'); // the key was down during the frame
  EXPECT_TRUE(keys.take().empty());
}

} // namespace
} // namespace lanescope::viz
