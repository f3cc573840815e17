// Whole frames with Dear ImGui and no window: every view when it is empty, typical, failed and huge; scripts.
#include "FakeHost.h"
#include "FakeTextures.h"

#include "core/Links.h"
#include "layouts/support/Text.h"
#include "viz/gui/explorer/PaneGrid.h"
#include "viz/gui/window/CutTexts.h"
#include "viz/gui/window/OverlappingTexts.h"
#include "viz/gui/window/ScriptRunner.h"
#include "viz/host/DebuggedRun.h"

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <cmath>

namespace lanescope::viz {
namespace {

/// A context without a backend: fonts are built, but nothing is drawn on a screen.
class Frames : public testing::Test {
protected:
  void SetUp() override {
    ImGui::CreateContext();
    ImGuiIO &io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {1600, 1000};
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset; // as in the OpenGL 3 backend
    for (int key = 0; key < ImGuiKey_COUNT; ++key)
      io.KeyMap[key] = -1;
    io.KeyMap[ImGuiKey_Tab] = kKeyTab, io.KeyMap[ImGuiKey_Enter] = kKeyEnter, io.KeyMap[ImGuiKey_Escape] = kKeyEscape;
    io.KeyMap[ImGuiKey_UpArrow] = kKeyUp, io.KeyMap[ImGuiKey_DownArrow] = kKeyDown;
    io.KeyMap[ImGuiKey_LeftArrow] = kKeyLeft, io.KeyMap[ImGuiKey_RightArrow] = kKeyRight;
    io.KeyMap[ImGuiKey_Backspace] = kKeyBackspace, io.KeyMap[ImGuiKey_A] = 'A';
    io.GetClipboardTextFn = [](void *text) { return static_cast<std::string *>(text)->c_str(); };
    io.SetClipboardTextFn = [](void *text, const char *copied) { *static_cast<std::string *>(text) = copied; };
    io.ClipboardUserData = &clipboard;
    applyTheme(theme, true, 1);
    loadFonts(theme);
    io.Fonts->Build();
    workspace.emplace(host, theme, textures);
  }
  void TearDown() override {
    workspace.reset();
    ImGui::DestroyContext();
  }

  int vertices(ImVec2 size = {1600, 1000}) {
    ImGui::GetIO().DisplaySize = size;
    ImGui::GetIO().DeltaTime = 1.0f / 60;
    workspace->update();
    ImGui::NewFrame();
    workspace->draw(size.x, size.y);
    ImGui::Render();
    return ImGui::GetDrawData()->TotalVtxCount;
  }
  void settle() {
    do
      vertices();
    while (workspace->pending());
    vertices();
  }
  Diagnostics play(std::string script) {
    auto parsed = parseScript(Source::make("test.gui", std::move(script)));
    if (!parsed)
      return parsed.error();
    ScriptRunner runner(std::move(*parsed));
    ImGuiIO &io = ImGui::GetIO();
    for (int i = 0; i < 100000 && !runner.done(); ++i) {
      ScriptStep step = runner.next(*workspace, io.WantTextInput);
      io.MousePos = step.pointer, io.MouseDown[0] = step.down, io.MouseWheel = step.wheel;
      for (bool &down : io.KeysDown)
        down = false;
      if (step.key) {
        io.KeysDown[step.key->key] = true;
        io.KeyCtrl = step.key->control, io.KeyShift = step.key->shift;
      }
      if (!step.characters.empty())
        io.AddInputCharactersUTF8(step.characters.c_str());
      workspace->models.console.takeFocus |= step.focusConsole;
      vertices();
    }
    EXPECT_TRUE(runner.done());
    return runner.problems();
  }

