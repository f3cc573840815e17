#include "layouts/TmemArray.h"

#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"

namespace lanescope::layouts {

Shape matrixShape(const TmemArray &array) { return {array.shape.end() - 2, array.shape.end()}; }

Result<int64_t> columnsOf(const TmemArray &array) {
  if (array.shape.size() < 2)
    return error("tmem-rank", Message("an array of tensor memory has two dimensions or more, and `{name}` has {shape}",
                                      array.name, tupleText(array.shape)));
  Result<int64_t> columns = array.layout.columnsIn(matrixShape(array), bitwidth(array.dtype));
  if (!columns)
    return columns;
  for (size_t d = 0; d + 2 < array.shape.size(); ++d)
    *columns *= array.shape[d];
  return columns;
}

std::string layoutName(const TmemArray &array) { return catalogueName(array.layout).value_or(jaxText(array.layout)); }

std::string typeText(const TmemArray &array) {
  return text(tupleText(array.shape), " ", name(array.dtype), " in ", layoutName(array));
}

} // namespace lanescope::layouts
