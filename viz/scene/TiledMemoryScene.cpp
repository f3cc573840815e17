#include "viz/scene/TiledMemoryScene.h"

#include "layouts/support/Text.h"
#include "viz/scene/Fold.h"
#include "viz/scene/Legend.h"
#include "viz/scene/Palette.h"
#include "viz/scene/PlaceWords.h"
#include "viz/scene/RegisterModels.h"

#include <algorithm>

namespace lanescope::viz {
namespace {

using layouts::AddressMap;
using layouts::Shape;
using layouts::TiledMemoryLayout;

constexpr int kWordBits = 32;
constexpr int64_t kMostRows = 512; // the most rows of the memory that are drawn; later ones are left out with a note

/// The data about the array that both points of view use.
struct TiledArray {
  TiledMemoryLayout layout;
  std::shared_ptr<const AddressMap> map;

  int64_t perWord() const { return std::max(kWordBits / map->bitwidth(), 1); }
  int64_t wordsPerElement() const { return std::max(map->bitwidth() / kWordBits, 1); }
  int64_t word(int64_t offset) const { return offset / perWord() * wordsPerElement(); }
  bool tiled() const { return !layout.tiles().empty(); }
  int64_t tile(int64_t offset) const { return offset / layout.tileElements(); }

  Cell cell(int64_t element, int64_t offset) const {
    Cell out;
    out.element = element;
    out.fill = tiled() ? hue(tile(offset)) : hue(0);
    out.unit = static_cast<int32_t>(word(offset));
    out.zone = tiled() ? static_cast<int32_t>(tile(offset)) : 0;
    return out;
  }
  /// "w12", or "w12.1" for the second of several elements in a word.
  std::string wordText(int64_t offset) const {
    return perWord() > 1 ? text("w", word(offset), ".", offset % perWord()) : text("w", word(offset));
  }
  std::string words(int64_t element) const {
    if (element < 0)
      return "padding: no element of the array lies here";
    int64_t offset = map->offset(element), inLoad = word(offset) % kVectorLoadWords;
    std::string out = text("element ", indexWords(map->shape(), element), " is in word ", word(offset));
    if (perWord() > 1)
      out +=
          text(", bits ", offset % perWord() * map->bitwidth(), " to ", (offset % perWord() + 1) * map->bitwidth() - 1);
    out += text(": lane ", inLoad, " of the vector load at word ", word(offset) - inLoad);
    if (tiled())
      out += text("; tile ", tile(offset), ", position ", offset % layout.tileElements());
    return out;
  }
  /// The group of elements that light up together: a tile, or a word if there are no tiles.
  int64_t group(int64_t offset) const { return tiled() ? tile(offset) : word(offset); }
  void elementsOfGroup(int64_t group, std::vector<int32_t> &elements) const {
    int64_t size = tiled() ? layout.tileElements() : perWord();
    for (int64_t offset = group * size; offset < std::min((group + 1) * size, map->extent()); ++offset)
      if (int32_t element = map->element(offset); element >= 0)
        elements.push_back(element);
  }
};

/// A cell for each element of the array, which is rounded up to whole tiles.
class TileModel : public CellModel {
public:
  TileModel(TiledArray subject, Shape padded, const Shape &slice, ColourTheme theme)
      : CellModel(theme), subject_(std::move(subject)), padded_(std::move(padded)), fold_(fold(padded_, slice)) {}
  int64_t rows() const override { return fold_.rows; }
  int64_t columns() const override { return fold_.columns; }
  Cell cell(int64_t row, int64_t column) const override {
    int64_t element = elementAt(row, column);
    return element < 0 ? Cell() : subject_.cell(element, subject_.map->offset(element));
  }
  void label(int64_t row, int64_t column, std::string &label, std::string &detail) const override {
    int64_t element = elementAt(row, column);
    if (element < 0)
      return;
    int64_t offset = subject_.map->offset(element);
    label = subject_.wordText(offset);
    detail = subject_.tiled() ? text("t", subject_.tile(offset)) : "";
  }
  std::string tooltip(int64_t row, int64_t column) const override { return subject_.words(elementAt(row, column)); }
  std::string rowTick(int64_t row) const override { return rowTickText(fold_, row); }
  std::string columnTick(int64_t column) const override { return columnTickText(fold_, column); }
  void linkKeys(int64_t row, int64_t column, std::vector<int32_t> &keys) const override {
    if (int64_t element = elementAt(row, column); element >= 0)
      keys.push_back(static_cast<int32_t>(subject_.group(subject_.map->offset(element))));
  }
  void linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const override {
    if (int64_t element = elementAt(row, column); element >= 0)
      subject_.elementsOfGroup(subject_.group(subject_.map->offset(element)), elements);
  }
  void cellsOf(int64_t element, std::vector<CellAt> &cells) const override {
    Shape index = layouts::unravelIndex(element, subject_.map->shape());
    if (std::optional<CellAt> at = fold_.cellOf(layouts::ravelIndex(index, padded_)))
      cells.push_back(*at);
  }

private:
  /// The element at a place; -1 in the padding.
  int64_t elementAt(int64_t row, int64_t column) const {
    int64_t at = fold_.element(row, column);
    if (at < 0)
      return -1;
    Shape index = layouts::unravelIndex(at, padded_);
    for (size_t d = 0; d < index.size(); ++d)
      if (index[d] >= subject_.map->shape()[d])
        return -1;
    return layouts::ravelIndex(index, subject_.map->shape());
  }

