// The numbers of an array as a picture. Each element has a cell, whose colour depends on the number. An image shows its
// own colours.
//
//   auto numbers = *arrayNumbers(array);             // its least, greatest and mean: one pass, kept
//   Scene scene = *arrayScene(numbers, {.slice = {2}});
//   scene.raster->describe(3, 5)   ->  "(2, 3, 5) = 0.25"
//
// Zero is pale. The further a number is from zero, the stronger its colour: blue above, orange below. NaN and infinity
// are red.
#pragma once

#include "core/data/Array.h"
#include "viz/scene/Scene.h"

#include <memory>

namespace lanescope::viz {

/// An array with the statistics that determine its colours.
struct ArrayNumbers {
  core::Array array;
  bool image = false;                       // u8 [rows, columns, 3 or 4]: pixels as red, green, blue and opacity
  double least = 0, greatest = 0, mean = 0; // over the finite elements
  int64_t odd = 0;                          // elements that are NaN or infinite
};
using ArrayNumbersRef = std::shared_ptr<const ArrayNumbers>;

/// Errors: "array-picture" for an image of another shape or type, or for more elements than a picture can number
/// (2^31).
Result<ArrayNumbersRef> arrayNumbers(core::Array array, bool image = false);

struct ArraySceneOptions {
  layouts::Shape slice = {}; // indices of the leading dimensions that are fixed, as in other pictures
  ColourTheme theme = ColourTheme::Light;
};
/// Errors: "array-picture" for an empty array, or a slice outside the array.
Result<Scene> arrayScene(const ArrayNumbersRef &numbers, const ArraySceneOptions &options = {});

/// "0.25", "-3", "nan".
std::string elementText(const core::Array &array, int64_t index);
/// "f32[64, 128]: 8192 elements, least -1, greatest 0.98, mean 0.002; 3 are NaN or infinite"
std::string arrayWords(const ArrayNumbers &numbers);

} // namespace lanescope::viz
