#include "viz/scene/ArrayScene.h"

#include "layouts/support/Text.h"
#include "layouts/support/Words.h"
#include "viz/scene/CellRaster.h"
#include "viz/scene/Fold.h"
#include "viz/scene/Palette.h"
#include "viz/scene/RegisterModels.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace lanescope::viz {

namespace {

constexpr int kSteps = 127; // number of colours above zero, and of colours below zero
constexpr Colour kAbove{0, 92, 175}, kBelow{214, 94, 0}, kZero{250, 251, 252};

/// A cell per element.
class NumbersModel : public CellModel {
public:
  NumbersModel(ArrayNumbersRef numbers, const ArraySceneOptions &options)
      : CellModel(options.theme), numbers_(std::move(numbers)), fold_(fold(numbers_->array.shape, options.slice)),
        furthest_(std::max(std::abs(numbers_->least), std::abs(numbers_->greatest))) {
    for (int step = -kSteps; step <= kSteps; ++step) {
      double share = std::abs(step) / double(kSteps);
      colours_.push_back(mix(kZero, step < 0 ? kBelow : kAbove, share));
      packed_.push_back(packedIn(options.theme, colours_.back()));
    }
  }
  int64_t rows() const override { return fold_.rows; }
  int64_t columns() const override { return fold_.columns; }
  Cell cell(int64_t row, int64_t column) const override {
    Cell cell;
    cell.element = fold_.element(row, column);
    if (cell.element < 0)
      return cell;
    std::optional<size_t> at = step(cell.element);
    cell.fill = at ? colours_[*at] : kHighlight;
    cell.unit = static_cast<int32_t>(cell.element);
    return cell;
  }
  void fillRow(int64_t row, int64_t column, int64_t count, uint32_t *out) const override {
    for (int64_t i = 0; i < count; ++i) {
      int64_t element = fold_.element(row, column + i);
      std::optional<size_t> at = element < 0 ? std::nullopt : step(element);
      out[i] = element < 0 ? 0 : at ? packed_[*at] : packedIn(theme(), kHighlight);
    }
  }
  void label(int64_t row, int64_t column, std::string &label, std::string &) const override {
    if (int64_t element = fold_.element(row, column); element >= 0)
      label = elementText(numbers_->array, element);
  }
  std::string tooltip(int64_t row, int64_t column) const override {
    int64_t element = fold_.element(row, column);
    return element < 0 ? std::string()
                       : text("(", joined(layouts::unravelIndex(element, numbers_->array.shape), ", "),
                              ") = ", elementText(numbers_->array, element));
  }
  std::string rowTick(int64_t row) const override { return rowTickText(fold_, row); }
  std::string columnTick(int64_t column) const override { return columnTickText(fold_, column); }
  void linkKeys(int64_t, int64_t, std::vector<int32_t> &) const override {} // numbers have no links
  void linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const override {
    if (int64_t element = fold_.element(row, column); element >= 0)
      elements.push_back(static_cast<int32_t>(element));
  }
  void cellsOf(int64_t element, std::vector<CellAt> &cells) const override {
    if (auto at = fold_.cellOf(element))
      cells.push_back(*at);
  }

private:
  /// The index into colours_. Nothing for a number that is not finite.
  std::optional<size_t> step(int64_t element) const {
    double value = numbers_->array.number(element);
    if (!std::isfinite(value))
      return std::nullopt;
    double share = furthest_ > 0 ? value / furthest_ : 0;
    return static_cast<size_t>(kSteps + std::lround(std::clamp(share, -1.0, 1.0) * kSteps));
  }

  ArrayNumbersRef numbers_;
  Fold fold_;
  double furthest_; // the largest distance from zero
  std::vector<Colour> colours_;
  std::vector<uint32_t> packed_;
};

/// A cell per pixel, with the pixel's own colour in every theme.
class ImageModel : public CellModel {
public:
  explicit ImageModel(ArrayNumbersRef numbers) : CellModel(ColourTheme::Light), numbers_(std::move(numbers)) {}
  int64_t rows() const override { return numbers_->array.shape[0]; }
  int64_t columns() const override { return numbers_->array.shape[1]; }
  Cell cell(int64_t row, int64_t column) const override {
    Cell cell;
    cell.element = row * columns() + column;
    cell.unit = static_cast<int32_t>(cell.element);
    cell.fill = mix(kPaper, pixel(row, column), channels() < 4 ? 1 : channel(row, column, 3) / 255.0);
    return cell;
  }
  void label(int64_t, int64_t, std::string &, std::string &) const override {}
  std::string tooltip(int64_t row, int64_t column) const override {
    std::string out =
        text("row ", row, ", column ", column, ": ", hex(pixel(row, column)), ", red ", int(channel(row, column, 0)),
             ", green ", int(channel(row, column, 1)), ", blue ", int(channel(row, column, 2)));
    return channels() < 4 ? out : text(out, ", opacity ", int(channel(row, column, 3)));
  }
  std::string rowTick(int64_t row) const override { return std::to_string(row); }
  std::string columnTick(int64_t column) const override { return std::to_string(column); }
  void linkKeys(int64_t, int64_t, std::vector<int32_t> &) const override {}
  void linkedElements(int64_t row, int64_t column, std::vector<int32_t> &elements) const override {
    elements.push_back(static_cast<int32_t>(row * columns() + column));
  }
  void cellsOf(int64_t element, std::vector<CellAt> &cells) const override {
    cells.push_back({element / columns(), element % columns()});
  }

private:
  int64_t channels() const { return numbers_->array.shape[2]; }
  uint8_t channel(int64_t row, int64_t column, int64_t c) const {
    return static_cast<uint8_t>(
        numbers_->array.bytes[static_cast<size_t>((row * columns() + column) * channels() + c)]);
  }
  Colour pixel(int64_t row, int64_t column) const {
    return {channel(row, column, 0), channel(row, column, 1), channel(row, column, 2)};
  }
  ArrayNumbersRef numbers_;
};

std::string shortNumber(double value) {
  char out[32];
  std::snprintf(out, sizeof out, "%.4g", value);
  return out;
}

std::string typeText(const core::Array &array) {
  return text(layouts::name(array.dtype), "[", joined(array.shape, ", "), "]");
}

} // namespace

