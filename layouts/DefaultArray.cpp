#include "layouts/DefaultArray.h"

#include "layouts/Catalogue.h"
#include "layouts/Reading.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

constexpr int64_t kTmemExampleColumns = 8;
const Shape kForeignExample = {64, 64};

/// The catalogue's entry for `name` ("WGMMA", "TMEM_NATIVE(4)").
const CatalogueEntry *entryOf(const std::optional<std::string> &name) {
  return name ? findLayout(std::string_view(*name).substr(0, name->find('('))) : nullptr;
}

Shape tmemExample(const TMEMLayout &layout) {
  int bits = bitwidth(defaultDtype(layout));
  if (const auto *entry = entryOf(catalogueName(layout)); entry && layout.checkType(entry->example, bits))
    return entry->example;
  Shape shape = layout.tiled().baseTile();
  Shape wider = shape;
  if (int64_t columns = wider.back(); columns > 0 && columns < kTmemExampleColumns)
    wider.back() = (kTmemExampleColumns + columns - 1) / columns * columns;
  return layout.checkType(wider, bits) ? wider : shape;
}

} // namespace

std::optional<Shape> ownShape(const Layout &layout) {
  if (const auto *foreign = std::get_if<Foreign>(&layout))
    return (*foreign)->shape();
  if (const auto *registers = std::get_if<RegisterLayout>(&layout)) {
    if (const auto *strided = std::get_if<WGStridedFragLayout>(registers))
      return strided->shape();
    if (const auto *splat = std::get_if<WGSplatFragLayout>(registers))
      return splat->shape;
  }
  return std::nullopt;
}

std::optional<int> ownBitwidth(const Layout &layout) {
  if (const auto *foreign = std::get_if<Foreign>(&layout))
    return (*foreign)->bitwidth();
  if (const auto *tmem = std::get_if<TMEMLayout>(&layout))
    return static_cast<int>(
        std::clamp<int64_t>(kTmemCellBits / std::max<int64_t>(tmem->packing(), 1), 1, kTmemCellBits));
  return std::nullopt;
}

Shape exampleShape(const Layout &asked, std::optional<Memory> memory) {
  Layout layout = memory ? layoutIn(asked, *memory) : asked;
  std::optional<Shape> sizes = ownShape(layout);
  if (std::optional<Shape> own = memory ? ownShape(layout, *memory) : sizes)
    return *own;
  if (sizes) // the sizes are the numbers of threads and values
    return {elementCount(*sizes)};
  if (std::holds_alternative<Foreign>(layout))
    return kForeignExample;
  if (const auto *tmem = std::get_if<TMEMLayout>(&layout))
    return tmemExample(*tmem);
  const auto &tiled = std::get<TiledLayout>(std::get<RegisterLayout>(layout));
  if (const auto *entry = entryOf(catalogueName(layout)); entry && tiled.registersShape(entry->example))
    return entry->example;
  return tiled.baseTile();
}

Dtype defaultDtype(const Layout &layout) {
  return dtypeOfWidth(ownBitwidth(layout).value_or(kTmemCellBits)).value_or(Dtype::F32);
}

} // namespace lanescope::layouts
