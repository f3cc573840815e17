// Reads the text around a Mosaic attribute on its line: the array types of the operation, and the list that contains
// the attribute. Private to notation/.
#pragma once

#include "layouts/Shape.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::layouts {

/// A type of an operation: `vector<128x64xf32>`, or a reference to tensor or shared memory.
struct ArrayType {
  size_t begin; // column on the line
  Shape shape;
  int bitwidth;
  bool tmem;
  bool smem;
};
/// The arrays of a line, in order; at most 65.
std::vector<ArrayType> arrayTypes(std::string_view line);

/// The key and the index of an attribute in `in_layouts = [a, b]`; the key is empty if it is in no list.
struct ListPlace {
  std::string key;
  size_t index = 0;
};
ListPlace placeInList(std::string_view line, size_t attribute);

} // namespace lanescope::layouts