std::string elementText(const core::Array &array, int64_t index) {
  return layouts::isFloat(array.dtype) ? shortNumber(array.number(index)) : std::to_string(array.integer(index));
}

Result<ArrayNumbersRef> arrayNumbers(core::Array array, bool image) {
  if (array.size() > std::numeric_limits<int32_t>::max())
    return error("array-picture", Message("{type} has more elements than a picture can number: 2^31", typeText(array)));
  bool fits =
      array.dtype == layouts::Dtype::U8 && array.shape.size() == 3 && (array.shape[2] == 3 || array.shape[2] == 4);
  if (image && !fits)
    return error("array-picture", Message("an image is u8[rows, columns, 3 or 4], this is {type}", typeText(array)));
  auto out = std::make_shared<ArrayNumbers>();
  out->image = image;
  double sum = 0;
  int64_t count = 0;
  for (int64_t i = 0; i < array.size(); ++i) {
    double value = array.number(i);
    if (!std::isfinite(value)) {
      ++out->odd;
      continue;
    }
    out->least = count == 0 ? value : std::min(out->least, value);
    out->greatest = count == 0 ? value : std::max(out->greatest, value);
    sum += value;
    ++count;
  }
  if (count > 0)
    out->mean = sum / static_cast<double>(count);
  out->array = std::move(array);
  return out;
}

Result<Scene> arrayScene(const ArrayNumbersRef &numbers, const ArraySceneOptions &options) {
  const core::Array &array = numbers->array;
  if (array.size() == 0)
    return error("array-picture", Message("{type} has no elements to draw", typeText(array)));
  if (options.slice.size() > array.shape.size())
    return error("array-picture",
                 Message("a slice of {indices} indices does not fit {type}", options.slice.size(), typeText(array)));
  for (size_t d = 0; d < options.slice.size(); ++d)
    if (options.slice[d] < 0 || options.slice[d] >= array.shape[d])
      return error("array-picture", Message("slice index {index} is not in dimension {dimension} of {type}",
                                            options.slice[d], d, typeText(array)));
  Scene scene;
  scene.title = arrayWords(*numbers);
  if (numbers->image) {
    scene.array = layouts::Shape{array.shape[0], array.shape[1]};
    buildGrid(std::make_shared<ImageModel>(numbers), {.boxes = false, .labels = false}, scene);
    scene.grid.square = true;
    return scene;
  }
  scene.array = array.shape;
  buildGrid(std::make_shared<NumbersModel>(numbers, options), {.boxes = false}, scene);
  double furthest = std::max(std::abs(numbers->least), std::abs(numbers->greatest));
  if (numbers->greatest > 0)
    scene.legend.push_back({.fill = kAbove, .text = shortNumber(furthest)});
  scene.legend.push_back({.fill = kZero, .text = "0"});
  if (numbers->least < 0)
    scene.legend.push_back({.fill = kBelow, .text = shortNumber(-furthest)});
  if (numbers->odd > 0)
    scene.legend.push_back({.fill = kHighlight, .text = "NaN or infinite"});
  applyTheme(scene, options.theme);
  return scene;
}

std::string arrayWords(const ArrayNumbers &numbers) {
  const core::Array &array = numbers.array;
  if (numbers.image)
    return text(array.shape[1], " x ", array.shape[0], " pixels, ", typeText(array));
  std::string out = text(typeText(array), ": ", counted(array.size(), "element"));
  if (array.size() > numbers.odd)
    out += text(", least ", shortNumber(numbers.least), ", greatest ", shortNumber(numbers.greatest), ", mean ",
                shortNumber(numbers.mean));
  if (numbers.odd > 0)
    out += text("; ", numbers.odd, numbers.odd == 1 ? " is" : " are", " NaN or infinite");
  return out;
}

} // namespace lanescope::viz