  TiledArray subject_;
  Shape padded_;
  Fold fold_;
};

/// A row for each vector load, and a column for each lane. If elements are narrower than a word, each lane has several
/// columns.
class LoadModel : public CellModel {
public:
  LoadModel(TiledArray subject, int64_t rows, ColourTheme theme)
      : CellModel(theme), subject_(std::move(subject)), rows_(rows),
        columns_(kVectorLoadWords * subject_.perWord() / subject_.wordsPerElement()) {}
  int64_t rows() const override { return rows_; }
  int64_t columns() const override { return columns_; }
  Cell cell(int64_t row, int64_t column) const override {
    int64_t element = elementAt(row, column);
    return element < 0 ? Cell() : subject_.cell(element, row * columns_ + column);
  }
  void label(int64_t row, int64_t column, std::string &label, std::string &) const override {
    if (int64_t element = elementAt(row, column); element >= 0)
      label = shortIndex(subject_.map->shape(), element);
  }
  std::string tooltip(int64_t row, int64_t column) const override { return subject_.words(elementAt(row, column)); }
  std::string rowTick(int64_t row) const override { return text("w", row * kVectorLoadWords); }
  std::string columnTick(int64_t column) const override {
    int64_t lane = column / subject_.perWord() * subject_.wordsPerElement();
    return column % subject_.perWord() == 0 ? text(lane) : text(lane, ".", column % subject_.perWord());
  }
  int64_t columnUnit() const override { return subject_.perWord(); }
  void linkKeys(int64_t row, int64_t column, std::vector<int32_t> &keys) const override {
    keys.push_back(static_cast<int32_t>(subject_.group(row * columns_ + column)));
  }
  void linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const override {
    subject_.elementsOfGroup(subject_.group(row * columns_ + column), elements);
  }
  void cellsOf(int64_t element, std::vector<CellAt> &cells) const override {
    int64_t offset = subject_.map->offset(element);
    if (offset / columns_ < rows_)
      cells.push_back({offset / columns_, offset % columns_});
  }

private:
  int64_t elementAt(int64_t row, int64_t column) const { return subject_.map->element(row * columns_ + column); }

