#include "viz/scene/MoveScene.h"

#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"
#include "layouts/support/Words.h"
#include "viz/scene/CellGrid.h"
#include "viz/scene/Fold.h"
#include "viz/scene/Legend.h"
#include "viz/scene/Palette.h"
#include "viz/scene/PlaceWords.h"
#include "viz/scene/RegisterModels.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lanescope::viz {
namespace {

using layouts::ElementMap;
using layouts::Move;
using Map = std::shared_ptr<const ElementMap>;

constexpr int64_t kStrip = 5; // the smallest number of columns between the two grids
constexpr std::string_view kMeanings[] = {"stays in its thread and register",
                                          "moves to another register of its thread (no instruction)",
                                          "moves to another lane of its warp (shuffles)",
                                          "moves to another warp (shared memory)",
                                          "moves to another byte",
                                          "held by one of the two layouts only"};

/// The distance of a place of `to` from the nearest copy in `from`. A warp has `warp` threads.
Move moveTo(const ElementMap &from, const ElementMap &to, int warp, int32_t slot, int64_t element) {
  Move best = Move::Absent;
  int32_t thread = slot / to.values(), value = slot % to.values();
  for (int32_t source : from.slots(element)) {
    int32_t sourceThread = source / from.values();
    Move move = sourceThread == thread ? (source % from.values() == value ? Move::None : Move::SameThread)
                                       : (sourceThread / warp == thread / warp ? Move::SameWarp : Move::OtherWarp);
    best = std::min(best, move);
  }
  return best;
}

/// The copy in `from` that fills a place of `to`: the nearest one. -1 if there is none.
int32_t sourceOf(const ElementMap &from, const ElementMap &to, int warp, int32_t place) {
  int32_t there = place / to.values(), best = -1;
  int nearest = 4;
  for (int32_t source : from.slots(to.elements()[static_cast<size_t>(place)])) {
    int32_t thread = source / from.values();
    int distance = thread == there                 ? source % from.values() != place % to.values()
                   : thread / warp == there / warp ? 2
                                                   : 3;
    if (distance < nearest)
      nearest = distance, best = source;
  }
  return best;
}

std::string heldIn(const ElementMap &map, int64_t element) {
  std::string words = elementWords(map, element);
  size_t at = words.find(" is held by ");
  return at == std::string::npos ? words : words.substr(at + 12);
}

struct Moves {
  Map from, to;
  std::shared_ptr<const layouts::DiffResult> diff;
  int warp = 1; // threads per warp, the same in both layouts

