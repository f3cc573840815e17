#include "viz/gui/explorer/ExplorerModel.h"

#include "layouts/Catalogue.h"
#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"
#include "viz/export/Export.h"
#include "viz/host/FieldText.h"

#include <algorithm>

namespace lanescope::viz {

namespace {
/// The number of elements in a register of the picture's layout; 0 if the picture has no registers.
int vectorOf(const Scene *scene) {
  const auto *registers = scene ? std::get_if<RegisterSubject>(&scene->subject) : nullptr;
  return registers && registers->map ? registers->map->vector() : 0;
}
} // namespace

ExplorerModel::ExplorerModel() {
  input.layout = "WGMMA", input.shape = "64x32", input.dtype = "f32";
  for (const PaneEntry &entry : paneTable()) {
    panes_[size_t(entry.kind)].kind = entry.kind;
    order_.push_back(entry.kind);
  }
  pane(PaneKind::Array).open = pane(PaneKind::Threads).open = true;
}

std::vector<PaneKind> ExplorerModel::openPanes() const {
  std::vector<PaneKind> out;
  for (PaneKind kind : order_)
    if (pane(kind).open)
      out.push_back(kind);
  return out;
}

void ExplorerModel::movePane(PaneKind moved, PaneKind to) {
  auto from = std::ranges::find(order_, moved), at = std::ranges::find(order_, to);
  if (from < at)
    std::rotate(from, from + 1, at + 1);
  else
    std::rotate(at, from, from + 1);
}

void ExplorerModel::movePane(PaneKind moved, int places) {
  std::vector<PaneKind> open = openPanes();
  auto at = std::ranges::find(open, moved) - open.begin() + places;
  if (pane(moved).open)
    movePane(moved, open[size_t(std::clamp<ptrdiff_t>(at, 0, ptrdiff_t(open.size()) - 1))]);
}

std::vector<std::string> ExplorerModel::paneOrder() const {
  std::vector<std::string> out;
  for (PaneKind kind : order_)
    out.emplace_back(std::ranges::find(paneTable(), kind, &PaneEntry::kind)->name);
  return out;
}

void ExplorerModel::setPaneOrder(const std::vector<std::string> &names) {
  std::vector<PaneKind> order;
  for (const std::string &name : names)
    if (auto kind = paneNamed(name); kind && std::ranges::find(order, *kind) == order.end())
      order.push_back(*kind);
  for (PaneKind kind : order_)
    if (std::ranges::find(order, kind) == order.end())
      order.push_back(kind);
  order_ = std::move(order);
}

void ExplorerModel::open(PaneKind kind, bool open) {
  if (!open && openPanes() == std::vector{kind})
    return;
  pane(kind).open = open;
  if (!open) {
    pane(kind).picture.clear(); // frees a large picture that is not visible
    if (hovered_.kind == kind)
      leave();
    if (pinned_.kind == kind) {
      // The element stays selected in any picture that is still open.
      if (!pinned_.selection.elements.empty())
        wantedPlace_ = ElementPlace{layouts::unravelIndex(pinned_.selection.elements.front(), facts_.shape)};
      unpin();
    }
  }
  if (open)
    front = kind;
  else if (front == kind)
    front = openPanes().front();
}

void ExplorerModel::bringToFront(PaneKind kind) {
  if (!pane(kind).open)
    open(kind, true);
  front = kind;
}

void ExplorerModel::cycle(int step) {
  std::vector<PaneKind> all = openPanes();
  auto at = std::find(all.begin(), all.end(), front) - all.begin();
  auto count = ptrdiff_t(all.size());
  front = all[size_t((at + step + count) % count)];
}

void ExplorerModel::changed(Requests &requests) {
  if (messageBad)
    message.clear(); // the message was about the previous inputs
  requests.post("explorer", [this, input = input, panes = openPanes()] {
    auto outcome = std::make_shared<ExplorerOutcome>(explore(input, panes));
    return [this, outcome] { take(std::move(*outcome)); };
  });
}

void ExplorerModel::layoutChanged(Requests &requests) {
  input.layoutEdited = true;
  changed(requests);
}

void ExplorerModel::arrayChanged(Requests &requests) {
  input.layoutEdited = false;
  changed(requests);
}

void ExplorerModel::take(ExplorerOutcome outcome) {
  bool sameArray = outcome.facts.shape == facts_.shape;
  bool drawn = !outcome.panes.empty();
  if (drawn) {
    if (!outcome.facts.shapeText.empty())
      input.shape = outcome.facts.shapeText;
    if (!outcome.facts.dtypeText.empty())
      input.dtype = outcome.facts.dtypeText;
    input.layoutEdited = false;
  }
  if (drawn)
    facts_ = std::move(outcome.facts);
  else
    // The pictures that are already drawn, and their facts, stay.
    facts_.diagnostics = std::move(outcome.facts.diagnostics);
  for (size_t i = 0; !outcome.opened.empty() && i < kPanes; ++i)
    if (std::ranges::find(outcome.opened, PaneKind(i)) != outcome.opened.end())
      open(PaneKind(i), true);
  for (size_t i = 0; !outcome.opened.empty() && i < kPanes; ++i)
    if (std::ranges::find(outcome.opened, PaneKind(i)) == outcome.opened.end())
      open(PaneKind(i), false);
  for (Pane &each : panes_)
    each.diagnostics.clear(); // they were about the previous texts
  for (PaneOutcome &made : outcome.panes) {
    Pane &into = pane(made.kind);
    if (!into.open)
      continue;
    into.diagnostics = std::move(made.diagnostics);
    if (made.scene)
      into.picture.show(std::move(made.scene));
    else
      into.picture.clear();
  }
  if (!drawn)
    return;
  explained_ = -1;
  steps_.clear();
  hovered_ = {};
  // A selection consists of elements. So it stays when the array's layout changes, in pictures that still have its
  // spot.
  if (!sameArray || !pane(pinned_.kind).picture.spotOf(pinned_.spot.row, pinned_.spot.column).some())
    pinned_ = {};
  else
    pinned_.selection = pane(pinned_.kind).picture.selectionOf(pinned_.spot);
  for (Pane &each : panes_)
    if (const auto &zoom = wantedZooms_[size_t(each.kind)]; zoom && each.picture.scene())
      each.picture.requestZoom(zoom->scale, {zoom->x, zoom->y});
  keepWanted();
  wantedZooms_ = {}, wantedPlace_ = {};
  relight();
}

void ExplorerModel::keepWanted() {
  if (wantedPlace_.index() == 0)
    return;
  auto ofArray = [&](PaneKind kind) {
    const Scene *scene = pane(kind).picture.scene();
    return scene && scene->raster && scene->array;
  };
  std::vector<PaneKind> open = openPanes();
  auto at =
      ofArray(front) ? std::find(open.begin(), open.end(), front) : std::find_if(open.begin(), open.end(), ofArray);
  if (at == open.end())
    return;
  const Scene &scene = *pane(*at).picture.scene();
  auto chosen = viz::selectionOf(scene, wantedPlace_);
  if (!chosen) {
    message = chosen.error().front().message, messageBad = true;
    return;
  }
  auto cells = scene.raster->cellsWith(std::span(chosen->elements).first(chosen->empty() ? 0 : 1));
  if (const auto *slot = std::get_if<ThreadPlace>(&wantedPlace_); slot && slot->reg >= 0 && *at == PaneKind::Threads)
    cells = {{slot->thread, int64_t(slot->reg) * vectorOf(&scene) + std::max(slot->position, 0)}};
  if (!cells.empty())
    pinned_ = {*at, {cells[0].row, cells[0].column}, *std::move(chosen)};
}

void ExplorerModel::useTheme(ColourTheme theme, Requests &requests) {
  if (theme == input.theme)
    return;
  input.theme = theme;
  changed(requests);
}

#ifndef __wasi__ // a browser's module has no files
void ExplorerModel::exportFront(std::string path, Requests &requests) {
  requests.post("export", [this, input = input, front = front, path = std::move(path)] {
    Result<Scene> scene = paneForFile(input, front);
    Result<void> saved = scene ? exportScene(*scene, path) : std::unexpected(std::move(scene.error()));
    std::string said = saved ? text("saved ", path) : saved.error().front().message;
    return [this, said, bad = !saved] { message = said, messageBad = bad; };
  });
}
#endif

ViewSpec ExplorerModel::specOf(PaneKind kind) const {
  ViewSpec spec = paneRequest(input, facts_, kind).spec;
  if (kind == front && !pinned_.selection.elements.empty())
    spec.select = ElementPlace{layouts::unravelIndex(pinned_.selection.elements.front(), facts_.shape)};
  if (int vector = vectorOf(pane(kind).picture.scene());
      kind == front && vector > 0 && pinnedIn(PaneKind::Threads).some())
    spec.select = ThreadPlace{int32_t(pinned_.spot.row), int32_t(pinned_.spot.column / vector),
                              int32_t(pinned_.spot.column % vector)}; // also selects this copy of the element
  spec.theme = input.theme;
  const SceneModel &picture = pane(kind).picture;
  if (picture.partial()) {
    Point corner = picture.viewport.toBody({0, 0});
    spec.zoom = ViewZoom{picture.viewport.scale, corner.x / picture.stretch(), corner.y};
  }
  return spec;
}

std::string ExplorerModel::viewText() const {
  std::vector<PaneKind> kinds = openPanes();
  std::ranges::stable_partition(kinds, [&](PaneKind kind) { return kind == front; });
  std::vector<ViewSpec> specs;
  for (PaneKind kind : kinds)
    // Leaves out a picture if its data are missing: a kernel's arrays, a split over devices, several operands.
    if ((kind != PaneKind::Arrays || !input.arrays.empty()) && (kind != PaneKind::Devices || !input.devices.empty()) &&
        (kind != PaneKind::Operands || facts_.severalOperands))
      specs.push_back(specOf(kind));
  return viewsText(specs);
}

std::string ExplorerModel::copied() {
  std::string view = viewText();
  message = "copied: " + view;
  messageBad = false;
  return view;
}

void ExplorerModel::paste(const std::string &pasted, Requests &requests) {
  message.clear();
  if (looksLikeView(pasted)) {
    auto specs = parseViews(Source::make("view", pasted));
    messageBad = !specs;
    if (specs)
      apply(*specs, requests);
    else
      message = specs.error().front().message;
    return;
  }
  input.layout = pasted;
  layoutChanged(requests);
}

void ExplorerModel::choose(const FoundText &found, Requests &requests) {
  input.layout = found.text;
  if (!found.shape.empty())
    input.shape = found.shape;
  if (!found.dtype.empty())
    input.dtype = found.dtype;
  arrayChanged(requests);
}

void ExplorerModel::apply(const std::vector<ViewSpec> &specs, Requests &requests) {
  if (specs.empty())
    return;
  std::vector<PaneKind> kinds;
  for (const ViewSpec &spec : specs)
    kinds.push_back(paneOf(spec));
  // The layout comes from a picture of the array itself. Other pictures may only place the array in a memory. Among
  // several pictures, a picture of the array that names no view is that of the second layout.
  auto ofMemory = [](PaneKind kind) {
    return kind == PaneKind::Tmem || kind == PaneKind::Smem || kind == PaneKind::Arrays;
  };
  size_t main = 0;
  for (size_t i = specs.size(); i-- > 0;)
    if (specs.size() > 1 && kinds[i] == PaneKind::Array && specs[i].view == View::Auto)
      kinds[i] = PaneKind::Second;
  while (main < specs.size() && (ofMemory(kinds[main]) || kinds[main] == PaneKind::Second))
    ++main;
  const ViewSpec &array = specs[main < specs.size() ? main : 0];
  if (!array.layout.empty()) {
    input.layout = array.layout;
    input.memory = array.memory;
    input.colourBy = array.colourBy;
  }
  input.layoutEdited = array.shape.empty();
  if (!array.shape.empty())
    input.shape = shapeFieldText(array.shape);
  if (array.dtype)
    input.dtype = layouts::name(*array.dtype);
  if (!array.arrays.empty()) { // a kernel's arrays; all other pictures show the first of them
    const layouts::TmemArray &first = array.arrays.front();
    input.layout = layouts::layoutName(first);
    input.shape = shapeFieldText(layouts::matrixShape(first));
    input.dtype = layouts::name(first.dtype);
    input.layoutEdited = false;
  }
  input.slice = array.slice;
  for (size_t i = 0; i < specs.size(); ++i) {
    const ViewSpec &spec = specs[i];
    input.smemColour = spec.smemColour.value_or(input.smemColour);
    if (input.smemColour == SmemColour::Warp)
      input.smemColour = SmemColour::Chunk; // the pictures beside it already show the warps
    if (!spec.against.empty())
      input.compare = spec.against;
    if (kinds[i] == PaneKind::Arrays)
      input.arrays = spec.arrays;
    if (kinds[i] == PaneKind::Devices)
      input.devices = spec.devices;
    if (kinds[i] == PaneKind::Second)
      input.compare = spec.layout;
    if (kinds[i] == PaneKind::Tmem && &spec != &array)
      input.tmem = spec.layout;
    if (kinds[i] == PaneKind::Smem) {
      input.tiling = spec.tiling.empty() ? "none" : shapeFieldText(spec.tiling);
      input.swizzle = spec.swizzle > 16 ? spec.swizzle : 0;
      input.transpose = spec.transpose;
      input.stage = spec.stage == SmemStage::Auto ? SmemStage::Swizzled : spec.stage;
    }
  }
  for (PaneKind kind : kinds)
    open(kind, true);
  if (specs.size() > 1)
    for (PaneKind kind : openPanes())
      if (std::ranges::find(kinds, kind) == kinds.end())
        open(kind, false);
  bringToFront(kinds.front());
  wantedPlace_ = specs.front().select;
  wantedZooms_ = {};
  for (size_t i = 0; i < specs.size(); ++i)
    wantedZooms_[size_t(kinds[i])] = specs[i].zoom;
  changed(requests);
}

void ExplorerModel::offer(std::vector<layouts::TmemArray> arrays, Requests &requests) {
  input.arrays = std::move(arrays);
  changed(requests);
}

void ExplorerModel::hover(PaneKind kind, Spot spot) {
  if (hovered_.kind == kind && hovered_.spot == spot)
    return;
  hovered_ = {kind, spot, pane(kind).picture.selectionOf(spot)};
  relight();
}

void ExplorerModel::leave() {
  if (!hovering())
    return;
  hovered_ = {};
  relight();
}

void ExplorerModel::togglePin() {
  bool again = hovered_.kind == pinned_.kind && hovered_.spot == pinned_.spot;
  pinned_ = again || !hovering() ? Focus{} : hovered_;
  if (hovering())
    front = hovered_.kind;
  relight();
}

void ExplorerModel::unpin() {
  pinned_ = {};
  relight();
}

void ExplorerModel::pin(PaneKind kind, Spot spot) {
  pinned_ = {kind, spot, pane(kind).picture.selectionOf(spot)};
  pane(kind).picture.bringIntoSight(spot);
  relight();
}

void ExplorerModel::relight() {
  const Focus &focus = hovering() ? hovered_ : pinned_;
  words_.clear(), accessWords_.clear();
  AccessCost::Answer access;
  if (facts_.access && !focus.selection.elements.empty())
    access = facts_.access->of(focus.selection.elements.front());
  accessWords_ = std::move(access.sentences);
  if (focus.spot.some() && !focus.selection.words.empty())
    words_ = linesOf(focus.selection.words);
  auto tellsTheSame = [&](PaneKind kind) {
    auto registers = [](PaneKind each) { return each == PaneKind::Array || each == PaneKind::Threads; };
    return kind == focus.kind || (registers(kind) && registers(focus.kind)) ||
           (kind == PaneKind::Threads && pane(PaneKind::Array).open);
  };
  for (Pane &each : panes_) {
    if (!each.open || !each.picture.scene())
      continue;
    each.picture.light(focus.selection, each.kind == focus.kind ? focus.spot : Spot{});
    if (each.kind == PaneKind::F2 && facts_.bits && !focus.selection.elements.empty())
      each.picture.lightCells(
          facts_.bits->cellsOf(layouts::unravelIndex(focus.selection.elements.front(), facts_.shape)));
    const Scene &scene = *each.picture.scene();
    if (each.kind == PaneKind::Smem && !access.elements.empty() && scene.raster)
      each.picture.lightCells(scene.raster->cellsWith(access.elements));
    if (tellsTheSame(each.kind) || focus.selection.elements.empty() || !scene.raster || !scene.array)
      continue;
    std::vector<CellAt> cells = scene.raster->cellsWith(std::span(focus.selection.elements).first(1));
    if (cells.empty())
      continue;
    words_.push_back(
        text(paneEntry(each.kind, facts_).title, ": ", scene.raster->describe(cells[0].row, cells[0].column)));
  }
}

std::string ExplorerModel::hoverWords(PaneKind kind) const {
  if (hovered_.kind != kind || !hovering())
    return {};
  std::string out = pane(kind).picture.wordsOf(hovered_.spot);
  constexpr size_t kMostLines = 6; // all further lines are beside the pictures
  if (kind == PaneKind::Smem)
    for (size_t i = 0; i < accessWords_.size() && i <= kMostLines; ++i)
      out += "\n" + (i < kMostLines ? accessWords_[i] : "  …");
  return out;
}

void ExplorerModel::explain(Requests &requests) {
  int64_t element = pinned_.selection.elements.empty() ? -1 : pinned_.selection.elements.front();
  if (element == explained_)
    return;
  explained_ = element;
  steps_.clear();
  if (element < 0 || !facts_.layout || element >= layouts::elementCount(facts_.shape))
    return;
  ExplorerFacts facts; // only the facts that the arithmetic needs
  facts.layout = facts_.layout, facts.shape = facts_.shape, facts.dtype = facts_.dtype, facts.read = facts_.read;
  requests.post("explain", [this, element, facts = std::move(facts)] {
    std::vector<std::string> lines = explainLines(facts, layouts::unravelIndex(element, facts.shape));
    return [this, element, lines] {
      if (element == explained_)
        steps_ = lines;
    };
  });
}

const std::vector<std::string> &catalogueNames() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out;
    for (const layouts::CatalogueEntry &entry : layouts::catalogueEntries()) {
      // An entry with parameters is offered as a call with valid arguments. They come from its defaults and its
      // example, if it has these.
      std::string spelled(entry.name);
      if (entry.callable || !entry.parameters.empty()) {
        std::string arguments;
        for (const layouts::CatalogueParameter &parameter : entry.parameters) {
          if (parameter.fallback)
            continue;
          if (parameter.kind != layouts::ParameterKind::Integer) {
            arguments = "?";
            break;
          }
          arguments += text(arguments.empty() ? "" : ", ", 128);
        }
        spelled += text("(", arguments, ")");
      }
      if (layouts::parseLayout(Source::make("catalogue", spelled)))
        out.push_back(std::move(spelled));
    }
    return out;
  }();
  return all;
}

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

} // namespace lanescope::viz
