// Arrays and images as pictures: the words and colours of each cell.
#include "viz/scene/ArrayScene.h"
#include "viz/export/Png.h"
#include "viz/export/ReadPng.h"
#include "viz/scene/CellRaster.h"
#include "viz/scene/Palette.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lanescope::viz {
namespace {

core::Array counted(layouts::Dtype dtype, layouts::Shape shape, double first) {
  core::Array array = core::Array::zeros(dtype, std::move(shape));
  for (int64_t i = 0; i < array.size(); ++i)
    array.setNumber(i, first + double(i));
  return array;
}

TEST(ArrayScene, EachCellIsItsNumber) {
  auto numbers = *arrayNumbers(counted(layouts::Dtype::F32, {3, 4}, -4));
  EXPECT_EQ(numbers->least, -4);
  EXPECT_EQ(numbers->greatest, 7);
  EXPECT_EQ(numbers->mean, 1.5);
  auto scene = arrayScene(numbers);
  ASSERT_TRUE(scene);
  const CellRaster &raster = *scene->raster;
  EXPECT_EQ(raster.rows(), 3);
  EXPECT_EQ(raster.columns(), 4);
  EXPECT_EQ(raster.describe(2, 3), "(2, 3) = 7");
  std::string label, detail;
  raster.label(0, 0, label, detail);
  EXPECT_EQ(label, "-4");
  // Zero is pale, positive values are blue and negative ones orange, stronger with their magnitude.
  Colour zero = raster.cell(1, 0).fill, far = raster.cell(2, 3).fill, near = raster.cell(1, 1).fill;
  EXPECT_EQ(zero, (Colour{250, 251, 252}));
  EXPECT_GT(far.b, far.r);
  EXPECT_LT(far.r, near.r);
  EXPECT_GT(raster.cell(0, 0).fill.r, raster.cell(0, 0).fill.b);
  EXPECT_EQ(arrayWords(*numbers), "f32[3, 4]: 12 elements, least -4, greatest 7, mean 1.5");
}

TEST(ArrayScene, RowsAreFilledAsTheirCells) {
  for (ColourTheme theme : {ColourTheme::Light, ColourTheme::Dark}) {
    core::Array array = counted(layouts::Dtype::F16, {5, 7}, -9);
    array.setNumber(3, std::numeric_limits<double>::quiet_NaN());
    auto scene = arrayScene(*arrayNumbers(std::move(array)), {.theme = theme});
    ASSERT_TRUE(scene);
    std::vector<uint32_t> row(7);
    for (int64_t r = 0; r < 5; ++r) {
      scene->raster->fill(0, r, 0, 1, 7, row.data(), 7);
      for (int64_t c = 0; c < 7; ++c)
        EXPECT_EQ(row[size_t(c)], packedIn(theme, scene->raster->cell(r, c).fill)) << r << " " << c;
    }
  }
}

TEST(ArrayScene, WhatIsNoNumberIsToldApart) {
  core::Array array = counted(layouts::Dtype::F32, {2, 2}, 0);
  array.setNumber(1, std::numeric_limits<double>::quiet_NaN());
  array.setNumber(2, std::numeric_limits<double>::infinity());
  auto numbers = *arrayNumbers(array);
  EXPECT_EQ(numbers->odd, 2);
  EXPECT_EQ(numbers->greatest, 3);
  EXPECT_NE(arrayWords(*numbers).find("2 are NaN or infinite"), std::string::npos);
  auto scene = arrayScene(numbers);
  EXPECT_EQ(scene->raster->cell(0, 1).fill, kHighlight);
  EXPECT_EQ(scene->legend.back().text, "NaN or infinite");
}

TEST(ArrayScene, SlicesOfHigherRanks) {
  auto numbers = *arrayNumbers(counted(layouts::Dtype::I32, {4, 2, 3}, 0));
  auto scene = arrayScene(numbers, {.slice = {2}});
  ASSERT_TRUE(scene);
  EXPECT_EQ(scene->raster->rows(), 2);
  EXPECT_EQ(scene->raster->describe(1, 2), "(2, 1, 2) = 17");
  EXPECT_EQ(arrayScene(numbers, {.slice = {4}}).error()[0].kind, "array-picture");
  EXPECT_EQ(arrayScene(numbers, {.slice = {0, 0, 0, 0}}).error()[0].kind, "array-picture");
  EXPECT_EQ(arrayScene(*arrayNumbers(core::Array::zeros(layouts::Dtype::F32, {0, 4}))).error()[0].kind,
            "array-picture");
}

TEST(ArrayScene, ImagesKeepTheirColours) {
  core::Array image = core::Array::zeros(layouts::Dtype::U8, {2, 2, 4});
  const int kRed[] = {200, 10, 20, 255};
  for (int c = 0; c < 4; ++c)
    image.setInteger(c, kRed[c]);
  auto scene = arrayScene(*arrayNumbers(image, true), {.theme = ColourTheme::Dark});
  ASSERT_TRUE(scene);
  EXPECT_TRUE(scene->grid.square);
  uint32_t pixel = 0;
  scene->raster->fill(0, 0, 0, 1, 1, &pixel, 1);
  EXPECT_EQ(pixel, 0xFF140AC8u); // in every theme
  EXPECT_EQ(scene->raster->describe(0, 0), "row 0, column 0: #c80a14, red 200, green 10, blue 20, opacity 255");
  EXPECT_EQ(arrayNumbers(core::Array::zeros(layouts::Dtype::F32, {2, 2, 4}), true).error()[0].kind, "array-picture");
}

TEST(ReadPng, IsWhatWasWritten) {
  Scene scene;
  scene.title = "a title";
  scene.body.width = 40, scene.body.height = 20;
  scene.body.boxes.push_back({.rect = {0, 0, 40, 20}, .fill = {10, 200, 30}});
  std::string png = *toPng(scene, 1);
  auto image = readPng(png, "a.png");
  ASSERT_TRUE(image) << render(image.error());
  ASSERT_EQ(image->shape.size(), 3u);
  EXPECT_EQ(image->shape[2], 3);
  int64_t green = 0;
  for (int64_t i = 0; i < image->size(); i += 3)
    green += image->integer(i) == 10 && image->integer(i + 1) == 200 && image->integer(i + 2) == 30;
  EXPECT_GE(green, 40 * 20 - 2 * (40 + 20)); // the edges may be blended
  for (size_t length : {size_t(0), size_t(7), png.size() / 2})
    EXPECT_EQ(readPng(std::string_view(png).substr(0, length), "a.png").error()[0].kind, "png") << length;
  EXPECT_EQ(readPng("not at all", "b.png").error()[0].kind, "png");
}

} // namespace
} // namespace lanescope::viz