  Move of(int64_t element) const { return diff->moves[static_cast<size_t>(element)]; }
  std::string words(int64_t element) const {
    return text("element ", indexWords(from->shape(), element), " (", layouts::name(of(element)), "): from ",
                heldIn(*from, element), " to ", heldIn(*to, element));
  }
  void threadsOf(int64_t element, std::vector<int32_t> &elements) const {
    for (const Map &map : {from, to}) {
      int32_t last = -1;
      for (int32_t slot : map->slots(element))
        if (int32_t thread = slot / map->values(); thread != last) {
          elementsOfThread(*map, thread, elements);
          last = thread;
        }
    }
  }
};

class DiffModel : public CellModel {
public:
  DiffModel(Moves moves, const MoveSceneOptions &options)
      : CellModel(options.theme), moves_(std::move(moves)), fold_(fold(moves_.from->shape(), options.slice)) {
    for (int i = 0; i < layouts::kMoves; ++i)
      packed_[static_cast<size_t>(i)] = packedIn(options.theme, moveColour(static_cast<Move>(i)));
  }
  int64_t rows() const override { return fold_.rows; }
  int64_t columns() const override { return fold_.columns; }
  Cell cell(int64_t row, int64_t column) const override {
    Cell cell;
    cell.element = fold_.element(row, column);
    if (cell.element < 0)
      return cell;
    Move move = moves_.of(cell.element);
    cell.fill = moveColour(move);
    cell.unit = static_cast<int32_t>(cell.element);
    cell.zone = static_cast<int32_t>(move);
    cell.hatched = moves_.to->slots(cell.element).size() > 1;
    return cell;
  }
  void label(int64_t row, int64_t column, std::string &label, std::string &detail) const override {
    int64_t element = fold_.element(row, column);
    if (element < 0)
      return;
    std::span<const int32_t> from = moves_.from->slots(element), to = moves_.to->slots(element);
    auto thread = [](const Map &map, std::span<const int32_t> slots) {
      return slots.empty() ? std::string("-") : text("T", slots[0] / map->values());
    };
    label = thread(moves_.from, from);
    Move move = moves_.of(element);
    detail = move == Move::None         ? "="
             : move == Move::SameThread ? text("→r", to[0] % moves_.to->values())
                                        : text("→", thread(moves_.to, to));
  }
  std::string tooltip(int64_t row, int64_t column) const override { return moves_.words(fold_.element(row, column)); }
  std::string rowTick(int64_t row) const override { return rowTickText(fold_, row); }
  std::string columnTick(int64_t column) const override { return columnTickText(fold_, column); }
  void linkKeys(int64_t row, int64_t column, std::vector<int32_t> &keys) const override {
    std::span<const int32_t> slots = moves_.from->slots(fold_.element(row, column));
    for (int32_t slot : slots)
      if (int32_t thread = slot / moves_.from->values(); keys.empty() || keys.back() != thread)
        keys.push_back(thread);
  }
  void linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const override {
    moves_.threadsOf(fold_.element(row, column), elements);
  }
  void cellsOf(int64_t element, std::vector<CellAt> &cells) const override {
    if (std::optional<CellAt> at = fold_.cellOf(element))
      cells.push_back(*at);
  }
  bool hasCopies() const override { return moves_.to->replication() > 1; }
  void fillRow(int64_t row, int64_t column, int64_t count, uint32_t *out) const override {
    for (int64_t i = 0; i < count; ++i) {
      int64_t element = fold_.element(row, column + i);
      out[i] = element < 0 ? 0 : packed_[static_cast<size_t>(moves_.of(element))];
    }
  }

private:
  Moves moves_;
  Fold fold_;
  std::array<uint32_t, layouts::kMoves> packed_{};
};

/// Threads by values of both layouts, side by side, with an empty strip between them.
class FlowModel : public CellModel {
public:
  FlowModel(Moves moves, int64_t gap, const MoveSceneOptions &options)
      : CellModel(options.theme), moves_(std::move(moves)), fold_(fold(moves_.from->shape(), options.slice)),
        right_(moves_.from->values() + gap) {
    for (int i = 0; i < layouts::kMoves; ++i)
      packed_[static_cast<size_t>(i)] = packedIn(options.theme, moveColour(static_cast<Move>(i)));
  }
  int64_t rows() const override { return std::max(moves_.from->threads(), moves_.to->threads()); }
  int64_t columns() const override { return right_ + moves_.to->values(); }
  int64_t right() const { return right_; }
  Cell cell(int64_t row, int64_t column) const override {
    Cell cell;
    Slot at = slotAt(row, column);
    cell.unit = -2; // cells of the empty strip
    if (!at.map)
      return cell;
    cell.unit = static_cast<int32_t>((row * columns() + column) & 0x7fffffff);
    cell.zone = static_cast<int32_t>(row / moves_.warp);
    cell.element = at.element;
    if (at.element < 0)
      return cell;
    cell.fill = moveColour(moveAt(at));
    std::span<const int32_t> slots = at.map->slots(at.element);
    cell.hatched = !slots.empty() && slots[0] != at.slot;
    return cell;
  }
  void label(int64_t row, int64_t column, std::string &label, std::string &) const override {
    if (Slot at = slotAt(row, column); at.element >= 0)
      label = shortIndex(moves_.from->shape(), at.element);
  }
  std::string tooltip(int64_t row, int64_t column) const override {
    Slot at = slotAt(row, column);
    return at.element < 0 ? "" : moves_.words(at.element);
  }
  std::string rowTick(int64_t row) const override { return text(row % moves_.warp); }
  std::string columnTick(int64_t column) const override {
    if (column >= moves_.from->values() && column < right_)
      return "";
    const ElementMap &map = column < right_ ? *moves_.from : *moves_.to;
    int64_t value = column < right_ ? column : column - right_;
    return map.vector() > 1 ? text("r", value / map.vector(), ".", value % map.vector()) : text("r", value);
  }
  /// The key is the element itself, so only the source and the destination light up.
  void linkKeys(int64_t row, int64_t column, std::vector<int32_t> &keys) const override {
    if (Slot at = slotAt(row, column); at.element >= 0)
      keys.push_back(static_cast<int32_t>(at.element));
  }
  void linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const override {
    if (Slot at = slotAt(row, column); at.element >= 0)
      elements.push_back(static_cast<int32_t>(at.element));
  }
  void cellsOf(int64_t element, std::vector<CellAt> &cells) const override {
    if (!fold_.holds(element))
      return;
    for (int32_t slot : moves_.from->slots(element))
      cells.push_back(before(slot));
    for (int32_t slot : moves_.to->slots(element))
      cells.push_back(after(slot));
  }
  void arrowsOf(int64_t element, std::vector<CellArrow> &arrows) const override {
    if (!fold_.holds(element))
      return;
    for (int32_t slot : moves_.to->slots(element))
      if (int32_t source = sourceOf(*moves_.from, *moves_.to, moves_.warp, slot); source >= 0)
        arrows.push_back({before(source), after(slot)});
  }
  bool hasCopies() const override { return moves_.from->replication() > 1 || moves_.to->replication() > 1; }
  void fillRow(int64_t row, int64_t column, int64_t count, uint32_t *out) const override {
    for (int64_t i = 0; i < count; ++i) {
      Slot at = slotAt(row, column + i);
      out[i] = at.element < 0 ? 0 : packed_[static_cast<size_t>(moveAt(at))];
    }
  }

private:
  struct Slot {
    const ElementMap *map = nullptr;
    int32_t slot = 0;
    int64_t element = -1;
  };
  CellAt before(int32_t slot) const { return {slot / moves_.from->values(), slot % moves_.from->values()}; }
  CellAt after(int32_t slot) const { return {slot / moves_.to->values(), right_ + slot % moves_.to->values()}; }
  Slot slotAt(int64_t row, int64_t column) const {
    const ElementMap *map = column < moves_.from->values() ? moves_.from.get() : moves_.to.get();
    int64_t value = column < right_ ? column : column - right_;
    if ((column >= moves_.from->values() && column < right_) || row >= map->threads())
      return {};
    Slot at{map, static_cast<int32_t>(row * map->values() + value)};
    int32_t element = map->elements()[static_cast<size_t>(at.slot)];
    at.element = fold_.holds(element) ? element : -1;
    return at;
  }

