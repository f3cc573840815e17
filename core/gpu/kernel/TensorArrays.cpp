#include "core/gpu/kernel/TensorArrays.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core {

int32_t arrayAt(std::span<const TensorArray> arrays, int64_t column, int64_t columns, uint32_t line) {
  int32_t found = -1;
  for (size_t i = 0; i < arrays.size(); ++i) {
    auto all = layouts::columnsOf(arrays[i].array);
    int64_t first = arrays[i].array.column;
    if (!all || column < first || column + columns > first + *all)
      continue;
    if (std::ranges::binary_search(arrays[i].writtenAt, line))
      return static_cast<int32_t>(i);
    if (found < 0)
      found = static_cast<int32_t>(i);
  }
  return found;
}

std::string partName(const layouts::TmemArray &array, int64_t column, int64_t columns) {
  layouts::Shape leading(array.shape.begin(), array.shape.end() - 2);
  auto all = layouts::columnsOf(array);
  if (leading.empty() || !all)
    return array.name;
  int64_t each = *all / layouts::elementCount(leading), first = (column - array.column) / each;
  if ((column + columns - 1 - array.column) / each != first)
    return array.name;
  return text(array.name, "[", joined(layouts::unravelIndex(first, leading), ", "), "]");
}

} // namespace lanescope::core
