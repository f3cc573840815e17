// The explorer turns texts into linked pictures and words. A selection in one picture is highlighted in the others.
#include "viz/gui/explorer/ExplorerModel.h"
#include "layouts/Catalogue.h"

#include <gtest/gtest.h>

#include <set>

namespace lanescope::viz {
namespace {

const std::vector<PaneKind> kArrayOnly = {PaneKind::Array};

ExplorerInput wgmma(std::string shape = "64x16") {
  return {.layout = "WGMMA", .compare = "", .shape = std::move(shape), .dtype = "f32"};
}

void settle(ExplorerModel &model, Requests &requests) {
  model.changed(requests);
  while (requests.busy())
    requests.deliver();
}

TEST(Explorer, everyPictureOfAnArray) {
  ExplorerInput input = wgmma("128x32");
  input.compare = "TCGEN05";
  input.arrays = {{"acc", *layouts::catalogue::tmemDefault(), {128, 64}, layouts::Dtype::F32, 0}};
  input.devices = {.names = {"x"}, .sizes = {2}, .along = {{"x"}}};
  std::vector<PaneKind> all;
  for (const PaneEntry &entry : paneTable())
    all.push_back(entry.kind);
  ExplorerOutcome out = explore(input, all);
  EXPECT_TRUE(out.facts.diagnostics.empty()) << render(out.facts.diagnostics);
  ASSERT_EQ(out.panes.size(), kPanes);
  for (const PaneOutcome &pane : out.panes)
    EXPECT_EQ(pane.scene != nullptr, pane.kind != PaneKind::Operands) // only an instruction has this pane
        << paneEntry(pane.kind).name << ": " << render(pane.diagnostics);
}

TEST(Explorer, errorsPointIntoTheirFields) {
  ExplorerInput input{.layout = "TiledLayout(", .compare = "WGM", .shape = "64xx", .dtype = "f33"};
  ExplorerOutcome out = explore(input, kArrayOnly);
  EXPECT_TRUE(out.panes.empty());
  std::set<std::string> fields;
  for (const Diagnostic &diagnostic : out.facts.diagnostics)
    if (diagnostic.span.source)
      fields.insert(diagnostic.span.source->name());
  EXPECT_EQ(fields, (std::set<std::string>{"layout", "compare", "shape", "dtype"}));
}

TEST(Explorer, aBadSecondLayoutLeavesTheFirstOneDrawn) {
  ExplorerInput input = wgmma();
  input.compare = "WGM";
  ExplorerOutcome out = explore(input, kArrayOnly);
  EXPECT_FALSE(out.facts.diagnostics.empty());
  ASSERT_EQ(out.panes.size(), 1u);
  EXPECT_TRUE(out.panes[0].scene);
}

TEST(Explorer, shapesThatTensorMemoryHasNoLayoutFor) {
  ExplorerInput input = wgmma("3x5");
  input.layout = "WGSplatFragLayout((3, 5))";
  ExplorerOutcome out = explore(input, {PaneKind::Tmem});
  ASSERT_EQ(out.panes.size(), 1u);
  ASSERT_FALSE(out.panes[0].diagnostics.empty());
  EXPECT_EQ(out.panes[0].diagnostics[0].kind, "no-tmem-layout");
}

TEST(Explorer, refusesWhatNobodyCouldSee) {
  ExplorerOutcome out = explore(wgmma("9999999999x9999999999"), kArrayOnly);
  ASSERT_EQ(out.facts.diagnostics.size(), 1u);
  EXPECT_EQ(out.facts.diagnostics[0].kind, "too-large");
}

TEST(Explorer, operandsNeedAnInstruction) {
  ExplorerOutcome out = explore(wgmma(), {PaneKind::Operands});
  ASSERT_EQ(out.panes.size(), 1u);
  EXPECT_FALSE(out.panes[0].scene);
  EXPECT_EQ(out.panes[0].diagnostics.at(0).kind, "no-operands");
}

TEST(Explorer, comparingNeedsASecondLayout) {
  ExplorerOutcome out = explore(wgmma(), {PaneKind::Diff});
  ASSERT_EQ(out.panes.size(), 1u);
  EXPECT_FALSE(out.panes[0].scene);
  EXPECT_EQ(out.panes[0].diagnostics.at(0).kind, "no-second-layout");
}

TEST(Explorer, comparesInWords) {
  ExplorerInput input = wgmma("64x64");
  input.compare = "WGMMA";
  EXPECT_TRUE(explore(input, {}).facts.equal);
  input.compare = "WGMMA_TRANSPOSED";
  ExplorerFacts facts = explore(input, {}).facts;
  EXPECT_FALSE(facts.equal);
  ASSERT_EQ(facts.comparison.size(), 4u);
  EXPECT_NE(facts.comparison[0].find("Not equal"), std::string::npos);
  EXPECT_NE(facts.comparison[2].find("another lane of their warp"), std::string::npos);
  EXPECT_NE(facts.comparison[1].find("shuffles"), std::string::npos) << facts.comparison[1];
  EXPECT_NE(facts.comparison[3].find("The first is"), std::string::npos) << facts.comparison[3];
}

TEST(Explorer, memoriesChooseWhatFitsTheType) {
  for (const char *dtype : {"f32", "f16", "i8"}) {
    ExplorerInput input = wgmma("128x64");
    input.dtype = dtype;
    ExplorerOutcome out = explore(input, {PaneKind::Tmem, PaneKind::Smem});
    for (const PaneOutcome &pane : out.panes)
      EXPECT_TRUE(pane.scene) << dtype << " " << paneEntry(pane.kind).name << ": " << render(pane.diagnostics);
  }
}

TEST(Explorer, aTensorMemoryLayoutIsDrawnThere) {
  ExplorerInput input{.layout = "tmem_default_layout(1)", .compare = "", .shape = "128x8", .dtype = "f32"};
  ExplorerOutcome out = explore(input, {PaneKind::Tmem, PaneKind::Threads});
  ASSERT_EQ(out.panes.size(), 2u);
  EXPECT_TRUE(out.panes[0].scene) << render(out.panes[0].diagnostics);
}

TEST(Explorer, aSelectionIsOfAllPictures) {
  ExplorerModel model;
  Requests requests;
  model.input = wgmma("128x16");
  for (PaneKind kind : {PaneKind::Tmem, PaneKind::Smem})
    model.open(kind, true);
  settle(model, requests);
  model.hover(PaneKind::Array, model.pane(PaneKind::Array).picture.spotOf(9, 2));
  EXPECT_EQ(model.selection().elements, (std::vector<int32_t>{9 * 16 + 2}));
  std::string all;
  for (const std::string &line : model.words())
    all += line + "\n";
  EXPECT_NE(all.find("warp 0, lane 5"), std::string::npos) << all;
  EXPECT_NE(all.find("TMEM lane 9"), std::string::npos) << all;
  EXPECT_NE(all.find("bank"), std::string::npos) << all;
  for (PaneKind kind : model.openPanes())
    EXPECT_GT(model.pane(kind).picture.litCount(), 0u) << paneEntry(kind).name;
  model.leave();
  EXPECT_TRUE(model.words().empty());
}

TEST(Explorer, theSameElementFromEveryPicture) {
  ExplorerModel model;
  Requests requests;
  model.input = wgmma("128x16");
  model.input.compare = "TCGEN05";
  for (PaneKind kind : {PaneKind::Tmem, PaneKind::Smem, PaneKind::Second, PaneKind::Diff})
    model.open(kind, true);
  settle(model, requests);
  const int32_t element = 77 * 16 + 5;
  for (PaneKind kind :
       {PaneKind::Array, PaneKind::Threads, PaneKind::Tmem, PaneKind::Smem, PaneKind::Second, PaneKind::Diff}) {
    const Scene *scene = model.pane(kind).picture.scene();
    ASSERT_TRUE(scene) << paneEntry(kind).name << render(model.pane(kind).diagnostics);
    std::vector<CellAt> cells = scene->raster->cellsWith(std::span(&element, 1));
    ASSERT_EQ(cells.size(), 1u) << paneEntry(kind).name;
    model.hover(kind, model.pane(kind).picture.spotOf(cells[0].row, cells[0].column));
    EXPECT_EQ(model.selection().elements, (std::vector<int32_t>{element})) << paneEntry(kind).name;
  }
}

TEST(Explorer, aPinOutlivesThePointerAndAnotherLayout) {
  ExplorerModel model;
  Requests requests;
  model.input = wgmma();
  settle(model, requests);
  model.hover(PaneKind::Array, model.pane(PaneKind::Array).picture.spotOf(9, 2));
  model.togglePin();
  model.leave();
  EXPECT_TRUE(model.pinned());
  EXPECT_FALSE(model.words().empty());
  model.input.layout = "TCGEN05";
  model.input.shape = "64x16";
  settle(model, requests);
  model.input.shape = "128x16";
  settle(model, requests);
  EXPECT_FALSE(model.pinned()) << "another array has other elements";
  model.hover(PaneKind::Array, model.pane(PaneKind::Array).picture.spotOf(1, 1));
  model.togglePin();
  model.togglePin();
  model.leave();
  EXPECT_FALSE(model.pinned());
}

TEST(Explorer, keepsTheLastGoodPictureBesideAnError) {
  ExplorerModel model;
  Requests requests;
  model.input = wgmma();
  settle(model, requests);
  model.input.layout = "WGM";
  settle(model, requests);
  EXPECT_TRUE(model.pane(PaneKind::Array).picture.scene());
  EXPECT_FALSE(model.diagnostics().empty());
  EXPECT_EQ(model.input.layout, "WGM");
}

TEST(Explorer, editsAreDrawnByTheWorkerAndTheLastOneWins) {
  ExplorerModel model;
  Requests requests;
  model.input = wgmma();
  for (const char *shape : {"64x8", "64x16", "64x24", "64x32"}) {
    model.input.shape = shape;
    model.changed(requests);
  }
  while (requests.busy())
    requests.deliver();
  ASSERT_TRUE(model.pane(PaneKind::Array).picture.scene());
  EXPECT_EQ(model.pane(PaneKind::Array).picture.scene()->raster->columns(), 32);
  EXPECT_EQ(model.input.shape, "64x32");
}

TEST(Explorer, onePaneStaysOpen) {
  ExplorerModel model;
  for (const PaneEntry &entry : paneTable())
    model.open(entry.kind, false);
  EXPECT_EQ(model.openPanes().size(), 1u);
  EXPECT_TRUE(model.pane(model.front).open);
  model.open(PaneKind::Smem, true);
  PaneKind before = model.front;
  model.cycle(1);
  EXPECT_NE(model.front, before);
  model.cycle(1);
  EXPECT_EQ(model.front, before);
}

TEST(Explorer, BankConflictsOfAChosenInstruction) {
  SmemSpec spec{.shape = {64, 32}, .dtype = layouts::Dtype::F32, .tiling = {8, 32}};
  layouts::Layout layout = layouts::RegisterLayout(layouts::catalogue::wgmma());
  AccessCost cost = countAccess("ld.shared.b64", layout, spec);
  ASSERT_EQ(cost.sentences.size(), 2u);
  EXPECT_EQ(cost.sentences[0],
            "4 times as many wavefronts as without bank conflicts: 256 where 64 would do; a 128-byte swizzle "
            "leaves 128.");
  EXPECT_EQ(cost.sentences[1], "ld.shared.b64: 8 instructions of 4 warps, 256 wavefronts where 64 would do");
  EXPECT_TRUE(cost.bad);
  auto memory = layouts::AddressMap::of(*layouts::SmemMap::of(spec.shape, 32, spec.tiling, std::nullopt));
  for (int32_t element = 0; element < 64 * 32; ++element) {
    AccessCost::Answer answer = cost.of(element);
    ASSERT_GE(answer.sentences.size(), 2u);
    EXPECT_NE(answer.sentences[0].find("8 wavefronts where 2 would do"), std::string::npos) << answer.sentences[0];
    // Four rows of a column share each bank in a half warp.
    EXPECT_EQ(answer.elements.size(), 4u);
    EXPECT_NE(std::find(answer.elements.begin(), answer.elements.end(), element), answer.elements.end());
    for (int32_t other : answer.elements)
      EXPECT_EQ(memory.byte(other) / 4 % 32, memory.byte(element) / 4 % 32);
  }
  EXPECT_TRUE(cost.of(-1).sentences.empty());
  EXPECT_TRUE(cost.of(64 * 32).sentences.empty());
  // Swizzled f16 has no conflicts. With matrices, the row's lane provides the address.
  SmemSpec halves{.shape = {64, 64}, .dtype = layouts::Dtype::F16, .tiling = {8, 64}, .swizzle = 128};
  EXPECT_FALSE(countAccess("ld.shared.b32", layout, halves).bad);
  AccessCost matrices = countAccess("ldmatrix.x4", layout, halves);
  EXPECT_FALSE(matrices.bad) << matrices.sentences[0];
  for (int32_t element : {0, 65, 1000, 4095})
    EXPECT_GE(matrices.of(element).sentences.size(), 2u);
  for (const std::string &name : accessNames()) {
    AccessCost any = countAccess(name, layout, halves); // counted, or refused with a reason
    EXPECT_FALSE(any.sentences.empty()) << name;
    any.of(77);
  }
  EXPECT_TRUE(countAccess("ld.shared.b64", *layouts::catalogue::tmemDefault(1), spec).bad);
}

TEST(Explorer, AKeptElementIsExplained) {
  ExplorerModel model;
  Requests requests;
  model.input = wgmma();
  model.input.access = "ld.shared.b32";
  model.open(PaneKind::Smem, true);
  settle(model, requests);
  ASSERT_TRUE(model.facts().access);
  model.pin(PaneKind::Array, model.pane(PaneKind::Array).picture.spotOf(9, 2));
  EXPECT_GE(model.accessWords().size(), 2u);
  model.explain(requests);
  while (requests.busy())
    requests.deliver();
  ASSERT_FALSE(model.steps().empty());
  EXPECT_NE(model.steps().back().find("5"), std::string::npos) << model.steps().back();
  model.unpin();
  model.explain(requests);
  EXPECT_TRUE(model.steps().empty());
  EXPECT_TRUE(model.accessWords().empty());
}

/// The window, a file and a terminal draw a picture by the same request: the copied text draws the picture on the
/// canvas.
TEST(Explorer, APictureIsWhatItsTextDraws) {
  ExplorerModel model;
  Requests requests;
  model.input.layout = "WGMMA", model.input.compare = "WGMMA_TRANSPOSED", model.input.shape = "128x64";
  model.input.dtype = "f16", model.input.stage = SmemStage::Both, model.input.colourBy = ColourBy::Lane;
  model.input.arrays = {{"acc", *layouts::catalogue::tmemDefault(), {128, 64}, layouts::Dtype::F32, 0},
                        {"left", *layouts::catalogue::tmemDefault(2), {128, 64}, layouts::Dtype::F16, 64}};
  model.input.devices = {.names = {"x"}, .sizes = {2}, .along = {{}, {"x"}}};
  for (const PaneEntry &entry : paneTable())
    model.open(entry.kind, entry.kind != PaneKind::Operands);
  settle(model, requests);
  for (const PaneEntry &entry : paneTable()) {
    if (entry.kind == PaneKind::Operands)
      continue; // an instruction has this pane
    model.bringToFront(entry.kind);
    auto specs = parseViews(Source::make("view", model.viewText()));
    ASSERT_TRUE(specs) << entry.name;
    auto drawn = viewScene(specs->front(), {.boxes = false});
    ASSERT_TRUE(drawn) << entry.name << ": " << render(drawn.error());
    const Scene &shown = *model.pane(entry.kind).picture.scene();
    EXPECT_EQ(drawn->title, shown.title);
    EXPECT_EQ(drawn->legend, shown.legend) << entry.name;
    ASSERT_EQ(drawn->raster->rows(), shown.raster->rows()) << entry.name;
    ASSERT_EQ(drawn->raster->columns(), shown.raster->columns()) << entry.name;
    for (int64_t row = 0; row < shown.raster->rows(); ++row)
      for (int64_t column = 0; column < shown.raster->columns(); ++column) {
        ASSERT_EQ(drawn->raster->cell(row, column).fill, shown.raster->cell(row, column).fill) << entry.name;
        ASSERT_EQ(drawn->raster->element(row, column), shown.raster->element(row, column)) << entry.name;
      }
  }
}

TEST(Explorer, AnInstructionOpensItsOperandsTogether) {
  ExplorerModel model;
  Requests requests;
  model.paste("mma.m16n8k16.f16", requests);
  while (requests.busy())
    requests.deliver();
  EXPECT_EQ(model.openPanes(), (std::vector{PaneKind::Operands}));
  ASSERT_TRUE(model.pane(PaneKind::Operands).picture.scene());
  EXPECT_EQ(model.pane(PaneKind::Operands).picture.scene()->title, "mma.m16n8k16.f16  32 threads");
  EXPECT_EQ(model.input.shape, "16x8") << "D's, for the other pictures";
  auto specs = parseViews(Source::make("view", model.viewText()));
  ASSERT_TRUE(specs);
  EXPECT_EQ(specs->front().view, View::Operands);
  model.paste("make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2>>{})", requests);
  while (requests.busy())
    requests.deliver();
  EXPECT_EQ(model.openPanes(), (std::vector{PaneKind::Operands}));
  model.paste("WGMMA", requests);
  while (requests.busy())
    requests.deliver();
  EXPECT_EQ(model.openPanes(), (std::vector{PaneKind::Array, PaneKind::Threads})) << model.diagnostics().size();
}

/// A copied text opens the same pictures of the same array elsewhere, with the same picture in front.
TEST(Explorer, ACopiedViewIsTheSetOfOpenPictures) {
  const std::vector<PaneKind> sets[] = {{PaneKind::Array},
                                        {PaneKind::Threads, PaneKind::Array},
                                        {PaneKind::Smem, PaneKind::Array, PaneKind::F2},
                                        {PaneKind::Tmem, PaneKind::Threads},
                                        {PaneKind::Array, PaneKind::Second, PaneKind::Diff},
                                        {PaneKind::Second, PaneKind::Array},
                                        {PaneKind::Flow, PaneKind::Tmem, PaneKind::Smem}};
  for (const std::vector<PaneKind> &set : sets) {
    ExplorerModel from, to;
    Requests requests;
    from.input.layout = "WGMMA", from.input.compare = "WGMMA_TRANSPOSED", from.input.shape = "128x64";
    from.input.dtype = "f16", from.input.tiling = "8x32", from.input.swizzle = 64;
    from.input.colourBy = ColourBy::Lane;
    from.input.stage = SmemStage::Both;
    for (PaneKind kind : set)
      from.open(kind, true);
    for (const PaneEntry &entry : paneTable())
      if (std::find(set.begin(), set.end(), entry.kind) == set.end())
        from.open(entry.kind, false);
    from.bringToFront(set.front());
    settle(from, requests);
    std::string text = from.viewText();
    SCOPED_TRACE(text);
    to.open(PaneKind::F2, true); // the open pictures are replaced
    to.paste(text, requests);
    while (requests.busy())
      requests.deliver();
    EXPECT_EQ(to.message, "");
    EXPECT_EQ(to.front, set.front());
    if (set.size() > 1) {
      EXPECT_EQ(to.openPanes(), from.openPanes());
      EXPECT_EQ(to.viewText(), text);
    }
    EXPECT_EQ(to.input.layout, "WGMMA");
    EXPECT_EQ(to.input.shape, "128x64");
    EXPECT_EQ(to.input.dtype, "f16");
    for (PaneKind kind : set) {
      if (kind == PaneKind::Second || kind == PaneKind::Diff || kind == PaneKind::Flow)
        EXPECT_EQ(to.input.compare, "WGMMA_TRANSPOSED");
      if (kind == PaneKind::Smem)
        EXPECT_EQ(to.input.swizzle, 64);
    }
  }
}

TEST(Explorer, EveryOpenPictureHasItsLegend) {
  ExplorerModel model;
  Requests requests;
  model.input = wgmma("128x64");
  model.input.dtype = "f16";
  for (PaneKind kind : {PaneKind::Tmem, PaneKind::Smem})
    model.open(kind, true);
  model.bringToFront(PaneKind::Smem);
  settle(model, requests);
  std::vector<LegendSection> sections = model.legends();
  ASSERT_EQ(sections.size(), 3u);
  EXPECT_EQ(sections[0].title, "Shared memory") << "the one in front first";
  EXPECT_EQ(sections[1].title, "Array, Threads") << "the same warps";
  EXPECT_EQ(sections[2].title, "Tensor memory");
  EXPECT_EQ(sections[1].entries.size(), 4u);
  // The list has each open picture's entries once, under a title that names the picture.
  for (PaneKind kind : model.openPanes())
    for (const LegendEntry &entry : model.pane(kind).picture.scene()->legend) {
      int found = 0;
      for (const LegendSection &section : sections)
        if (std::find(section.entries.begin(), section.entries.end(), entry) != section.entries.end()) {
          ++found;
          EXPECT_NE(section.title.find(paneEntry(kind).title), std::string::npos) << entry.text;
        }
      EXPECT_EQ(found, 1) << entry.text;
    }
  model.input.layout = "WGMMA_ROW", model.input.shape = "64";
  for (PaneKind kind : {PaneKind::Tmem, PaneKind::Smem})
    model.open(kind, false);
  settle(model, requests);
  sections = model.legends();
  ASSERT_EQ(sections.size(), 3u) << "what a hatch means differs";
  EXPECT_EQ(sections[0].title, "Array, Threads");
  EXPECT_EQ(sections[1].entries.at(0).text, "hatched: each element is held by 4 lanes of its warp");
  EXPECT_NE(sections[2].entries.at(0).text.find("a further copy"), std::string::npos);
}

/// Every message is about the current texts.
TEST(Explorer, ErrorsOfOldTextsGo) {
  ExplorerModel model;
  Requests requests;
  model.input = wgmma("72x64");
  model.open(PaneKind::Tmem, true);
  settle(model, requests);
  for (PaneKind kind : {PaneKind::Array, PaneKind::Threads, PaneKind::Tmem})
    EXPECT_FALSE(model.pane(kind).diagnostics.empty()) << paneEntry(kind).name;
  model.input.shape = "99999x99999";
  settle(model, requests);
  ASSERT_EQ(model.diagnostics().size(), 1u);
  EXPECT_EQ(model.diagnostics()[0].kind, "too-large");
  for (PaneKind kind : model.openPanes())
    EXPECT_TRUE(model.pane(kind).diagnostics.empty()) << paneEntry(kind).name;
  model.input.shape = "64xx";
  settle(model, requests);
  EXPECT_EQ(model.diagnostics().at(0).kind, "bad-shape");
  model.input.shape = "64x64";
  settle(model, requests);
  EXPECT_TRUE(model.diagnostics().empty());
  for (PaneKind kind : model.openPanes()) {
    EXPECT_TRUE(model.pane(kind).diagnostics.empty()) << paneEntry(kind).name;
    EXPECT_TRUE(model.pane(kind).picture.scene()) << paneEntry(kind).name;
  }
  model.exportFront("/nowhere/at/all.svg", requests);
  while (requests.busy())
    requests.deliver();
  EXPECT_TRUE(model.messageBad);
  settle(model, requests);
  EXPECT_EQ(model.message, "");
}

TEST(Explorer, TensorMemoryIsChosenByRows) {
  auto chosen = [](layouts::Shape shape, layouts::Dtype dtype) {
    auto text = tmemText({}, shape, dtype);
    return text ? *text : text.error().front().message;
  };
  using enum layouts::Dtype;
  EXPECT_EQ(chosen({128, 64}, F32), "tmem_default_layout(packing=1)");
  EXPECT_EQ(chosen({128, 64}, F16), "tmem_default_layout(packing=2)");
  EXPECT_EQ(chosen({256, 64}, F32), "tmem_default_layout(packing=1)");
  EXPECT_EQ(chosen({64, 64}, F32), "tmem_half_lane_layout(64, packing=1)");
  EXPECT_EQ(chosen({64, 32}, F16), "tmem_half_lane_layout(32, packing=2)");
  for (const layouts::Shape &shape : {layouts::Shape{72, 64}, {64, 72}, {64}, {2, 64, 64}}) {
    std::string why = chosen(shape, F32);
    EXPECT_NE(why.find("no layout of tensor memory is chosen"), std::string::npos) << why;
    EXPECT_NE(why.find("write a layout beside"), std::string::npos) << why;
  }
  // The picture is drawn with a note about the other form. Every form in the list can be drawn as well.
  for (const char *shape : {"64x64", "128x32"})
    for (const char *dtype : {"f32", "f16", "i8"}) {
      ExplorerInput input = wgmma(shape);
      input.dtype = dtype;
      ExplorerOutcome out = explore(input, {PaneKind::Tmem});
      ASSERT_TRUE(out.panes.at(0).scene) << shape << dtype << render(out.panes[0].diagnostics);
      const std::vector<std::string> &notes = out.panes[0].scene->scene.notes;
      bool said = std::any_of(notes.begin(), notes.end(),
                              [](const auto &note) { return note.find("two CTAs") != std::string::npos; });
      EXPECT_EQ(said, input.shape == "64x64");
      std::vector<std::string> forms = tmemForms(out.facts.shape, out.facts.dtype);
      EXPECT_GE(forms.size(), 3u);
      EXPECT_EQ(forms[0], "auto");
      for (const std::string &form : forms) {
        input.tmem = form;
        out = explore(input, {PaneKind::Tmem});
        EXPECT_TRUE(out.panes.at(0).scene || form.find("sparse") != std::string::npos)
            << form << ": " << render(out.panes[0].diagnostics);
      }
    }
}

/// The words next to the pictures are the same for an element, whichever picture the pointer is in.
TEST(Explorer, ConflictsAreToldInSharedMemoryToo) {
  ExplorerModel model;
  Requests requests;
  model.input = {.layout = "WGMMA",
                 .compare = "",
                 .shape = "64x32",
                 .dtype = "f32",
                 .tiling = "8x32",
                 .swizzle = 0,
                 .access = "ld.shared.b64"};
  model.open(PaneKind::Smem, true);
  settle(model, requests);
  std::set<std::vector<std::string>> told;
  const int32_t element = 9 * 32 + 2;
  for (PaneKind kind : {PaneKind::Array, PaneKind::Threads, PaneKind::Smem}) {
    const SceneModel &picture = model.pane(kind).picture;
    std::vector<CellAt> cells = picture.scene()->raster->cellsWith(std::span(&element, 1));
    model.hover(kind, picture.spotOf(cells.at(0).row, cells[0].column));
    told.insert(model.accessWords());
    EXPECT_EQ(model.hoverWords(kind).find("bank 2: 4 different words") != std::string::npos, kind == PaneKind::Smem);
  }
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ((*told.begin()).at(1), "bank 2: 4 different words, one after another");
}

TEST(Explorer, theCatalogueListHoldsOnlyTextsThatParse) { EXPECT_GE(catalogueNames().size(), 13u); }

/// An array that is split over devices has a picture of its part, with a picture of the whole next to it.
TEST(Explorer, AnArrayOnDevices) {
  ExplorerOutcome none = explore({.layout = "WGMMA", .shape = "64x8", .dtype = "f32"}, {PaneKind::Devices});
  ASSERT_EQ(none.panes.size(), 1u);
  ASSERT_EQ(none.panes[0].diagnostics.size(), 1u);
  EXPECT_EQ(none.panes[0].diagnostics[0].kind, "no-devices");

  ExplorerModel model;
  Requests requests;
  settle(model, requests);
  model.paste(R"(view("WGMMA", shape=(64, 8), view="devices", mesh=(("x", 2), ("y", 2)), sharding=("x", "y")))",
              requests);
  model.open(PaneKind::Array, true);
  settle(model, requests);
  ASSERT_TRUE(model.pane(PaneKind::Devices).picture.scene());
  EXPECT_EQ(model.pane(PaneKind::Devices).picture.scene()->title, "WGMMA  (64, 8) of (128, 16)  f32  on 4 devices");
  EXPECT_EQ(model.pane(PaneKind::Array).picture.scene()->array, (layouts::Shape{64, 8})) << "one device's part";
  ExplorerModel other;
  other.paste(model.viewText(), requests);
  while (requests.busy())
    requests.deliver();
  EXPECT_EQ(other.input.devices, model.input.devices);
}

/// The arrays that a kernel declares appear when their pane is opened, and can be chosen one by one.
TEST(Explorer, AKernelsTensorMemory) {
  ExplorerModel model;
  Requests requests;
  settle(model, requests);
  std::string before = model.viewText();
  model.open(PaneKind::Arrays, true);
  EXPECT_EQ(model.viewText(), before); // there is no kernel, so there is nothing to share
  model.open(PaneKind::Arrays, false);
  model.offer({{"acc", *layouts::catalogue::tmemDefault(), {2, 128, 64}, layouts::Dtype::F32, 0},
               {"left", *layouts::catalogue::tmemDefault(2), {128, 64}, layouts::Dtype::F16, 128}},
              requests);
  while (requests.busy())
    requests.deliver();
  EXPECT_FALSE(model.pane(PaneKind::Arrays).open);
  EXPECT_EQ(model.input.layout, "WGMMA");
  ASSERT_EQ(model.facts().found.size(), 2u);
  model.open(PaneKind::Arrays, true);
  settle(model, requests);
  ASSERT_TRUE(model.pane(PaneKind::Arrays).picture.scene());
  EXPECT_EQ(model.pane(PaneKind::Arrays).picture.scene()->title, "Tensor memory: 2 arrays in 160 of 512 columns");
  FoundText chosen = model.facts().found[1];
  model.choose(chosen, requests);
  while (requests.busy())
    requests.deliver();
  EXPECT_EQ(model.input.layout, "tmem_default_layout(packing=2)");
  EXPECT_EQ(model.input.dtype, "f16");
  ExplorerModel other;
  other.paste(model.viewText(), requests);
  while (requests.busy())
    requests.deliver();
  EXPECT_EQ(other.input.arrays, model.input.arrays);
}

} // namespace
} // namespace lanescope::viz