  /// A destination has a class of its own. A source has the class of its element.
  Move moveAt(const Slot &at) const {
    return at.map == moves_.to.get() ? moveTo(*moves_.from, *moves_.to, moves_.warp, at.slot, at.element)
                                     : moves_.of(at.element);
  }

  Moves moves_;
  Fold fold_;
  int64_t right_; // first column of the right grid
  std::array<uint32_t, layouts::kMoves> packed_{};
};

std::string nameOf(const ElementMap &map, const std::string &given) {
  if (!given.empty())
    return validUtf8(given);
  std::string name = layouts::catalogueName(map.layout()).value_or(layouts::layoutText(map.layout()));
  constexpr int64_t kMostCharacters = 48;
  name = validUtf8(name);
  return characterCount(name) > kMostCharacters ? std::string(firstCharacters(name, kMostCharacters)) + "…" : name;
}

/// The part that both pictures have in common: checks, title, subject, counts.
Result<Scene> begin(const Map &from, const Map &to, const MoveSceneOptions &options, std::string_view what,
                    Moves &moves) {
  if (Result<void> fits = checkSlice(from->shape(), options.slice); !fits)
    return std::unexpected(std::move(fits.error()));
  Result<layouts::DiffResult> made = layouts::diff(*from, *to);
  if (!made)
    return std::unexpected(std::move(made.error()));
  auto diff = std::make_shared<const layouts::DiffResult>(*std::move(made));
  // diff() has checked that both have the same warp size
  moves = {from, to, diff, layouts::commonWarp(*from, *to).value_or(1)};
  Scene scene;
  scene.title = text(nameOf(*from, options.fromName), "  ", what, "  ", nameOf(*to, options.toName), "  ",
                     layouts::tupleText(from->shape()), sliceWords(options.slice));
  scene.array = from->shape();
  scene.subject = MoveSubject{from, to, diff};
  addCoverage(scene, *from);
  addCoverage(scene, *to);
  // Counts only the elements of the slice.
  Fold shown = fold(from->shape(), options.slice);
  std::array<int64_t, layouts::kMoves> counts{};
  for (int64_t element = shown.base; element < shown.base + shown.count; ++element)
    ++counts[static_cast<size_t>(diff->moves[static_cast<size_t>(element)])];
  for (size_t i = 0; i < layouts::kMoves; ++i) {
    if (counts[i] == 0)
      continue;
    Move move = static_cast<Move>(i);
    scene.subtitle += text(scene.subtitle.empty() ? "" : ", ", layouts::name(move), ": ", counts[i]);
    scene.legend.push_back(
        {.fill = moveColour(move), .text = text(kMeanings[i], ": ", counts[i], " of ", shown.count)});
  }
  return scene;
}

CellGridOptions gridOf(const MoveSceneOptions &options) {
  return {options.boxes, options.labels, options.tooltips, options.maxLabelled, options.maxCells};
}

constexpr double kHead = 7; // length of an arrow's head, in pixels

/// The colours of arrows, by Move. They are the colours of the fills, made strong enough for lines.
constexpr Colour kArrows[] = {{110, 118, 129}, {20, 100, 160}, {150, 100, 0},
                              {176, 50, 24},   {60, 110, 50},  {110, 60, 120}};

/// The values that go from one group of `lanes` lanes to another group.
struct Bundle {
  int64_t from, to;
  Move move;
  int64_t values;
};

/// The number of values that go from one group of lanes to another, by distance: within a thread, within a warp, or
/// further.
using Ways = std::array<int32_t, 3>;
constexpr Move kWays[] = {Move::SameThread, Move::SameWarp, Move::OtherWarp};

/// The bundles between pairs of threads, or between the smallest groups of 2, 4, 8, … lanes for which at most
/// `mostBundles` pairs exchange values. Nothing if there is too much to count.
std::vector<Bundle> bundles(const Moves &moves, const Fold &fold, int64_t most, int64_t mostBundles, int64_t &lanes) {
  const ElementMap &from = *moves.from, &to = *moves.to;
  constexpr int64_t kMostPlaces = int64_t(1) << 22, kMostPairs = int64_t(1) << 20;
  lanes = 1;
  if (static_cast<int64_t>(to.elements().size()) > kMostPlaces)
    return {};
  auto groups = [&](int64_t threads) { return (threads + lanes - 1) / lanes; };
  while (groups(from.threads()) * groups(to.threads()) > kMostPairs)
    lanes *= 2;
  int64_t rows = groups(from.threads()), columns = groups(to.threads());
  std::vector<Ways> counts(static_cast<size_t>(rows * columns));
  for (size_t place = 0; place < to.elements().size(); ++place) {
    int32_t element = to.elements()[place];
    int32_t source =
        element < 0 || !fold.holds(element) ? -1 : sourceOf(from, to, moves.warp, static_cast<int32_t>(place));
    if (source < 0)
      continue;
    int64_t there = source / from.values(), here = static_cast<int64_t>(place) / to.values();
    if (there == here && source % from.values() == static_cast<int64_t>(place) % to.values())
      continue; // the value does not move
    size_t way = there == here ? 0 : there / moves.warp == here / moves.warp ? 1 : 2;
    ++counts[static_cast<size_t>(there / lanes * columns + here / lanes)][way];
  }
  auto pairs = [&] {
    return std::count_if(counts.begin(), counts.end(), [](const Ways &ways) { return ways != Ways{}; });
  };
  while (pairs() > (lanes == 1 ? most : mostBundles) && counts.size() > 1) {
    lanes *= 2;
    int64_t coarseRows = groups(from.threads()), coarseColumns = groups(to.threads());
    std::vector<Ways> coarse(static_cast<size_t>(coarseRows * coarseColumns));
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        for (size_t way = 0; way < std::size(kWays); ++way)
          coarse[static_cast<size_t>(r / 2 * coarseColumns + c / 2)][way] +=
              counts[static_cast<size_t>(r * columns + c)][way];
    counts = std::move(coarse), rows = coarseRows, columns = coarseColumns;
  }
  std::vector<Bundle> out;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      for (size_t way = 0; way < std::size(kWays); ++way)
        if (int64_t values = counts[static_cast<size_t>(r * columns + c)][way])
          out.push_back({r, c, kWays[way], values});
  return out;
}

std::string groupWords(int64_t lanes, int64_t warp) {
  return lanes == warp  ? "warps"
         : lanes > warp ? text("groups of ", lanes / warp, " warps")
                        : text("groups of ", lanes, " lanes");
}

/// Draws arrows across the strip, from thread to thread or from group to group.
void drawArrows(const Moves &moves, const Fold &fold, int64_t most, std::pair<double, double> strip, double rowHeight,
                Scene &scene) {
  constexpr int64_t kMostBold = 64, kMostBundles = 64; // if there are more lines, they are thin
  constexpr double kThin = 0.8, kBold = 1.25, kWidest = 4.5;
  int64_t lanes = 1;
  std::vector<Bundle> all = bundles(moves, fold, most, kMostBundles, lanes);
  const ElementMap &from = *moves.from, &to = *moves.to;
  if (all.empty())
    return;
  // The arrows that leave a group are side by side, ordered by destination. Those that arrive at a group are ordered by
  // source.
  std::vector<int64_t> leaving(static_cast<size_t>(from.threads() / lanes + 1)),
      arriving(static_cast<size_t>(to.threads() / lanes + 1));
  for (const Bundle &bundle : all)
    ++leaving[static_cast<size_t>(bundle.from)], ++arriving[static_cast<size_t>(bundle.to)];
  std::vector<int64_t> left(leaving.size()), arrived(arriving.size());
  int64_t largest = 0, moving = 0;
  for (const Bundle &bundle : all)
    largest = std::max(largest, bundle.values), moving += bundle.values;
  for (const Bundle &bundle : all) { // sorted by source, so arrivals come in that order, too
    auto group = [&](int64_t index, int64_t count, int64_t threads, int64_t ordinal) {
      double begin = static_cast<double>(index * lanes), end = std::min(begin + double(lanes), double(threads));
      return begin + (end - begin) * (static_cast<double>(ordinal) + 0.5) / static_cast<double>(count);
    };
    auto f = static_cast<size_t>(bundle.from), t = static_cast<size_t>(bundle.to);
    double y0 = lanes == 1 ? double(bundle.from) + 0.5 : group(bundle.from, leaving[f], from.threads(), left[f]++);
    double y1 = lanes == 1 ? double(bundle.to) + 0.5 : group(bundle.to, arriving[t], to.threads(), arrived[t]++);
    Line line{{strip.first + 3, y0 * rowHeight},
              {strip.second - 4, y1 * rowHeight},
              kArrows[static_cast<size_t>(bundle.move)]};
    line.width = static_cast<int64_t>(all.size()) <= kMostBold ? kBold : kThin;
    if (lanes > 1)
      line.width = kBold + (kWidest - kBold) * static_cast<double>(bundle.values) / static_cast<double>(largest);
    if (line.width == kThin)
      line.colour.a = 170;
    line.head = kHead + (lanes > 1 ? line.width : 0);
    scene.body.lines.push_back(line);
  }
  scene.legend.push_back({.fill = kPaper,
                          .sample = "→",
                          .text = lanes == 1
                                      ? text("values go from thread to thread: ", counted(all.size(), "pair"))
                                      : text("values go between ", groupWords(lanes, moves.warp),
                                             ", the wider the more: ", moving, " in ", counted(all.size(), "arrow")),
                          .ofLines = true});
}

/// Draws the paths of the selected elements on top of everything else.
void drawSelected(const CellModel &model, const std::vector<int32_t> &elements, double w, double h, Scene &scene) {
  std::vector<CellArrow> arrows;
  for (int32_t element : elements)
    model.arrowsOf(element, arrows);
  for (const CellArrow &arrow : arrows) {
    Point from{static_cast<double>(arrow.from.column + 1) * w, (static_cast<double>(arrow.from.row) + 0.5) * h};
    Point to{static_cast<double>(arrow.to.column) * w, (static_cast<double>(arrow.to.row) + 0.5) * h};
    scene.body.lines.push_back({from, to, kPaper, 6});
    scene.body.lines.push_back({.from = from, .to = to, .colour = kHighlight, .width = 3, .head = kHead * 1.6});
  }
  if (!arrows.empty())
    scene.legend.push_back(
        {.fill = kHighlight, .text = "where the selected element comes from and goes", .ofLines = true});
}

} // namespace