  FakeHost host;
  Theme theme;
  FakeTextures textures;
  std::string clipboard;
  std::optional<Workspace> workspace;
};

std::shared_ptr<const core::Trace> traceOf(int tracks, int slices) {
  auto trace = std::make_shared<core::Trace>();
  trace->names = {"load", "a name that is far too long to fit into any bar, column or heading of the window at all"};
  for (int t = 0; t < tracks; ++t) {
    core::TraceTrack track{t / 4, t, "SM " + std::to_string(t / 4), "warpgroup " + std::to_string(t), {}};
    for (int i = 0; i < slices; ++i)
      track.slices.push_back({uint32_t(i % 2), 0, i * 20.0, i * 20.0 + 15});
    trace->tracks.push_back(std::move(track));
  }
  return trace;
}

ViewRequest viewOf(const std::string &written) { return {*parseView(Source::make("view", written))}; }

TEST_F(Frames, CutTextsAreFound) {
  auto cut = [&](const char *words, float clip, float button, ImFont *font) {
    ImGui::GetIO().DeltaTime = 1.0f / 60;
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({600, 300});
    ImGui::Begin("a window", nullptr, ImGuiWindowFlags_NoDecoration);
    ImGui::PushFont(font);
    if (button > 0) {
      ImGui::Button(words, {button, 0});
    } else {
      ImGui::PushClipRect({0, 0}, {clip, 300}, true);
      ImGui::TextUnformatted(words);
      ImGui::PopClipRect();
    }
    ImGui::PopFont();
    ImGui::End();
    ImGui::Render();
    const ImFont *const code[] = {theme.mono, theme.monoBold};
    return cutTexts(*ImGui::GetDrawData(), *ImGui::GetIO().Fonts, code);
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(cut("Whole picture", 500, 0, theme.ui), Texts());
  EXPECT_EQ(cut("Whole picture", 500, 200, theme.ui), Texts());
  EXPECT_EQ(cut("Whole picture", 60, 0, theme.ui).size(), 1u) << "by the rectangle of what is drawn";
  Texts narrow = cut("Whole picture", 0, 60, theme.small);
  ASSERT_EQ(narrow.size(), 1u) << "by a button that is too narrow";
  EXPECT_TRUE(std::string("Whole picture").starts_with(narrow[0]) || std::string("Whole picture").ends_with(narrow[0]))
      << narrow[0];
  EXPECT_EQ(cut("Whole picture", 60, 0, theme.mono), Texts()) << "code scrolls";
}

TEST_F(Frames, OverlappingTextsAreFound) {
  enum class Ground { None, Sharp, Round, Clear, Popup };
  auto overlaps = [&](float x, float y, Ground ground) {
    ImGui::GetIO().DeltaTime = 1.0f / 60;
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({600, 300});
    ImGui::Begin("a window", nullptr, ImGuiWindowFlags_NoDecoration);
    ImDrawList *draw = ImGui::GetWindowDrawList();
    draw->AddText(theme.ui, theme.ui->FontSize, {20, 20}, theme.ink, "under");
    if (ground == Ground::Popup) { // another window, whose ground is opaque
      ImGui::SetNextWindowPos({x - 8, y - 8});
      ImGui::Begin("a hint", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize);
      ImGui::TextUnformatted("over it");
      ImGui::End();
    } else {
      ImU32 fill = ground == Ground::Clear ? IM_COL32(0, 0, 0, 120) : IM_COL32(0, 0, 0, 255);
      if (ground != Ground::None)
        draw->AddRectFilled({x - 30, y - 6}, {x + 120, y + 40}, fill, ground == Ground::Round ? 6.0f : 0.0f);
      draw->AddText(theme.ui, theme.ui->FontSize, {x, y}, theme.ink, "over it");
    }
    ImGui::End();
    ImGui::Render();
    return overlappingTexts(*ImGui::GetDrawData(), *ImGui::GetIO().Fonts);
  };
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  const Pairs both{{"under", "over it"}};
  overlaps(300, 20, Ground::Popup); // windows get their size in their first frame
  EXPECT_EQ(overlaps(24, 23, Ground::None), both);
  EXPECT_EQ(overlaps(24, 23, Ground::Clear), both) << "a ground that one sees through hides nothing";
  EXPECT_EQ(overlaps(24, 23, Ground::Sharp), Pairs());
  EXPECT_EQ(overlaps(24, 23, Ground::Round), Pairs());
  EXPECT_EQ(overlaps(24, 23, Ground::Popup), Pairs());
  EXPECT_EQ(overlaps(300, 20, Ground::None), Pairs()) << "beside it";
  EXPECT_EQ(overlaps(20, 20 + theme.ui->FontSize, Ground::None), Pairs()) << "on the next line";
}

TEST_F(Frames, aLongRunOfTheDebuggerKeepsNobodyWaiting) {
  auto target = std::make_shared<DebugTarget>();
  target->title = "endless";
  target->ptx =
      Source::make("k.ptx", ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out) "
                            "{\n.reg .b64 %rd<3>;\nld.param.u64 %rd2, [out];\nL: mov.u64 %rd1, %clock64;\n"
                            "st.global.u64 [%rd2], %rd1;\nbra L;\n}\n");
  target->launch.block = {1, 1, 1};
  target->launch.entry = "k";
  core::BufferSpec buffer;
  buffer.shape = {64};
  target->launch.params = {core::BufferParam{buffer}};
  target->arrays = {core::Array::zeros(buffer.dtype, buffer.shape)};
  workspace->models.debugger.offer(target);
  workspace->models.debugger.perform(DebugAction::Continue);
  bool drawn = false;
  workspace->requests.post("picture", [&drawn] { return [&drawn] { drawn = true; }; });
  while (!drawn)
    vertices(), workspace->update();
  EXPECT_TRUE(workspace->models.debugger.busy()); // closing the window ends the run
}

TEST_F(Frames, debuggersAreDrawnEmptyTypicalFailedAndHuge) {
  workspace->bringToFront(ViewId::Debugger);
  settle();
  EXPECT_GT(vertices(), 0);
  EXPECT_FALSE(play("debug start\n").empty()); // there is no run yet
  auto offered = [&](std::string body, int64_t elements) {
    auto target = std::make_shared<DebugTarget>();
    target->title = "k";
    target->ptx = Source::make("k.ptx", ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 "
                                        "out) {\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n.shared .b8 s[1024];\n" +
                                            body + "ret;\n}\n");
    target->launch.entry = "k";
    core::BufferSpec buffer;
    buffer.shape = {elements / 64, 64};
    target->launch.params = {core::BufferParam{buffer}};
    target->arrays = {core::Array::zeros(buffer.dtype, buffer.shape)};
    host.ready.push_back(Show{DebugRequest{target, true}});
    settle();
    EXPECT_EQ(workspace->models.front, ViewId::Debugger);
    EXPECT_GT(vertices(), 100);
  };
  std::string lines;
  for (int i = 0; i < 20000; ++i)
    lines += "mov.u32 %r1, " + std::to_string(i) + ";\n";
  for (int64_t elements : {64, 1 << 22}) {
    offered("mov.u32 %r1, %tid.x;\nbar.sync 0;\n" + (elements > 64 ? lines : std::string()), elements);
    for (const char *panel :
         {"warps", "values", "barriers", "flights", "waits", "shared", "tensor", "arrays", "registers", "stops"}) {
      auto problems = play(std::string("debug event\npanel ") + panel + "\n");
      EXPECT_TRUE(problems.empty()) << render(problems);
      EXPECT_GT(vertices(), 100) << panel;
    }
    auto problems = play("debug end\nexpect all blocks have ended\nkey F9\ndebug start\nexpect moment 0\n");
    EXPECT_TRUE(problems.empty()) << render(problems);
  }
  offered("this is no instruction;\n", 64);
  EXPECT_TRUE(play("debug start\nexpect this\n").empty());
}

TEST_F(Frames, dumpsAreDrawnEmptyTypicalAndHuge) {
  workspace->bringToFront(ViewId::Dump);
  settle();
  EXPECT_GT(vertices(), 0);
  EXPECT_FALSE(play("op 1\n").empty()); // there is none yet
  auto page = std::make_shared<DumpPage>();
  page->name = "k_7";
  page->summary = "a summary\n";
  ViewSpec wgmma{.layout = "WGMMA", .shape = {64, 16}, .dtype = layouts::Dtype::F32, .view = View::Grid};
  constexpr size_t kRows = 20000;
  for (size_t i = 0; i < kRows; ++i)
    page->rows.push_back({.line = uint32_t(i + 1),
                          .name = "mosaic_gpu.wgmma",
                          .place = "kernel.py:1:1",
                          .values = {{.role = "operand 0", .storage = "WGMMA", .view = wgmma, .source = i / 2},
                                     {.role = "result 0", .type = "f32[64x16]", .storage = "WGMMA", .view = wgmma}},
                          .costs = {"relayout"}});
  page->memory = {{.offset = 0, .size = 64, .first = 0, .last = 100, .name = "smem"}};
  page->sections = {{"Relayouts", "none\n"}};
  host.ready.push_back(Show{DumpPageRequest{page}});
  settle();
  EXPECT_EQ(workspace->models.front, ViewId::Dump);
  EXPECT_GT(vertices(), 100);
  for (const char *script : {"op 20000\nexpect result 0: f32[64x16]\n", "page shared\nexpect bytes of shared memory\n",
                             "page tensor\nexpect this kernel has none\n", "page page\nexpect Relayouts\n"}) {
    auto problems = play(script);
    EXPECT_TRUE(problems.empty()) << render(problems);
  }
  EXPECT_FALSE(play("op 20001\n").empty());
  EXPECT_FALSE(play("click 1 1\n").empty());
  EXPECT_TRUE(play("page value\nop 3\ncast WGMMA_TRANSPOSED\n").empty());
  ASSERT_EQ(host.evaluated.size(), 1u);
  EXPECT_EQ(host.evaluated[0], "dump = dump.cast(3, WGMMA_TRANSPOSED, result=0)\ndump\nshow(dump)\n");
}

/// Two texts of `lines` lines; every line of the first one is three of the other's.
CodeRequest linkedTexts(uint32_t lines) {
  std::string first, second;
  for (uint32_t i = 0; i < lines; ++i)
    first += "x = f(" + std::to_string(i) + ")\n", second += "\tadd.s32 \t%r1, %r2, 3; // µ\n";
  SourceRef source = Source::make("k.py", first);
  static constexpr core::StageKind kPtx{"ptx", "PTX", ".ptx"};
  core::Stage snippet = core::sourceStage(source), ptx{kPtx, Source::make("k.ptx", second)};
  core::LineCosts costs{.columns = {{"instr", "instruction", "instructions", "counted"}}, .lines = {}};
  for (uint32_t i = 0; i < lines; ++i) {
    ptx.origins.push_back({core::LineOrigin::Kind::Source, {spanAt(source, i / 3 + 1, 1)}});
    costs.lines.push_back({double(i)});
  }
  CodeRequest request{.title = "k.py", .pages = {{"snippet", first, {2}}, {"ptx", second, {}}}};
  request.links = std::make_shared<const core::LinkTable>(std::vector<const core::Stage *>{&snippet, &ptx});
  request.pages[1].costs = std::make_shared<const core::LineCosts>(costs);
  request.arrays = {{0, 4, "acc", "f32[64, 16]", {.layout = "WGMMA", .shape = {64, 16}}}};
  request.memories = {{1, {10}, "shared memory", "byte", 1024, {{0, 64}}}};
  request.regions = {{"load", 0, {4}}};
  return request;
}

TEST_F(Frames, linkedTextsAreDrawnTypicalAndHuge) {
  for (uint32_t lines : {30u, 50000u}) {
    workspace->show(linkedTexts(lines));
    settle();
    auto problems = play("code snippet, ptx\nhover line 4\nexpect highlighted ptx: 10-12\n"
                         "expect shared memory: 64 bytes from 0 to 63\nclick line 4\nexpect array acc f32[64, 16]\n"
                         "hover none\nkey Down\nexpect highlighted ptx: 13-15\nkey Up\nkey .\nkey Tab\nkey I\n"
                         "hover line 13 ptx\nexpect highlighted snippet: 5\nhover none\nkey Escape\n"
                         "palette Cost of lines: instructions\npalette No costs\npalette ptx k.py\n");
    EXPECT_TRUE(problems.empty()) << lines << render(problems);
  }
  CodeModel &code = workspace->models.code;
  code.markers = {{"snippet", 3, CodeMarker::Kind::Breakpoint, "stops here"},
                  {"snippet", 4, CodeMarker::Kind::Current, ""},
                  {"snippet", 5, CodeMarker::Kind::Problem, "no"}};
  std::string clicked;
  code.gutterClicked = [&](const std::string &page, uint32_t line) { clicked = page + std::to_string(line); };
  EXPECT_TRUE(play("code snippet\nhover line 3\n").empty());
  const CodeModel::Drawn &drawn = code.drawn(0);
  ImGuiIO &io = ImGui::GetIO();
  io.MousePos = {drawn.left + 4, drawn.top + 2.5f * drawn.lineHeight - drawn.scroll};
  vertices();
  io.MouseDown[0] = true;
  vertices();
  io.MouseDown[0] = false;
  vertices();
  EXPECT_EQ(clicked, "snippet3");
  EXPECT_FALSE(code.pinned().some()); // the margin has its own action
  for (const char *wrong : {"hover line 60000\n", "hover line 1 llvm\n", "code llvm\n", "view layout\nhover line 1\n",
                            "hover line\n", "click line 0\n"})
    EXPECT_FALSE(play(wrong).empty()) << wrong;
}

TEST_F(Frames, aLineOfTheCodeLightsTheTrace) {
  auto trace = std::make_shared<core::Trace>();
  trace->names = {"load", "store", "TMA load"};
  trace->tracks = {{1, 1, "SM 0", "warpgroup 0", {{0, 0, 0, 100}, {1, 0, 100, 200}}}, {1, 2, "SM 0", "in flight", {}}};
  trace->flights = {{2, 1, 2, 10, 90, "64 bytes, k.py:4"}, {2, 1, 2, 95, 99, "64 bytes, k.py:9"}};
  workspace->show(TraceRequest{trace, "k.py"});
  workspace->show(linkedTexts(30));
  auto problems = play("code snippet, ptx\nclick line 4\nview trace\nexpect bright: load\n");
  EXPECT_TRUE(problems.empty()) << render(problems);
  TimelineModel &timeline = workspace->models.timeline;
  EXPECT_TRUE(timeline.isLit({0, 0}));
  EXPECT_FALSE(timeline.isLit({0, 1}));
  int lit = 0, flights = 0;
  for (int32_t track = 0; track < int32_t(timeline.trace()->tracks.size()); ++track)
    for (int32_t slice = 0; timeline.slice({track, slice}); ++slice)
      if (!timeline.detail({track, slice}).empty())
        ++flights, lit += timeline.isLit({track, slice});
  EXPECT_EQ(flights, 2);
  EXPECT_EQ(lit, 1);
  workspace->models.code.pin({});
  settle();
  EXPECT_TRUE(timeline.isLit({0, 1}));
}

/// A GPU's trace has no lines. Its regions are found in the code by name.
TEST_F(Frames, aRegionOfATraceLeadsToItsLine) {
  auto trace = std::make_shared<core::Trace>();
  trace->names = {"load", "nowhere"};
  trace->tracks = {{1, 1, "SM 0", "warpgroup 0", {{0, 0, 0, 100}, {1, 0, 100, 200}}}};
  CodeRequest code{.title = "k.py",
                   .pages = {{"snippet", "def k(x):\n  y = 1\n  with region(\"load\"):\n    y = x\n", {}}}};
  code.regions = {{"load", 0, {2, 3, 4}}};
  workspace->show(std::move(code));
  workspace->show(TraceRequest{trace, "other"});
  settle();
  TimelineModel &timeline = workspace->models.timeline;
  timeline.select({0, 0});
  timeline.askForCode();
  settle();
  EXPECT_EQ(workspace->models.code.pinned(), (CodePlace{0, 3}));
  EXPECT_EQ(workspace->models.front, ViewId::Code);
  timeline.select({0, 1});
  timeline.askForCode();
  settle();
  EXPECT_EQ(workspace->models.code.pinned(), (CodePlace{0, 3})); // this region is not found
  EXPECT_TRUE(timeline.wantedRegion.empty());
}

TEST_F(Frames, emptyViews) {
  for (const ViewEntry &view : views()) {
    workspace->bringToFront(view.id);
    EXPECT_GT(vertices(), 500) << view.name;
  }
}

TEST_F(Frames, typicalViewsInBothThemesAndTwoSizes) {
  host.listed = {{"samples/kernels/double.py", "kernels", "double.py", "doubles"}};
  workspace->models.files.refresh(host);
  workspace->show(TraceRequest{traceOf(12, 50), "double.py"});
  workspace->show(CodeRequest{"double.py", {{"snippet", "x = 1\ny = 2\n", {1}}, {"PTX", ".version 8.0\n", {}}}});
  host.ready.push_back(Output{"\x1b[31merror\x1b[0m: no\n"});
  for (bool dark : {true, false})
    for (ImVec2 size : {ImVec2{1600, 1000}, ImVec2{900, 600}}) {
      applyTheme(theme, dark, 1);
      for (const ViewEntry &view : views()) {
        workspace->bringToFront(view.id);
        settle();
        EXPECT_GT(vertices(size), 500) << view.name;
      }
    }
}

TEST_F(Frames, programsAreAskedForAndTheirKernelsChosen) {
  ProgramState state{.phase = ProgramState::Phase::Asks, .path = "/x/k.py", .folder = "/x", .kernels = {}};
  host.ready.push_back(state);
  EXPECT_TRUE(play("expect It can do what Python can.\npalette Trust this folder\npalette Next kernel\n").empty());
  EXPECT_EQ(host.answers, (std::vector<ProgramAnswer>{ProgramAnswer::Folder}));
  EXPECT_TRUE(host.chosen.empty());
  state.phase = ProgramState::Phase::Ended;
  for (int i = 0; i < 300; ++i)
    state.kernels.push_back("kernel_" + std::to_string(i));
  state.chosen = 299;
  host.ready.push_back(state);
  EXPECT_TRUE(play("expect kernel kernel_250\npalette Next kernel\npalette Run it once\n").empty());
  EXPECT_EQ(host.chosen, (std::vector<size_t>{0})); // the first kernel follows the last
  EXPECT_EQ(host.answers.size(), 1u);               // the window no longer asks
  state.chosen = 1000;                              // a wrong answer of the host does not crash the window
  host.ready.push_back(state);
  EXPECT_GT(vertices({320, 240}), 100);
  host.ready.push_back(Opened{.path = "/x/other.npy"});
  (void)vertices();
  EXPECT_FALSE(workspace->models.program);
}

TEST_F(Frames, tinyWindows) {
  workspace->show(TraceRequest{traceOf(12, 50), "double.py"});
  settle();
  for (const ViewEntry &view : views()) {
    workspace->bringToFront(view.id);
    settle();
    int before = vertices();
    for (ImVec2 size : {ImVec2{1, 1}, ImVec2{60, 40}, ImVec2{320, 200}}) {
      vertices(size);
      vertices(size);
      const ImDrawData *drawn = ImGui::GetDrawData();
      EXPECT_TRUE(drawn->Valid) << view.name;
      for (int list = 0; list < drawn->CmdListsCount; ++list) {
        for (const ImDrawVert &vertex : drawn->CmdLists[list]->VtxBuffer)
          ASSERT_TRUE(std::isfinite(vertex.pos.x) && std::isfinite(vertex.pos.y)) << view.name << " at " << size.x;
        for (const ImDrawCmd &command : drawn->CmdLists[list]->CmdBuffer)
          ASSERT_TRUE(std::isfinite(command.ClipRect.x) && std::isfinite(command.ClipRect.w)) << view.name;
      }
    }
    // At the old size, the window shows the old contents.
    vertices();
    settle();
    EXPECT_NEAR(vertices(), before, 0.02 * before) << view.name;
  }
}

TEST_F(Frames, failedViewsShowTheirErrors) {
  ExplorerInput &input = workspace->models.explorer.input;
  input.layout = "TiledLayout(tiling=Tiling(tiles=((64, 8),", input.shape = "64x", input.dtype = "f99";
  workspace->models.explorer.changed(workspace->requests);
  settle();
  EXPECT_FALSE(workspace->models.explorer.diagnostics().empty());
  EXPECT_GT(vertices({500, 400}), 500);
  workspace->show(viewOf(R"(view("WGMMA", shape=(64, 16), dtype=f32))"));
  workspace->show(
      viewOf(R"(view(None, shape=(8, 8), dtype=f16, view="smem", tiling=(3, 3), swizzle=128, colour="row"))"));
  settle();
  EXPECT_FALSE(workspace->models.explorer.pane(PaneKind::Smem).diagnostics.empty());
  workspace->show(TraceRequest{std::make_shared<core::Trace>(), "empty"});
  settle();
  workspace->show(CodeRequest{"nothing", {}});
  settle();
}

TEST_F(Frames, hugeViews) {
  workspace->show(viewOf(R"(view("WGMMA", shape=(1024, 1024), dtype=f32, colour="lane"))"));
  settle();
  EXPECT_GT(vertices(), 1000);
  EXPECT_LT(vertices(), 60000) << "cells that nobody can tell apart are no rectangles";
  int sent = textures.sent;
  vertices();
  EXPECT_EQ(textures.sent, sent) << "a still picture is not sent again";
  workspace->show(TraceRequest{traceOf(600, 500), "large"});
  settle();
  EXPECT_LT(vertices(), 1000000);
  std::string text;
  for (int i = 0; i < 100000; ++i)
    text += "line\n";
  workspace->show(CodeRequest{"long", {{"PTX", text, {}}}});
  settle();
  EXPECT_LT(vertices(), 100000);
}

TEST_F(Frames, scriptsPointTypeAndExpect) {
  Diagnostics problems = play("view array\nlayout WGMMA\nshape 64x8\nhover 9 2\nexpect warp 0, lane 5\n"
                              "view threads\nhover 5 3\nexpect element (9, 3)\n"
                              "shape 128x8\nview tmem\nhover 70 1\nexpect lane 70\nwheel 3\ndrag 40 -20\nfit\n"
                              "view console\ntype 1 + 2\nkey Enter\nexpect = 1 + 2\nkey Up\nexpect 1 + 2\n");
  EXPECT_TRUE(problems.empty()) << render(problems);
  EXPECT_EQ(host.evaluated, (std::vector<std::string>{"1 + 2"}));
}

TEST_F(Frames, scriptsCompleteInTheConsole) {
  Diagnostics problems = play("type WG\nkey Tab\nexpect WGMMA\nkey Enter\n");
  EXPECT_TRUE(problems.empty()) << render(problems);
  EXPECT_EQ(host.evaluated, (std::vector<std::string>{"WGMMA"}));
}

TEST_F(Frames, severalLinesInTheConsole) {
  Diagnostics problems = play("type if x:\nkey Enter\ntype y\nkey Enter\n");
  EXPECT_TRUE(problems.empty()) << render(problems);
  EXPECT_EQ(host.evaluated, (std::vector<std::string>{"if x:\n  y"}));
}

TEST_F(Frames, scriptsSelectInATrace) {
  workspace->show(TraceRequest{traceOf(40, 50), "t"});
  Diagnostics problems = play("view trace\nclick 39 7\nkey .\nkey .\nrange 100 300\nselect 100 200\nsearch load\n"
                              "zoom 2\nexpect load\n");
  EXPECT_TRUE(problems.empty()) << render(problems);
  EXPECT_EQ(workspace->models.timeline.selected, (SliceRef{39, 9}));
}

TEST_F(Frames, keysMoveZoomAndSwitchPictures) {
  Diagnostics problems = play("panes array threads\nlayout WGMMA\nshape 64x16\nclick 9 2\nhover none\n");
  EXPECT_TRUE(problems.empty()) << render(problems);
  ExplorerModel &explorer = workspace->models.explorer;
  EXPECT_EQ(explorer.pinnedIn(PaneKind::Array), (Spot{9, 2}));
  play("key Right\nkey Down\nkey Down\n");
  EXPECT_EQ(explorer.pinnedIn(PaneKind::Array), (Spot{11, 3}));
  play("key Home\n");
  double before = explorer.pane(PaneKind::Array).picture.viewport.scale;
  play("key plus\nkey plus\n");
  EXPECT_NEAR(explorer.pane(PaneKind::Array).picture.viewport.scale, before * 1.25 * 1.25, 1e-6);
  play("key Home\n");
  EXPECT_NEAR(explorer.pane(PaneKind::Array).picture.viewport.scale, before, 1e-6);
  play("key Tab\n");
  EXPECT_EQ(explorer.front, PaneKind::Threads);
  play("key 5\nwait\n");
  EXPECT_TRUE(explorer.pane(PaneKind::F2).open);
  play("key Escape\n");
  EXPECT_FALSE(explorer.pinned());
  play("key ?\n");
  EXPECT_TRUE(workspace->models.showKeys);
  play("key Escape\n");
  EXPECT_FALSE(workspace->models.showKeys);
}

TEST_F(Frames, controlsFoldWherePicturesNeedTheirRoom) {
  ExplorerModel &explorer = workspace->models.explorer;
  EXPECT_TRUE(play("panes array threads smem f2\nlayout WGMMA\nshape 64x64\n").empty());
  settle();
  EXPECT_TRUE(explorer.controlsDrawn);
  for (int i = 0; i < 3; ++i)
    vertices({1000, 560});
  EXPECT_FALSE(explorer.controlsDrawn);
  // One picture has a useful size; the others are tabs and ignore the pointer.
  EXPECT_GT(workspace->places[size_t(explorer.front)].size.y, 120);
  EXPECT_EQ(workspace->places[size_t(PaneKind::Smem)].size.x, 0);
  explorer.controls = ExplorerModel::Controls::Open;
  vertices({1000, 560});
  EXPECT_TRUE(explorer.controlsDrawn);
  explorer.controls = ExplorerModel::Controls::Auto;
  for (int i = 0; i < 3; ++i)
    vertices({1000, 560});
  EXPECT_FALSE(explorer.controlsDrawn);
}

TEST_F(Frames, anErrorMovesNothing) {
  EXPECT_TRUE(play("panes array threads\nlayout WGMMA\nshape 64x64\n").empty());
  for (ImVec2 size : {ImVec2{1600, 1000}, ImVec2{1000, 560}}) {
    auto still = [&] {
      do
        vertices(size);
      while (workspace->pending());
      for (int i = 0; i < 3; ++i)
        vertices(size);
      const CanvasPlace &place = workspace->places[size_t(workspace->models.explorer.front)];
      return std::array{place.at.x, place.at.y, place.size.x, place.size.y};
    };
    ExplorerModel &explorer = workspace->models.explorer;
    ExplorerInput good = explorer.input;
    auto before = still();
    int drawn = vertices(size);
    for (auto edit : {+[](ExplorerInput &input) { input.layout = "TiledLayout(tiling=Tiling(tiles=((64, 8),"; },
                      +[](ExplorerInput &input) { input.compare = std::string(200, '(') + "8, 4):(4, 1)"; },
                      +[](ExplorerInput &input) { input.shape = "64x?"; }}) {
      edit(explorer.input);
      explorer.changed(workspace->requests);
      EXPECT_EQ(still(), before);
      EXPECT_FALSE(explorer.diagnostics().empty());
      EXPECT_NE(vertices(size), drawn) << "it is said";
      explorer.input = good;
      explorer.changed(workspace->requests);
      EXPECT_EQ(still(), before);
    }
    explorer.message = "a message of what was copied", explorer.messageBad = true;
    EXPECT_EQ(still(), before);
  }
}

TEST_F(Frames, keysAreTheViewsUntilTheConsoleIsClicked) {
  play("panes array\nlayout WGMMA\nshape 64x64\nkey Home\nhover none\n");
  double before = workspace->models.explorer.pane(PaneKind::Array).picture.viewport.scale;
  play("key plus\n");
  EXPECT_GT(workspace->models.explorer.pane(PaneKind::Array).picture.viewport.scale, before);
  workspace->show(TraceRequest{traceOf(40, 50), "t"});
  play("view trace\nhover none\n");
  bool path = workspace->models.timeline.showPath;
  play("key P\n"); // the pointer is outside
  EXPECT_NE(workspace->models.timeline.showPath, path);
  EXPECT_FALSE(workspace->models.console.fieldActive);
  EXPECT_EQ(workspace->models.console.input, "");
  play("view console\nkey P\n");
  EXPECT_TRUE(workspace->models.console.fieldActive);
  EXPECT_NE(workspace->models.timeline.showPath, path) << "the console has the keys now";
}

TEST_F(Frames, tipsLeaveMostOfTheWindow) {
  std::string endless;
  for (int i = 0; i < 400; ++i)
    endless += "words without an end, µ, ";
  auto trace = std::make_shared<core::Trace>();
  trace->names = {endless};
  trace->tracks = {{1, 1, "SM 0", "warpgroup 0", {{0, 0, 0, 100}}}};
  workspace->show(TraceRequest{trace, "t"});
  host.listed = {{"a.py", "kernels", "a.py", endless}};
  workspace->models.files.refresh(host);
  auto tallest = [] { // the tallest tooltip on the screen
    float most = 0;
    for (const ImGuiWindow *window : ImGui::GetCurrentContext()->Windows)
      if ((window->Flags & ImGuiWindowFlags_Tooltip) && window->Active)
        most = std::max(most, window->Size.y);
    return most;
  };
  for (ImVec2 size : {ImVec2{1600, 1000}, ImVec2{900, 600}}) {
    workspace->bringToFront(ViewId::Trace);
    // Otherwise the side panel describes the element under the pointer.
    workspace->side().folding.wish = FoldWish::Folded;
    do
      vertices(size);
    while (workspace->pending());
    ImGui::GetIO().MousePos = {workspace->place.at.x + workspace->place.size.x / 2, workspace->place.at.y + 35};
    for (int i = 0; i < 4; ++i)
      vertices(size);
    EXPECT_GT(tallest(), 100) << "it is there";
    EXPECT_LT(tallest(), size.y / 2);
    bool found = false;
    for (float y = 80; y < 300 && !found; y += 6) { // finds the file in the list
      ImGui::GetIO().MousePos = {100, y};
      for (int i = 0; i < 3; ++i)
        vertices(size);
      found = tallest() > 100;
      EXPECT_LT(tallest(), size.y / 2);
    }
    EXPECT_TRUE(found);
  }
}

TEST_F(Frames, escapeClosesListsAndNothingElse) {
  EXPECT_TRUE(play("panes array\nlayout WGMMA\nshape 64x16\nclick 9 2\nhover none\n").empty());
  auto open = [] { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel); };
  ImGui::GetIO().KeysDown[kKeyEscape] = true;
  ImGui::NewFrame();
  ImGui::OpenPopup("a list"); // as a combo does
  EXPECT_TRUE(open());
  workspace->draw(1600, 1000);
  EXPECT_FALSE(open());
  ImGui::Render();
  ImGui::GetIO().KeysDown[kKeyEscape] = false;
  vertices();
  EXPECT_TRUE(workspace->models.explorer.pinned()) << "what is kept stays";
  EXPECT_TRUE(play("key Escape\n").empty());
  EXPECT_FALSE(workspace->models.explorer.pinned());
}

TEST_F(Frames, keysFoldControlsFilesAndConsole) {
  EXPECT_TRUE(play("panes array\nlayout WGMMA\nshape 64x16\nclick 9 2\nhover none\n").empty());
  settle();
  const CanvasPlace &place = workspace->places[size_t(PaneKind::Array)];
  ImVec2 before = place.size;
  play("key C\n");
  EXPECT_FALSE(workspace->models.explorer.controlsDrawn);
  EXPECT_GT(place.size.y, before.y + 50);
  play("key C\n");
  EXPECT_EQ(place.size.y, before.y);
  play("key Ctrl+B\n");
  EXPECT_GT(place.size.x, before.x + 100);
  play("key Ctrl+J\n");
  EXPECT_GT(place.size.y, before.y + 50);
  EXPECT_TRUE(play("view console\ntype 1 + 1\nkey Enter\n").empty()) << "the entry is still there";
  play("key Ctrl+B\nkey Ctrl+J\n");
  EXPECT_EQ(place.size.x, before.x);
  EXPECT_EQ(place.size.y, before.y);
}

TEST_F(Frames, panelsAreDraggedResizedAndPutBack) {
  settle();
  auto press = [&](ImVec2 from, ImVec2 to) { // presses the button, moves, and releases
    ImGuiIO &io = ImGui::GetIO();
    io.MousePos = from;
    vertices();
    vertices();
    io.MouseDown[0] = true;
    vertices();
    for (int i = 1; i <= 4; ++i) {
      float t = float(i) / 4;
      io.MousePos = {from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t};
      vertices();
    }
    io.MouseDown[0] = false;
    vertices();
    vertices();
  };
  auto sideOf = [&](DockPanel panel) { return dockOf(workspace->arrangement.docks, panel).side; };
  CanvasPlace &place = workspace->places[size_t(PaneKind::Array)];
  press({120, 62}, {1560, 400}); // drags the list of files by its first line
  EXPECT_EQ(sideOf(DockPanel::Files), DockSide::Right);
  EXPECT_LT(place.at.x, 150);
  press({1500, 62}, {800, 400}); // dropped in the middle, so it stays
  EXPECT_EQ(sideOf(DockPanel::Files), DockSide::Right);
  EXPECT_TRUE(play("palette List of files: left\n").empty());
  settle();
  EXPECT_GT(place.at.x, 230);
  float width = place.size.x;
  press({246, 500}, {346, 500}); // the gap next to it
  settle();
  EXPECT_LT(place.size.x, width - 30);
  EXPECT_TRUE(play("palette Console: right\nview console\ntype 1 + 1\nkey Enter\nexpect = 1 + 1\n").empty());
  EXPECT_TRUE(play("palette Usual arrangement\n").empty());
  settle();
  EXPECT_EQ(place.size.x, width);
}

TEST_F(Frames, sideBarsFoldAndChangeSides) {
  auto problems = play("panes array threads\nlayout WGMMA\nshape 64x16\n");
  EXPECT_TRUE(problems.empty()) << render(problems);
  settle();
  CanvasPlace &place = workspace->places[size_t(PaneKind::Array)];
  ImVec2 before = place.size;
  float left = place.at.x;
  play("key Ctrl+I\n");
  EXPECT_GT(place.size.x, before.x + 50);
  play("key Ctrl+I\npalette Side bar: other side\n");
  EXPECT_EQ(place.size.x, before.x);
  EXPECT_GT(place.at.x, left + 100);
  play("palette Picture: behind its neighbour\n");
  EXPECT_EQ(workspace->models.explorer.openPanes(), (std::vector{PaneKind::Threads, PaneKind::Array}));
  play("palette Usual arrangement\n");
  EXPECT_EQ(workspace->models.explorer.openPanes(), (std::vector{PaneKind::Array, PaneKind::Threads}));
  EXPECT_EQ(place.at.x, left);
}

TEST_F(Frames, tabsMove) {
  EXPECT_STREQ(workspace->tabs()[0]->name, "layout");
  play("view trace\npalette Tab of the view: left\n");
  EXPECT_STREQ(workspace->tabs()[0]->name, "trace");
  play("palette Tab of the view: left\npalette Tab of the view: right\n");
  EXPECT_STREQ(workspace->tabs()[1]->name, "trace");
}

TEST_F(Frames, everyPictureKeepsAUsefulSize) {
  workspace->show(viewOf(R"(view("WGMMA", shape=(64, 32), dtype=f32))"));
  settle();
  for (auto [size, scale] : {std::pair(ImVec2{1280, 720}, 1.5f),
                             {ImVec2{1280, 720}, 1.0f},
                             {ImVec2{1920, 1080}, 1.5f},
                             {ImVec2{3840, 2160}, 1.0f},
                             {ImVec2{3840, 2160}, 1.5f}}) {
    applyTheme(theme, true, scale);
    loadFonts(theme);
    ImGui::GetIO().Fonts->Build();
    for (const char *panes : {"array", "array threads", "array threads smem f2"}) {
      auto problems = play(std::string("panes ") + panes + "\n");
      EXPECT_TRUE(problems.empty()) << render(problems);
      do
        vertices(size);
      while (workspace->pending());
      for (int i = 0; i < 4; ++i)
        vertices(size);
      ExplorerModel &explorer = workspace->models.explorer;
      const CanvasPlace &front = workspace->places[size_t(explorer.front)];
      EXPECT_GT(std::min(front.size.x, front.size.y), theme.px(120)) << panes << " at " << size.x << ", " << scale;
      for (PaneKind kind : explorer.openPanes()) // the other pictures are of useful size, or tabs
        if (const CanvasPlace &place = workspace->places[size_t(kind)]; place.size.x > 0)
          EXPECT_GT(std::min(place.size.x, place.size.y), theme.px(100)) << panes << " at " << size.x << ", " << scale;
    }
  }
}

TEST(PaneGrid, picturesAreSideBySideOnlyWhereTheyCanBeRead) {
  auto grid = [](int count, float width, float height) { return paneGrid(count, width, height, 12, 150); };
  EXPECT_EQ(grid(1, 40, 40).tabs, false) << "there is nothing to choose";
  EXPECT_EQ(grid(2, 1000, 400).columns, 2);
  EXPECT_EQ(grid(2, 300, 800).columns, 1);
  EXPECT_EQ(grid(4, 1000, 800).columns, 2);
  EXPECT_EQ(grid(4, 700, 170).columns, 4) << "two rows would be too low";
  EXPECT_TRUE(grid(4, 600, 170).tabs);
  EXPECT_TRUE(grid(2, 200, 200).tabs);
}

TEST_F(Frames, aCopiedViewComesBack) {
  Diagnostics problems =
      play("panes threads\nlayout WGMMA_ROW\nshape 128\ncolor lane\nclick 5 0\nhover none\ncopy\nlayout TCGEN05\n"
           "shape 128x16\ncolor warp\npanes array\npaste\nexpect warp 0, lane 5\n");
  EXPECT_TRUE(problems.empty()) << render(problems) << clipboard;
  const ExplorerModel &explorer = workspace->models.explorer;
  EXPECT_EQ(explorer.input.layout, "WGMMA_ROW");
  EXPECT_EQ(explorer.input.colourBy, ColourBy::Lane);
  EXPECT_EQ(explorer.front, PaneKind::Threads);
  EXPECT_TRUE(explorer.pinned());
}

TEST_F(Frames, aPastedProgramOffersItsLayouts) {
  Diagnostics problems = play("paste #a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = "
                              "[4, 1], order = [1, 0]}> %0 = tt.load %p : tensor<64x16xf16, #a>\n");
  EXPECT_TRUE(problems.empty()) << render(problems);
  const ExplorerModel &explorer = workspace->models.explorer;
  EXPECT_TRUE(explorer.diagnostics().empty()) << render(explorer.diagnostics());
  EXPECT_FALSE(explorer.facts().found.empty());
  EXPECT_TRUE(explorer.pane(PaneKind::Array).picture.scene());
}

TEST_F(Frames, scriptsHitTheCellTheyName) {
  // Cells from a third of a pixel to the whole canvas, visible or not.
  struct Case {
    const char *pane, *shape;
    std::vector<std::pair<int, int>> cells;
  };
  const Case cases[] = {{"array", "64x32", {{0, 0}, {63, 31}, {17, 5}, {40, 30}}},
                        {"array", "2048x2048", {{0, 0}, {2047, 2047}, {17, 5}, {1040, 30}}},
                        {"threads", "64x32", {{0, 0}, {127, 7}, {70, 3}}}};
  for (const Case &each : cases)
    for (const char *zoom : {"fit", "fit\nzoom 3", "fit\nzoom 40", "fit\nzoom 1000", "fit\nzoom 0.1"}) {
      auto problems = play(
          text("panes ", each.pane, "\nlayout WGMMA\ndtype f16\nshape ", each.shape, "\n", zoom, "\nhover none\n"));
      ASSERT_TRUE(problems.empty()) << render(problems);
      for (auto [row, column] : each.cells) {
        problems = play(text("hover ", row, " ", column, "\n"));
        ASSERT_TRUE(problems.empty()) << each.shape << " " << zoom << render(problems);
        ExplorerModel &explorer = workspace->models.explorer;
        int64_t element = explorer.pane(explorer.front).picture.scene()->raster->element(row, column);
        const std::vector<int32_t> &lit = explorer.selection().elements;
        EXPECT_TRUE(std::ranges::find(lit, element) != lit.end())
            << each.pane << " " << each.shape << ", " << zoom << ": " << row << " " << column;
      }
    }
}

TEST_F(Frames, scriptsFailWithTheirLine) {
  for (const char *script : {"\nview layout\nhover 999 999\n", "\nview code\ntiling 8x8\n", "\nview code\nzoom 2\n",
                             "\nview layout\nexpect no such words\n", "\nview trace\nrange 1 2\n"}) {
    Diagnostics problems = play(script);
    ASSERT_EQ(problems.size(), 1u) << script;
    EXPECT_EQ(problems[0].kind, "script");
    EXPECT_EQ(problems[0].span.source->lineColumn(problems[0].span.begin).line, 3u) << script;
  }
}

TEST(Script, everyBadLineIsReportedAtOnce) {
  auto parsed = parseScript(Source::make("bad.gui", "fly away\nview moon\nshape 8xx\nhover 1\nzoom -1\nkey Nose\n"
                                                    "wait soon\nscale 99\nquit now\ndtype f1\ndrag 1\ncolor blue\n"));
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error()[0].kind, "bad-script");
  EXPECT_EQ(parsed.error().size(), 12u) << render(parsed.error());
  EXPECT_NE(render(parsed.error()).find("bad.gui:1:1"), std::string::npos);
}

