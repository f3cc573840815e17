#include "viz/scene/OperandsScene.h"

#include "layouts/Placement.h"
#include "layouts/support/Text.h"
#include "viz/scene/Legend.h"
#include "viz/scene/Palette.h"
#include "viz/scene/PlaceWords.h"
#include "viz/scene/RegisterModels.h"

#include <algorithm>
#include <map>

namespace lanescope::viz {
namespace {

using layouts::NamedOperand;
using layouts::OperandRole;

constexpr int64_t kGap = 1; // empty cells between two operands

/// One operand, and its rectangle in the picture.
struct Part {
  NamedOperand operand;
  std::shared_ptr<const layouts::ElementMap> map;
  std::shared_ptr<const ElementModel> model;
  int64_t row = 0, column = 0;
  int64_t firstElement = 0; // index over all parts

  int64_t rows() const { return operand.turned ? model->columns() : model->rows(); }
  int64_t columns() const { return operand.turned ? model->rows() : model->columns(); }
  bool has(int64_t atRow, int64_t atColumn) const {
    return atRow >= row && atRow < row + rows() && atColumn >= column && atColumn < column + columns();
  }
  /// Maps a cell of the picture to the operand's own array, and back.
  CellAt inside(int64_t atRow, int64_t atColumn) const {
    return operand.turned ? CellAt{atColumn - column, atRow - row} : CellAt{atRow - row, atColumn - column};
  }
  CellAt outside(CellAt at) const {
    return operand.turned ? CellAt{at.column + row, at.row + column} : CellAt{at.row + row, at.column + column};
  }
};

class OperandsModel final : public CellModel {
public:
  OperandsModel(std::vector<Part> parts, ColourTheme theme) : CellModel(theme), parts_(std::move(parts)) {
    for (const Part &part : parts_) {
      rows_ = std::max(rows_, part.row + part.rows());
      columns_ = std::max(columns_, part.column + part.columns());
    }
  }
  int64_t rows() const override { return rows_; }
  int64_t columns() const override { return columns_; }

