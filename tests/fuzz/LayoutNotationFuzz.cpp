// Any bytes as a layout or a tiling give an error with a place, or a canonical layout whose printed forms read back to
// itself and whose maps agree in both directions. Layouts of every language: their text reads back to the same map, and
// so does their text in the other languages.

#include "layouts/Catalogue.h"
#include "layouts/ElementMap.h"
#include "layouts/Equal.h"
#include "layouts/Explain.h"
#include "layouts/notation/Notation.h"
#include "layouts/TmemMap.h"

#include <cstdlib>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

void require(bool holds) {
  if (!holds)
    std::abort();
}

void checkErrors(const Diagnostics &errors) {
  require(!errors.empty() && hasErrors(errors));
  for (const Diagnostic &diagnostic : errors)
    require(diagnostic.span.source && diagnostic.span.begin <= diagnostic.span.end && !diagnostic.message.empty());
  render(errors);
}

void checkMap(const RegisterLayout &layout, const Shape &shape) {
  constexpr int64_t kSmall = 1 << 14;
  Result<int64_t> count = checkedElementCount(shape);
  if (!count || *count > kSmall)
    return;
  Result<ElementMap> map = ElementMap::of(layout, shape);
  if (!map)
    return;
  for (int64_t element = 0; element < *count; ++element)
    for (int32_t slot : map->slots(element))
      require(map->elements()[static_cast<size_t>(slot)] == element);
}

/// The layout that was read back puts every element in the same place, in each memory. So does its text in every other
/// language, which notation() checks itself.
void checkForeign(const Layout &layout, const Layout &again) {
  const auto &foreign = std::get<Foreign>(layout);
  std::optional<Shape> shape = foreign->shape();
  if (!shape)
    return;
  constexpr int64_t kSmall = 1 << 10;
  Result<int64_t> count = checkedElementCount(*shape);
  if (!count || *count < 1 || *count > kSmall)
    return;
  int bits = foreign->bitwidth().value_or(16);
  for (Memory memory : foreign->memories()) {
    Result<Placement> left = placement(layout, *shape, bits, memory), right = placement(again, *shape, bits, memory);
    require(left.has_value() == right.has_value());
    if (!left)
      continue;
    Result<EqualResult> same = equal(*left, *right);
    require(same && same->exact);
    for (const char *language : {"jax", "mlir", "cute", "cute-dsl", "cute-type", "triton", "linear", "tilus", "tirx"})
      (void)notation(layout, language, *shape, bits, memory);
    (void)explain(layout, *shape, bits, Shape(shape->size(), 0), memory);
  }
}

void checkLayout(const Layout &layout) {
  Result<Layout> again = parseLayout(Source::make("printed", layoutText(layout)));
  require(again && *again == layout);
  if (std::holds_alternative<Foreign>(layout)) {
    checkForeign(layout, *again);
    return;
  }
  const auto *inTmem = std::get_if<TMEMLayout>(&layout);
  SourceRef mlir = Source::make("mlir", inTmem ? mlirText(*inTmem) : mlirText(std::get<RegisterLayout>(layout)));
  if (const auto *tmem = std::get_if<TMEMLayout>(&layout)) {
    Result<TMEMLayout> read = parseTmemLayout(mlir);
    require(read && *read == *tmem);
    catalogueName(*tmem);
    if (Result<int64_t> count = checkedElementCount(tmem->tiled().baseTile()); count && *count < (1 << 14))
      for (int bits : {8, 16, 32})
        if (TmemMap::of(*tmem, tmem->tiled().baseTile(), bits))
          break;
    return;
  }
  const auto &registers = std::get<RegisterLayout>(layout);
  Result<Layout> read = parseLayout(mlir);
  require(read && *read == layout);
  catalogueName(registers);
  if (const auto *tiled = std::get_if<TiledLayout>(&registers)) {
    require(tiled->canonicalize() == *tiled);
    for (int64_t axis = -1; axis < 3; ++axis)
      (void)tiled->reduce({axis});
    checkMap(registers, tiled->baseTile());
  } else if (const auto *strided = std::get_if<WGStridedFragLayout>(&registers)) {
    checkMap(registers, strided->shape());
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SourceRef source = Source::make("fuzz", std::string(reinterpret_cast<const char *>(data), size));
  Diagnostics remarks;
  if (Result<Layout> layout = parseLayout(source, &remarks))
    checkLayout(*layout);
  else
    checkErrors(layout.error());
  if (Result<Tiling> tiling = parseTiling(source)) {
    Result<Tiling> again = parseTiling(Source::make("again", tiling->str()));
    require(again && *again == *tiling);
    tiling->canonicalize();
  } else {
    checkErrors(tiling.error());
  }
  return 0;
}