TEST(Script, commentsBlanksAndArguments) {
  auto parsed =
      parseScript(Source::make("good.gui", "# a comment\n\n  layout  A(b,  c) \r\nwait 3 frames\nhover none"));
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->size(), 3u);
  EXPECT_EQ((*parsed)[0].rest, "A(b,  c)");
}

TEST(Theme, textStandsOutFromItsGround) {
  for (bool dark : {true, false}) {
    Theme theme;
    applyTheme(theme, dark, 1);
    auto of = [](ImU32 c) { return Colour{uint8_t(c & 255), uint8_t(c >> 8 & 255), uint8_t(c >> 16 & 255)}; };
    auto contrastOf = [&](ImU32 a, ImU32 b) {
      auto light = [](uint8_t v) {
        double s = v / 255.0;
        return s <= 0.03928 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
      };
      auto luminance = [&](Colour c) { return 0.2126 * light(c.r) + 0.7152 * light(c.g) + 0.0722 * light(c.b); };
      double x = luminance(of(a)) + 0.05, y = luminance(of(b)) + 0.05;
      return std::max(x, y) / std::min(x, y);
    };
    for (ImU32 ground : {theme.ground, theme.panel, theme.field})
      for (ImU32 text : {theme.ink, theme.faint, theme.error, theme.good, theme.warning, theme.link})
        EXPECT_GE(contrastOf(text, ground), 4.5) << (dark ? "dark" : "light");
    EXPECT_GE(contrastOf(theme.accentInk, theme.accent), 4.5);
    for (ImU32 text : {theme.ink, theme.faint})
      EXPECT_GE(contrastOf(text, theme.raised), 4.5) << "on buttons";
    for (uint8_t colour = 0; colour < 16; ++colour)
      EXPECT_GE(contrastOf(theme.ansiColour(colour), theme.field), 4.5) << int(colour);
  }
}

TEST_F(Frames, helpOpensByKey) {
  // The console has the focus and is empty. No snippet begins with a question mark, so the key opens the list.
  EXPECT_TRUE(play("key ?\nexpect measure a stretch\n").empty());
  EXPECT_TRUE(workspace->models.showKeys);
  EXPECT_TRUE(play("key ?\n").empty());
  EXPECT_FALSE(workspace->models.showKeys);
  EXPECT_EQ(workspace->models.console.input, "");
  // Inside a text it is a character, and F1 opens the list.
  EXPECT_TRUE(play("type is it\nkey ?\n").empty());
  EXPECT_FALSE(workspace->models.showKeys);
  EXPECT_EQ(workspace->models.console.input, "is it?");
  EXPECT_TRUE(play("key F1\n").empty());
  EXPECT_TRUE(workspace->models.showKeys);
  EXPECT_TRUE(play("key F1\n").empty());
  EXPECT_FALSE(workspace->models.showKeys);
}

} // namespace
} // namespace lanescope::viz