  Cell cell(int64_t row, int64_t column) const override {
    const Part *part = at(row, column);
    if (!part)
      return {};
    CellAt inside = part->inside(row, column);
    Cell cell = part->model->cell(inside.row, inside.column);
    // A unit is a run along a row of the operand. It is vertical if the operand is transposed in the picture.
    int64_t number = part - parts_.data();
    constexpr int32_t kUnits = 1 << 24, kZones = 1 << 16;
    cell.unit = cell.unit < 0 || part->operand.turned
                    ? static_cast<int32_t>(part->firstElement + inside.row * part->model->columns() + inside.column)
                    : static_cast<int32_t>(number * kUnits + cell.unit % kUnits);
    cell.zone = static_cast<int32_t>(number * kZones + cell.zone % kZones);
    if (cell.element >= 0)
      cell.element += part->firstElement;
    return cell;
  }
  void label(int64_t row, int64_t column, std::string &label, std::string &detail) const override {
    if (const Part *part = at(row, column)) {
      CellAt inside = part->inside(row, column);
      part->model->label(inside.row, inside.column, label, detail);
    }
  }
  std::string tooltip(int64_t row, int64_t column) const override {
    const Part *part = at(row, column);
    if (!part)
      return {};
    CellAt inside = part->inside(row, column);
    return text(part->operand.name, ": ", part->model->tooltip(inside.row, inside.column));
  }
  std::string rowTick(int64_t row) const override {
    for (const Part &part : parts_)
      if (row >= part.row && row < part.row + part.rows())
        return text(row - part.row);
    return {};
  }
  std::string columnTick(int64_t column) const override {
    for (const Part &part : parts_)
      if (column >= part.column && column < part.column + part.columns())
        return text(column - part.column);
    return {};
  }
  void linkKeys(int64_t row, int64_t column, std::vector<int32_t> &keys) const override {
    if (const Part *part = at(row, column)) {
      CellAt inside = part->inside(row, column);
      part->model->linkKeys(inside.row, inside.column, keys);
    }
  }
  void linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const override {
    std::vector<int32_t> threads;
    linkKeys(row, column, threads);
    for (const Part &part : parts_)
      for (int32_t thread : threads)
        for (int32_t value = 0; thread < part.map->threads() && value < part.map->values(); ++value)
          if (int32_t element =
                  part.map->elements()[static_cast<size_t>(thread) * static_cast<size_t>(part.map->values()) +
                                       static_cast<size_t>(value)];
              element >= 0)
            elements.push_back(static_cast<int32_t>(part.firstElement + element));
  }
  void cellsOf(int64_t element, std::vector<CellAt> &cells) const override {
    for (const Part &part : parts_) {
      int64_t own = element - part.firstElement;
      if (own < 0 || own >= layouts::elementCount(part.operand.shape))
        continue;
      std::vector<CellAt> inside;
      part.model->cellsOf(own, inside);
      for (CellAt at : inside)
        cells.push_back(part.outside(at));
    }
  }
  bool hasCopies() const override {
    return std::ranges::any_of(parts_, [](const Part &part) { return part.model->hasCopies(); });
  }
  bool isCopy(int64_t row, int64_t column) const override {
    const Part *part = at(row, column);
    CellAt inside = part ? part->inside(row, column) : CellAt{};
    return part && part->model->isCopy(inside.row, inside.column);
  }

private:
  const Part *at(int64_t row, int64_t column) const {
    for (const Part &part : parts_)
      if (part.has(row, column))
        return &part;
    return nullptr;
  }
  std::vector<Part> parts_;
  int64_t rows_ = 0, columns_ = 0;
};

Result<std::vector<Part>> partsOf(const layouts::OperandSet &set, const LayoutSceneOptions &options) {
  std::vector<Part> out;
  int64_t elements = 0;
  for (const NamedOperand &operand : set.operands) {
    Result<layouts::ElementMap> map = layouts::elementMapOf(operand.layout, operand.shape);
    if (!map)
      return std::unexpected(std::move(map.error()));
    Part part{
        .operand = operand, .map = std::make_shared<const layouts::ElementMap>(*std::move(map)), .model = nullptr};
    part.model = std::make_shared<const ElementModel>(part.map, std::max(operand.bits, 1), options);
    part.firstElement = elements;
    elements += layouts::elementCount(operand.shape);
    out.push_back(std::move(part));
  }
  return out;
}

/// Places the operands. The columns of the picture are, from the left: metadata, scales of A, A, results and all other
/// operands. The rows are, from the top: scales of B, B, and all other operands.
void place(std::vector<Part> &parts) {
  auto rank = [](OperandRole role) {
    constexpr std::pair<OperandRole, int> kRanks[] = {
        {OperandRole::Metadata, 0}, {OperandRole::ScaleA, 1}, {OperandRole::A, 2}};
    const auto *found = std::ranges::find(kRanks, role, &std::pair<OperandRole, int>::first);
    return found == std::end(kRanks) ? 3 : found->second;
  };
  std::ranges::stable_sort(parts, {}, [&](const Part &part) { return rank(part.operand.role); });
  int64_t above = 0;
  for (OperandRole role : {OperandRole::ScaleB, OperandRole::B})
    for (Part &part : parts)
      if (part.operand.role == role) {
        part.row = above;
        above += part.rows() + kGap;
      }
  int64_t left = 0, right = 0; // the width that is in use, and the column at which the results begin
  bool results = false;
  for (Part &part : parts) {
    if (part.operand.role == OperandRole::B || part.operand.role == OperandRole::ScaleB)
      continue;
    part.row = above;
    part.column = left;
    if (part.operand.role == OperandRole::Result && !results) {
      results = true;
      right = left;
    }
    left += part.columns() + kGap;
  }
  for (Part &part : parts)
    if (part.operand.role == OperandRole::B || part.operand.role == OperandRole::ScaleB)
      part.column = results ? right : left;
}

std::string wordsOf(const Part &part) {
  std::string words = text(part.operand.name, " ", layouts::tupleText(part.operand.shape));
  if (!part.operand.type.empty())
    words += text("  ", part.operand.type);
  return words;
}

void addNames(const std::vector<Part> &parts, const CellGridDetail &detail, Scene &scene) {
  double width = scene.grid.cellWidth / static_cast<double>(detail.blockColumns);
  double height = scene.grid.cellHeight / static_cast<double>(detail.blockRows);
  // Operands above each other use the same part of the axis, so that part gets one name for all of them.
  std::map<int64_t, std::pair<int64_t, std::string>> columns, rows; // by begin: the size and the words
  auto add = [](auto &into, int64_t begin, int64_t size, const std::string &words) {
    auto [at, fresh] = into.try_emplace(begin, size, words);
    if (!fresh) {
      at->second.first = std::max(at->second.first, size);
      at->second.second += text(", ", words);
    }
  };
  for (const Part &part : parts) {
    add(columns, part.column, part.columns(), part.operand.name);
    add(rows, part.row, part.rows(), part.operand.name);
  }
  for (const auto &[begin, named] : columns)
    scene.top.groups.push_back(
        {static_cast<double>(begin) * width, static_cast<double>(named.first) * width, named.second, kUnclassed});
  for (const auto &[begin, named] : rows)
    scene.left.groups.push_back(
        {static_cast<double>(begin) * height, static_cast<double>(named.first) * height, named.second, kUnclassed});
}

} // namespace

Result<Scene> operandsScene(const layouts::OperandSet &set, const LayoutSceneOptions &options) {
  if (options.colourBy == ColourBy::Custom || options.colourBy == ColourBy::Bank)
    return error("view-does-not-fit", "the `operands` view has the colours warp, lane, register and vector");
  Result<std::vector<Part>> parts = partsOf(set, options);
  if (!parts)
    return std::unexpected(std::move(parts.error()));
  place(*parts);
  Scene scene;
  std::vector<std::string> names;
  int threads = 0, warps = 0;
  const layouts::ElementMap *widest = nullptr;
  for (const Part &part : *parts) {
    names.push_back(wordsOf(part));
    threads = std::max(threads, part.map->threads());
    if (!widest || part.map->warps() > warps) {
      widest = part.map.get();
      warps = part.map->warps();
    }
  }
  scene.title = text(set.title, "  ", threads, " threads");
  scene.subtitle = joined(names, "   ");
  scene.linkHint = "hover: everything that the same thread holds lights up, in all operands";
  scene.left.title = "row", scene.top.title = "column";
  auto model = std::make_shared<OperandsModel>(*parts, options.theme);
  CellGridDetail detail = buildGrid(model, gridOptions(options), scene);
  addNames(*parts, detail, scene);
  if (options.colourBy == ColourBy::Warp && widest)
    addWarps(scene, *widest, std::vector<bool>(static_cast<size_t>(widest->warps()), true));
  else
    scene.legend.push_back({.fill = {}, .text = text("colour: the ", name(options.colourBy)), .caption = true});
  for (const Part &part : *parts) {
    std::string words = wordsOf(part);
    if (part.operand.turned)
      words += ", drawn turned: a column is one of its rows";
    if (std::string copies = copiesWords(*part.map); !copies.empty())
      words += text("; ", copies);
    scene.notes.push_back(std::move(words));
  }
  scene.notes.insert(scene.notes.end(), set.notes.begin(), set.notes.end());
  applyTheme(scene, options.theme);
  return scene;
}

} // namespace lanescope::viz