  TiledArray subject_;
  int64_t rows_, columns_;
};

void addLegend(Scene &scene, const TiledArray &subject, bool array) {
  if (subject.tiled()) {
    constexpr int kHues = 8;
    std::vector<bool> present = presentClasses(scene, kHues, [&](int64_t element, const auto &add) {
      add(subject.tile(subject.map->offset(element)) % kHues);
    });
    int64_t tiles = subject.map->extent() / subject.layout.tileElements();
    scene.legend.push_back({.fill = kPaper, .text = "by first-level tile:", .caption = true});
    for (int i = 0; i < kHues; ++i)
      if (present[static_cast<size_t>(i)])
        scene.legend.push_back(
            {.fill = hue(i), .text = text("tile ", i, tiles > kHues ? text(", ", i + kHues, ", …") : "")});
  }
  const std::vector<Box> &boxes = scene.body.boxes;
  for (size_t i = boxes.size() * 5 / 9; i < boxes.size(); ++i)
    if (!boxes[i].label.empty()) {
      scene.legend.push_back(
          {.fill = boxes[i].fill,
           .sample = text(boxes[i].label, array && subject.tiled() ? "\n" : "", boxes[i].detail),
           .text = array ? subject.tiled() ? "the element's 32-bit word, and its tile" : "the element's 32-bit word"
                         : "the element found there, by its indices in the array"});
      break;
    }
  int64_t holes = subject.map->extent() - layouts::elementCount(subject.map->shape());
  if (holes > 0)
    scene.legend.push_back({.fill = kEmpty,
                            .text = text(array ? "padding up to whole tiles: " : "holes: ", holes, " of ",
                                         subject.map->extent(), " elements of the memory hold nothing")});
}

} // namespace

Result<Scene> tiledMemoryScene(const TiledMemoryLayout &layout, const Shape &shape, layouts::Dtype dtype,
                               const LayoutSceneOptions &options, Scene scene) {
  int bits = layouts::bitwidth(dtype);
  if (kWordBits % bits != 0 && bits % kWordBits != 0)
    return error("bitwidth", Message("elements of {bits} bits do not fill words of 32 bits evenly", bits));
  if (Result<void> fits = checkSlice(shape, options.slice); !fits)
    return std::unexpected(std::move(fits.error()));
  Result<AddressMap> made = layout.addressMap(shape, bits);
  if (!made)
    return std::unexpected(std::move(made.error()));
  TiledArray subject{layout, std::make_shared<const AddressMap>(*std::move(made))};
  scene.subject = SmemSubject{subject.map, dtype};
  scene.array = shape;
  scene.linkHint = subject.tiled() ? "hover: the tile lights up wherever it is drawn" : "hover: the word lights up";
  bool array = options.view == View::Grid || options.view == View::Auto;
  if (array) {
    Shape padded = shape;
    if (subject.tiled()) {
      Shape counts = layout.tileCounts(shape);
      const Shape &tile = layout.tiles().front();
      for (size_t d = shape.size() - tile.size(), i = 0; d < shape.size(); ++d, ++i)
        padded[d] = counts[d] * tile[i];
    }
    buildGrid(std::make_shared<TileModel>(subject, std::move(padded), options.slice, options.theme),
              gridOptions(options), scene);
    scene.top.title = shape.size() - options.slice.size() > 1 ? "column" : "index";
    scene.left.title = shape.size() - options.slice.size() > 2 ? "leading" : shape.size() > 1 ? "row" : "";
  } else {
    int64_t perLoad = kVectorLoadWords * subject.perWord() / subject.wordsPerElement();
    int64_t all = std::max<int64_t>((subject.map->extent() + perLoad - 1) / perLoad, 1);
    buildGrid(std::make_shared<LoadModel>(subject, std::min(all, kMostRows), options.theme), gridOptions(options),
              scene);
    scene.top.title = subject.perWord() > 1 ? "lane.part" : "lane";
    scene.left.title = "word";
    if (all > kMostRows)
      scene.notes.push_back(
          text("Only the first ", kMostRows, " of ", all, " rows of ", kVectorLoadWords, " words are drawn."));
    scene.notes.push_back(text("A row is what a vector load of ", kVectorLoadWords,
                               " words that starts there gives each lane; chips of 8 lanes take half a row."));
  }
  addLegend(scene, subject, array);
  applyTheme(scene, options.theme);
  return scene;
}

} // namespace lanescope::viz
