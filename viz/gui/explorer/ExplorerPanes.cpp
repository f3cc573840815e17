#include "viz/gui/explorer/ExplorerPanes.h"

#include "layouts/Catalogue.h"
#include "layouts/Explain.h"
#include "layouts/linear/LinearForm.h"
#include "layouts/notation/Find.h"
#include "layouts/notation/Notation.h"
#include "layouts/notation/OperandSets.h"
#include "layouts/Placement.h"
#include "layouts/support/Text.h"
#include "viz/gui/explorer/ComparisonWords.h"
#include "viz/host/FieldText.h"

#include <algorithm>

namespace lanescope::viz {

namespace {

using layouts::Layout;
using layouts::Memory;

constexpr PaneEntry kTable[] = {
    {PaneKind::Array, "array", "Array", "a cell per element: who holds it", false},
    {PaneKind::Threads, "threads", "Threads", "a row per thread, a column per register: what it holds", false},
    {PaneKind::Tmem, "tmem", "Tensor memory", "128 lanes by columns of 32 bits", false},
    {PaneKind::Smem, "smem", "Shared memory", "lines of 128 bytes by 32 banks", false},
    {PaneKind::F2, "f2", "Bits", "the layout as a matrix over bits", false},
    {PaneKind::Second, "second", "Compared", "the second layout, a cell per element", true},
    {PaneKind::Flow, "flow", "Relayout", "how values travel from the first layout to the second", true},
    {PaneKind::Diff, "diff", "Difference", "which elements change owner between the two layouts", true},
    {PaneKind::Arrays, "arrays", "A kernel's tensor memory", "what it declares there, side by side", false},
    {PaneKind::Devices, "devices", "Devices", "the whole of an array that is split over devices", false},
    {PaneKind::Operands, "operands", "Operands", "A, B and C of an instruction or a tiled MMA together", false}};
static_assert(std::size(kTable) == kPanes);
constexpr PaneEntry kTpuMemory = {PaneKind::Smem, "smem", "A TPU's memory", "vectors of 32-bit words by lanes", false};
constexpr std::pair<View, PaneKind> kPaneOfView[] = {
    {View::Auto, PaneKind::Array},       {View::Grid, PaneKind::Array}, {View::Lanes, PaneKind::Threads},
    {View::Tmem, PaneKind::Tmem},        {View::Smem, PaneKind::Smem},  {View::F2, PaneKind::F2},
    {View::Flow, PaneKind::Flow},        {View::Diff, PaneKind::Diff},  {View::Devices, PaneKind::Devices},
    {View::Operands, PaneKind::Operands}};
constexpr int64_t kMaxWrittenElements = 1 << 16;
constexpr const char kAuto[] = "auto";

/// The number of elements of a type that fill a cell of tensor memory.
int packingOf(layouts::Dtype dtype) { return std::max(1, layouts::kTmemCellBits / layouts::bitwidth(dtype)); }

template <typename T> std::optional<T> taken(Result<T> result, Diagnostics &problems) {
  if (result)
    return *std::move(result);
  for (Diagnostic &problem : result.error())
    problems.push_back(std::move(problem));
  return std::nullopt;
}

Result<layouts::LinearLayout> linearOf(const ExplorerFacts &facts) {
  auto placed = layouts::placement(*facts.layout, facts.shape, layouts::bitwidth(facts.dtype), facts.read);
  if (!placed)
    return std::unexpected(std::move(placed.error()));
  return layouts::linearForm(*placed);
}

/// Draws one picture, with the same request that all other callers use.
Result<Scene> draw(const ExplorerInput &input, const ExplorerFacts &facts, PaneKind kind, ColourTheme theme,
                   bool boxes) {
  PaneRequest request = paneRequest(input, facts, kind);
  if (!request.problems.empty())
    return std::unexpected(std::move(request.problems));
  request.spec.theme = theme;
  request.spec.stage = input.stage;
  if (request.spec.view == View::Auto)
    request.spec.view = View::Grid;
  Result<Scene> scene = viewScene(request.spec, request.layout, facts.compare, {.boxes = boxes});
  if (scene && !request.note.empty())
    scene->notes.push_back(request.note);
  return scene;
}

/// The type with a certain width, as the text of the field. It is the current type if that has the width.
std::string dtypeTextOf(int bits, const std::string &current) {
  auto named = layouts::dtypeNamed(current);
  if (named && layouts::bitwidth(*named) == bits)
    return current;
  auto dtype = layouts::dtypeOfWidth(bits);
  return dtype ? std::string(layouts::name(*dtype)) : std::string();
}

/// The memory that the switch selects, if the layout can be read as a layout of it.
std::optional<Memory> memoryAsked(const ExplorerInput &input, const Layout &layout) {
  return input.memory && knows(layout, *input.memory) ? input.memory : std::nullopt;
}

/// Chooses the memory as whose layout the text is read: its own one, or the one in which it is compared. If this is a
/// guess, adds a remark.
void readMemory(const ExplorerInput &input, ExplorerFacts &facts) {
  const Layout &layout = *facts.layout;
  std::vector<Memory> choices = layouts::memoriesOf(layout);
  if (std::holds_alternative<layouts::Foreign>(layout) && choices.size() > 1)
    facts.choices = std::move(choices);
  layouts::ReadingRequest request{.shape = facts.shape, .memory = memoryAsked(input, layout)};
  if (facts.compare)
    if (auto common = layouts::commonReading(layout, *facts.compare, request)) {
      facts.read = common->memory;
      if (std::string note = guessNote(layout, *facts.compare, *common, layouts::ReadingSwitch::Window); !note.empty())
        facts.remarks.push_back(std::move(note));
      return;
    }
  auto reading = layouts::readingOf(layout, request);
  if (!reading)
    return;
  facts.read = reading->memory;
  if (std::string note = guessNote(layout, *reading, layouts::ReadingSwitch::Window); !note.empty())
    facts.remarks.push_back(std::move(note));
}

/// Reads the whole text as a layout. If that fails, reads the first layout in the text.
void readLayout(const ExplorerInput &input, ExplorerFacts &facts, Diagnostics &remarks) {
  SourceRef source = Source::make("layout", input.layout);
  Result<Layout> whole = layouts::parseLayout(source, &remarks);
  if (whole) {
    facts.layout = *std::move(whole);
    if (const auto *foreign = std::get_if<layouts::Foreign>(&*facts.layout); foreign && input.layoutEdited) {
      if (auto reading = layouts::readingOf(*facts.layout, {.memory = memoryAsked(input, *facts.layout)});
          reading && reading->shape)
        facts.shapeText = shapeFieldText(*reading->shape);
      if (auto bits = (*foreign)->bitwidth())
        facts.dtypeText = dtypeTextOf(*bits, input.dtype);
    }
    return;
  }
  std::vector<layouts::FoundLayout> all = layouts::findLayouts(source);
  // Includes the layout's array, if a later part of the text gives it.
  if (auto first = layouts::firstLayout(all))
    for (layouts::FoundLayout &found : all)
      if (found.layout) {
        found = *std::move(first);
        break;
      }
  for (layouts::FoundLayout &found : all) {
    if (!found.layout)
      continue;
    FoundText written{found.name, layouts::layoutText(*found.layout), {}, {}};
    if (written.name.empty())
      written.name = languageOf(*found.layout);
    if (found.shape)
      written.shape = shapeFieldText(*found.shape);
    if (found.bitwidth)
      written.dtype = dtypeTextOf(*found.bitwidth, input.dtype);
    if (!facts.layout) {
      facts.layout = *std::move(found.layout);
      if (input.layoutEdited)
        facts.shapeText = written.shape, facts.dtypeText = written.dtype;
    }
    facts.found.push_back(std::move(written));
  }
  if (!facts.layout)
    taken(std::move(whole), facts.diagnostics);
}

void readShapeAndType(const ExplorerInput &input, ExplorerFacts &facts) {
  const std::string &shapeText = facts.shapeText.empty() ? input.shape : facts.shapeText;
  const std::string &dtypeText = facts.dtypeText.empty() ? input.dtype : facts.dtypeText;
  if (auto shape = taken(parseShapeField("shape", shapeText), facts.diagnostics))
    facts.shape = *std::move(shape);
  if (auto dtype = taken(parseDtypeField(dtypeText), facts.diagnostics))
    facts.dtype = *dtype;
}

void refuseTooLarge(ExplorerFacts &facts) {
  int64_t elements = 1;
  for (int64_t size : facts.shape) {
    if (size > kMaxDrawnElements / elements) {
      facts.diagnostics.push_back(
          {Severity::Error,
           "too-large",
           {},
           text("an array of shape ", shapeFieldText(facts.shape), " is too large to draw: the limit is ",
                kMaxDrawnElements, " elements; layouts repeat, so a smaller shape shows the same"),
           {}});
      return;
    }
    elements *= size;
  }
}

/// The layout in each language that can express it. Each text is checked by reading it back, which is slow for a large
/// array. A large array therefore only gets its own text; a smaller one with the same layout has the same texts.
std::vector<LayoutText> textsOf(const ExplorerFacts &facts) {
  static constexpr std::pair<const char *, const char *> kLanguages[] = {
      {"jax", "As JAX prints it"}, {"mlir", "As an MLIR attribute"},
      {"cute", "In CuTe"},         {"triton", "In Triton"},
      {"tilus", "In Tilus"},       {"tirx", "In TIRx"}};
  std::vector<LayoutText> out;
  if (layouts::elementCount(facts.shape) > kMaxWrittenElements)
    return {{"Its text", layouts::layoutText(*facts.layout)}};
  for (auto [language, title] : kLanguages)
    if (auto written =
            layouts::notation(*facts.layout, language, facts.shape, layouts::bitwidth(facts.dtype), facts.read))
      out.push_back({title, *std::move(written)});
  if (out.empty())
    out.push_back({"Its text", layouts::layoutText(*facts.layout)});
  return out;
}

} // namespace

bool knows(const Layout &layout, Memory memory) {
  if (!std::holds_alternative<layouts::Foreign>(layout))
    return layouts::memoryOf(layout) == memory;
  std::vector<Memory> memories = layouts::memoriesOf(layout);
  return std::ranges::find(memories, memory) != memories.end();
}

std::vector<CellAt> BitArithmetic::cellsOf(const layouts::Shape &index) const {
  std::vector<int32_t> coordinates(index.begin(), index.end()), place = back.apply(coordinates);
  layouts::BitMatrix matrix = layout.matrix();
  std::vector<CellAt> out;
  int64_t column = 0;
  for (size_t i = 0; i < layout.inputs().size() && i < place.size(); ++i)
    for (int bit = 0; bit < layout.inputBits(layout.inputs()[i].name); ++bit, ++column)
      for (size_t row = 0; (place[i] >> bit & 1) && row < matrix.rows.size(); ++row)
        if (matrix.at(row, size_t(column)))
          out.push_back({int64_t(row), column});
  return out;
}

Result<std::string> tmemText(const ExplorerInput &input, const layouts::Shape &shape, layouts::Dtype dtype) {
  if (input.tmem != kAuto)
    return input.tmem;
  int packing = packingOf(dtype);
  // Rows after the first 128 are stacked in further columns.
  bool tall = shape.size() == 2 && shape[0] > layouts::kTmemLanes && shape[0] % layouts::kTmemLanes == 0;
  auto layout = tall ? layouts::catalogue::tmemDefault(packing) : layouts::catalogue::inferTmem(shape, false, packing);
  if (layout)
    return layouts::catalogueName(*layout).value_or(layouts::layoutText(Layout(*layout)));
  return error("no-tmem-layout", Message("no layout of tensor memory is chosen for {shape}: {}; write a layout beside "
                                         "`Tensor memory`, or another shape",
                                         layouts::tupleText(shape), layout.error().front().message));
}

std::vector<std::string> tmemForms(const layouts::Shape &shape, layouts::Dtype dtype) {
  std::vector<std::string> out = {kAuto};
  if (shape.size() != 2)
    return out;
  for (const layouts::CatalogueEntry &entry : layouts::catalogueEntries())
    for (int packing : {packingOf(dtype), 1}) {
      std::vector<layouts::CatalogueArgument> arguments;
      for (const layouts::CatalogueParameter &parameter : entry.parameters)
        arguments.push_back(parameter.name == "packing"                         ? int64_t(packing)
                            : parameter.kind == layouts::ParameterKind::Integer ? shape[1]
                            : parameter.kind == layouts::ParameterKind::Boolean ? layouts::CatalogueArgument(false)
                            : parameter.kind == layouts::ParameterKind::Shape   ? layouts::CatalogueArgument(shape)
                                                                                : layouts::CatalogueArgument(dtype));
      Result<Layout> layout = entry.make(arguments);
      const auto *tmem = layout ? std::get_if<layouts::TMEMLayout>(&*layout) : nullptr;
      if (!tmem || !tmem->checkType(shape, layouts::bitwidth(dtype)))
        continue;
      std::string name = layouts::catalogueName(*layout).value_or(layouts::layoutText(*layout));
      if (std::ranges::find(out, name) == out.end())
        out.push_back(std::move(name));
    }
  return out;
}

Result<SmemSpec> smemSpec(const ExplorerInput &input, const layouts::Shape &shape, layouts::Dtype dtype,
                          std::string &remark) {
  SmemSpec spec{.shape = shape, .dtype = dtype, .tiling = {}, .swizzle = input.swizzle, .transpose = input.transpose};
  if (input.tiling != "auto") {
    auto tiling = parseTilingField("tiling", input.tiling);
    if (!tiling)
      return std::unexpected(std::move(tiling.error()));
    spec.tiling = *std::move(tiling);
  } else if (spec.swizzle > 0 && shape.size() >= 2) {
    // A swizzle requires rows of exactly its width. So this chooses the widest swizzle whose rows the array fills.
    int64_t rowBits = shape.back() * layouts::bitwidth(dtype);
    while (spec.swizzle > 32 && rowBits % (spec.swizzle * 8) != 0)
      spec.swizzle /= 2;
    spec.tiling = {8, std::max<int64_t>(1, spec.swizzle * 8 / layouts::bitwidth(dtype))};
    if (spec.swizzle != input.swizzle)
      remark =
          text("The rows are too short for a swizzle of ", input.swizzle, " bytes: drawn with ", spec.swizzle, ".");
  }
  return spec;
}

PaneKind paneOf(const ViewSpec &spec) {
  if (!spec.arrays.empty())
    return PaneKind::Arrays;
  if (!spec.devices.empty())
    return PaneKind::Devices;
  return std::ranges::find(kPaneOfView, spec.view, &std::pair<View, PaneKind>::first)->second;
}

PaneRequest paneRequest(const ExplorerInput &input, const ExplorerFacts &facts, PaneKind kind) {
  PaneRequest out;
  ViewSpec &spec = out.spec;
  if (kind == PaneKind::Arrays) {
    spec.view = View::Tmem;
    spec.arrays = input.arrays;
    spec.theme = input.theme;
    return out;
  }
  bool second = kind == PaneKind::Second, tiled = false;
  out.layout = second ? facts.compare : facts.layout;
  spec.layout = second ? input.compare : input.layout;
  spec.shape = facts.shape;
  spec.dtype = facts.dtype;
  spec.colourBy = input.colourBy;
  spec.slice = input.slice;
  spec.theme = input.theme;
  for (auto [view, drawn] : kPaneOfView)
    if (drawn == kind)
      spec.view = view;
  // If a text can be read as layouts of several memories, all pictures use the same reading, and a shared view keeps
  // it.
  if (facts.read && out.layout && (second ? knows(*out.layout, *facts.read) : !facts.choices.empty()) &&
      std::holds_alternative<layouts::Foreign>(*out.layout) && kind != PaneKind::Flow && kind != PaneKind::Diff)
    spec.memory = facts.read;
  if (kind == PaneKind::Devices) {
    spec.devices = input.devices;
    spec.slice.clear(); // the slice is for one device's part
  }
  if (kind == PaneKind::Flow || kind == PaneKind::Diff)
    spec.against = input.compare;
  if (kind == PaneKind::Tmem && facts.layout && !knows(*facts.layout, Memory::Tmem)) {
    spec.layout = input.tmem;
    spec.memory.reset();
    out.layout.reset();
    if (auto written = taken(tmemText(input, facts.shape, facts.dtype), out.problems)) {
      spec.layout = *std::move(written);
      out.layout = taken(layouts::parseTmemLayout(Source::make("tmem", spec.layout)), out.problems);
    }
    if (input.tmem == kAuto && !facts.shape.empty() && facts.shape[0] == layouts::kTmemLanes / 2)
      out.note = text("Chosen for 64 rows: ", spec.layout,
                      ", as one CTA has them; `tmem_m64_collective_layout` is for two CTAs.");
  }
  if (kind == PaneKind::Smem && facts.layout)
    tiled = facts.read != Memory::Shared;
  if (tiled) { // the array's own place, for all layouts
    spec.layout.clear();
    spec.memory.reset();
    out.layout.reset();
    spec.colourBy = ColourBy::Warp;
    spec.smemColour = input.smemColour;
    if (input.stage != SmemStage::Swizzled)
      spec.stage = input.stage;
    if (auto smem = taken(smemSpec(input, facts.shape, facts.dtype, out.note), out.problems))
      spec.tiling = smem->tiling, spec.swizzle = smem->swizzle, spec.transpose = smem->transpose;
  }
  return out;
}

std::span<const PaneEntry> paneTable() { return kTable; }
const PaneEntry &paneEntry(PaneKind kind) { return kTable[size_t(kind)]; }

const PaneEntry &paneEntry(PaneKind kind, const ExplorerFacts &facts) {
  const auto *foreign = facts.layout ? std::get_if<layouts::Foreign>(&*facts.layout) : nullptr;
  return kind == PaneKind::Smem && foreign && (*foreign)->language() == "tpu" ? kTpuMemory : paneEntry(kind);
}

std::optional<PaneKind> paneNamed(std::string_view name) {
  for (const PaneEntry &entry : kTable)
    if (entry.name == name)
      return entry.kind;
  return std::nullopt;
}

ExplorerOutcome explore(const ExplorerInput &input, const std::vector<PaneKind> &asked) {
  std::vector<PaneKind> panes = asked;
  ExplorerOutcome out;
  ExplorerFacts &facts = out.facts;
  Diagnostics remarks;
  readLayout(input, facts, remarks);
  readShapeAndType(input, facts);
  if (facts.diagnostics.empty())
    refuseTooLarge(facts);
  bool readable = facts.diagnostics.empty();
  if (!input.compare.empty())
    facts.compare = taken(layouts::parseLayout(Source::make("compare", input.compare), &remarks), facts.diagnostics);
  for (const Diagnostic &remark : remarks)
    facts.remarks.push_back(remark.message);
  if (facts.found.empty())
    for (const layouts::TmemArray &array : input.arrays)
      facts.found.push_back({array.name, layouts::layoutName(array), shapeFieldText(layouts::matrixShape(array)),
                             std::string(layouts::name(array.dtype))});
  if (!readable || !facts.layout)
    return out;
  readMemory(input, facts);
  facts.severalOperands = layouts::operandSet(Source::make("layout", input.layout)).has_value();
  if (bool open = std::ranges::find(panes, PaneKind::Operands) != panes.end();
      input.layoutEdited && open != facts.severalOperands) {
    panes = facts.severalOperands ? std::vector{PaneKind::Operands} : std::vector{PaneKind::Array, PaneKind::Threads};
    out.opened = panes;
  }
  if (facts.compare) {
    Comparison comparison =
        compareInWords(*facts.layout, *facts.compare, facts.shape, layouts::bitwidth(facts.dtype), facts.read);
    facts.comparison = std::move(comparison.sentences);
    facts.equal = comparison.equal;
  }
  facts.texts = textsOf(facts);
  if (std::find(panes.begin(), panes.end(), PaneKind::F2) != panes.end())
    if (auto linear = linearOf(facts))
      if (auto back = linear->pseudoInvert())
        facts.bits = BitArithmetic{*std::move(linear), *std::move(back)};
  if (!input.access.empty() && std::find(panes.begin(), panes.end(), PaneKind::Smem) != panes.end()) {
    std::string remark;
    if (auto spec = smemSpec(input, facts.shape, facts.dtype, remark); spec && facts.read == Memory::Registers)
      facts.access = countAccess(input.access, *facts.layout, *spec);
  }
  for (PaneKind kind : panes) {
    if (paneEntry(kind).comparing && !facts.compare && !input.compare.empty())
      continue; // the text has an error now, so the last picture without an error stays
    PaneOutcome pane{kind, nullptr, {}};
    if (paneEntry(kind).comparing && !facts.compare)
      pane.diagnostics.push_back(
          {Severity::Note, "no-second-layout", {}, "type a second layout beside `Compare with` to see this", {}});
    else if (kind == PaneKind::Arrays && input.arrays.empty())
      pane.diagnostics.push_back({Severity::Note,
                                  "no-tensor-memory",
                                  {},
                                  "`show(kernel, view=\"tmem\")` in the console shows what a kernel declares",
                                  {}});
    else if (kind == PaneKind::Operands && !facts.severalOperands)
      pane.diagnostics.push_back({Severity::Note,
                                  "no-operands",
                                  {},
                                  "an instruction such as `mma.m16n8k16.f16`, or a tiled MMA, shows its operands here",
                                  {}});
    else if (kind == PaneKind::Devices && input.devices.empty())
      pane.diagnostics.push_back(
          {Severity::Note,
           "no-devices",
           {},
           "`show(sharded(WGMMA, {\"x\": 2}, (\"x\", None)), (128, 64))` in the console shows an "
           "array that is split over devices",
           {}});
    else if (auto scene = taken(draw(input, facts, kind, input.theme, false), pane.diagnostics))
      pane.scene = std::make_shared<const PreparedScene>(*std::move(scene));
    out.panes.push_back(std::move(pane));
  }
  return out;
}

std::vector<std::string> explainLines(const ExplorerFacts &facts, const layouts::Shape &index) {
  std::vector<std::string> out;
  if (!facts.layout)
    return out;
  auto steps = layouts::explain(*facts.layout, facts.shape, layouts::bitwidth(facts.dtype), index, facts.read);
  if (!steps)
    return out;
  for (const layouts::ExplainStep &step : *steps)
    out.push_back(text(step.what, ": ", step.how, " = ", step.value));
  return out;
}

Result<Scene> paneForFile(const ExplorerInput &input, PaneKind kind) {
  ExplorerOutcome read = explore(input, {});
  if (!read.facts.diagnostics.empty())
    return std::unexpected(std::move(read.facts.diagnostics));
  if (paneEntry(kind).comparing && !read.facts.compare)
    return error("no-second-layout", Message("`{name}` needs a second layout to compare with", paneEntry(kind).name));
  return draw(input, read.facts, kind, ColourTheme::Light, true);
}

} // namespace lanescope::viz