Colour moveColour(Move move) {
  constexpr Colour kColours[] = {{228, 234, 240}, {150, 206, 240}, {246, 205, 92},
                                 {240, 140, 110}, {170, 200, 160}, {205, 160, 205}};
  return kColours[static_cast<size_t>(move)];
}

Result<Scene> diffScene(Map from, Map to, const MoveSceneOptions &options) {
  Moves moves;
  Result<Scene> scene = begin(from, to, options, "against", moves);
  if (!scene)
    return scene;
  buildGrid(std::make_shared<DiffModel>(std::move(moves), options), gridOf(options), *scene);
  scene->top.title = "column";
  scene->left.title = from->shape().size() - options.slice.size() > 2 ? "leading" : "row";
  scene->linkHint = "hover: everything that the same thread holds before";
  const std::vector<Box> &boxes = scene->body.boxes;
  if (!boxes.empty() && !boxes.front().label.empty())
    scene->legend.push_back({.fill = kPaper,
                             .sample = "T5\n→T9",
                             .text = "its thread in the first layout, and in the second (→r3: only the register; =: "
                                     "nothing changes)"});
  applyTheme(*scene, options.theme);
  return scene;
}

Result<Scene> flowScene(Map from, Map to, const MoveSceneOptions &options) {
  Moves moves;
  Result<Scene> scene = begin(from, to, options, "into", moves);
  if (!scene)
    return scene;
  int64_t gap = std::max<int64_t>(kStrip, (from->values() + to->values()) / 4); // so that there is room for the arrows
  auto model = std::make_shared<FlowModel>(moves, gap, options);
  CellGridDetail detail = buildGrid(model, gridOf(options), *scene);
  double w = scene->grid.cellWidth / static_cast<double>(detail.blockColumns);
  double h = scene->grid.cellHeight / static_cast<double>(detail.blockRows);
  for (Box &box : scene->body.boxes) // the strip has the colour of the paper
    if (int64_t column = box.column * detail.blockColumns; column >= from->values() && column < model->right())
      box.fill = kPaper;
  double rightAt = static_cast<double>(model->right()) * w;
  scene->top.groups = {{0, from->values() * w, text("before: ", nameOf(*from, options.fromName)), kHairline},
                       {rightAt, to->values() * w, text("after: ", nameOf(*to, options.toName)), kHairline}};
  scene->left.title = "lane";
  int64_t rows = model->rows();
  for (int64_t first = 0; first < rows; first += moves.warp) {
    int64_t warp = first / moves.warp, size = std::min<int64_t>(moves.warp, rows - first);
    scene->left.groups.push_back({static_cast<double>(first) * h, static_cast<double>(size) * h, text("warp ", warp),
                                  warpColour(static_cast<int>(warp))});
  }
  scene->linkHint = "hover: where the element comes from and where it goes";
  std::pair<double, double> strip{static_cast<double>(from->values()) * w, rightAt};
  drawArrows(moves, fold(from->shape(), options.slice), options.maxArrows, strip, h, *scene);
  drawSelected(*model, options.selected, w, h, *scene);
  applyTheme(*scene, options.theme);
  return scene;
}

} // namespace lanescope::viz
