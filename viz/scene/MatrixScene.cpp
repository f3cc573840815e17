#include "viz/scene/MatrixScene.h"

#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"
#include "viz/scene/CellGrid.h"
#include "viz/scene/Palette.h"

#include <algorithm>

namespace lanescope::viz {
namespace {

constexpr size_t kMostBits = 64;
constexpr Colour kZero{250, 251, 252};

/// The name of the group to which a bit belongs: "lane" for "lane 4" and for "lane bit 2".
std::string groupOf(std::string_view name) {
  if (size_t space = name.rfind(' '); space != std::string_view::npos)
    name = name.substr(0, space);
  if (name.ends_with(" bit"))
    name.remove_suffix(4);
  return std::string(name);
}

struct Group {
  std::string name;
  size_t first, count;
};

std::vector<Group> groupsOf(const std::vector<std::string> &names) {
  std::vector<Group> out;
  for (size_t i = 0; i < names.size(); ++i) {
    std::string name = groupOf(names[i]);
    if (out.empty() || out.back().name != name)
      out.push_back({std::move(name), i, 0});
    ++out.back().count;
  }
  return out;
}

int32_t groupNumber(const std::vector<Group> &groups, int64_t index) {
  for (size_t g = 0; g < groups.size(); ++g)
    if (index < static_cast<int64_t>(groups[g].first + groups[g].count))
      return static_cast<int32_t>(g);
  return -1;
}

class MatrixModel : public CellModel {
public:
  MatrixModel(const MatrixSubject &matrix, ColourTheme theme)
      : CellModel(theme), matrix_(matrix), rowGroups_(groupsOf(matrix.rows)), columnGroups_(groupsOf(matrix.columns)) {}
  int64_t rows() const override { return static_cast<int64_t>(matrix_.rows.size()); }
  int64_t columns() const override { return static_cast<int64_t>(matrix_.columns.size()); }
  Cell cell(int64_t row, int64_t column) const override {
    Cell cell;
    cell.element = row * columns() + column;
    int32_t group = groupNumber(columnGroups_, column);
    cell.fill = at(row, column) ? hue(group) : kZero;
    cell.unit = static_cast<int32_t>(cell.element);
    cell.zone = groupNumber(rowGroups_, row) * static_cast<int32_t>(kMostBits) + group;
    return cell;
  }
  void label(int64_t row, int64_t column, std::string &label, std::string &) const override {
    label = at(row, column) ? "1" : "0";
  }
  std::string tooltip(int64_t row, int64_t column) const override {
    std::string flips;
    for (int64_t r = 0; r < rows(); ++r)
      if (at(r, column))
        flips += text(flips.empty() ? "" : ", ", matrix_.rows[static_cast<size_t>(r)]);
    const std::string &input = matrix_.columns[static_cast<size_t>(column)];
    std::string out = flips.empty() ? text(input, " changes nothing: the places that it tells apart hold copies")
                                    : text(input, " flips ", flips);
    std::string inputs;
    int64_t count = 0;
    for (int64_t c = 0; c < columns(); ++c)
      if (at(row, c)) {
        inputs += text(inputs.empty() ? "" : " xor ", matrix_.columns[static_cast<size_t>(c)]);
        ++count;
      }
    return text(out, "; ", matrix_.rows[static_cast<size_t>(row)], count == 0 ? " is always 0" : " = ", inputs);
  }
  std::string rowTick(int64_t row) const override { return lastWord(matrix_.rows[static_cast<size_t>(row)]); }
  std::string columnTick(int64_t column) const override {
    return lastWord(matrix_.columns[static_cast<size_t>(column)]);
  }
  void linkKeys(int64_t, int64_t column, std::vector<int32_t> &keys) const override {
    keys.push_back(static_cast<int32_t>(column));
  }
  void linkedElements(int64_t, int64_t, std::vector<int32_t> &) const override {} // the matrix belongs to no array
  void cellsOf(int64_t, std::vector<CellAt> &) const override {}

  const std::vector<Group> &rowGroups() const { return rowGroups_; }
  const std::vector<Group> &columnGroups() const { return columnGroups_; }

private:
  bool at(int64_t row, int64_t column) const {
    return matrix_.entries[static_cast<size_t>(row * columns() + column)] != 0;
  }
  static std::string lastWord(std::string_view name) {
    size_t space = name.rfind(' ');
    return std::string(space == std::string_view::npos ? name : name.substr(space + 1));
  }

  MatrixSubject matrix_;
  std::vector<Group> rowGroups_, columnGroups_;
};

} // namespace

Result<Scene> f2Scene(const MatrixSubject &given, std::string title, const MatrixSceneOptions &options) {
  if (given.rows.empty() || given.columns.empty())
    return error("empty-matrix", "the layout has no bits to draw: it places a single element");
  if (given.rows.size() > kMostBits || given.columns.size() > kMostBits)
    return error("picture-too-large",
                 Message("a matrix of {count} x {bits} bits is too large to draw: the limit is {limit}",
                         given.rows.size(), given.columns.size(), kMostBits));
  if (given.entries.size() != given.rows.size() * given.columns.size() ||
      std::any_of(given.entries.begin(), given.entries.end(), [](uint8_t bit) { return bit > 1; }))
    return error("bad-matrix", Message("a matrix of {count} x {bits} bits needs that many entries, each 0 or 1",
                                       given.rows.size(), given.columns.size()));
  MatrixSubject matrix = given;
  for (auto *names : {&matrix.rows, &matrix.columns})
    for (std::string &name : *names)
      name = validUtf8(name);
  Scene scene;
  scene.title = validUtf8(title) + "  as a matrix over F2";
  scene.subtitle = "columns: bits of the place; rows: bits of the element's coordinates; a column's 1s are the "
                   "coordinate bits that its place bit flips";
  scene.linkHint = "hover: the column lights up";
  auto model = std::make_shared<MatrixModel>(matrix, options.theme);
  buildGrid(model, {.tooltips = options.tooltips, .minCellWidth = 26}, scene);
  double w = scene.grid.cellWidth, h = scene.grid.cellHeight;
  for (size_t g = 0; g < model->columnGroups().size(); ++g) {
    const Group &group = model->columnGroups()[g];
    scene.top.groups.push_back({static_cast<double>(group.first) * w, static_cast<double>(group.count) * w, group.name,
                                hue(static_cast<int64_t>(g))});
    scene.legend.push_back({.fill = hue(static_cast<int64_t>(g)),
                            .sample = "1",
                            .text = text("this bit of the ", group.name, " flips the row's bit")});
  }
  for (const Group &group : model->rowGroups())
    scene.left.groups.push_back(
        {static_cast<double>(group.first) * h, static_cast<double>(group.count) * h, group.name, kHairline});
  scene.subject = std::move(matrix);
  applyTheme(scene, options.theme);
  return scene;
}

} // namespace lanescope::viz
