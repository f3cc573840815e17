#include "repl/session/Examples.h"

#include "layouts/Catalogue.h"
#include "repl/lang/layouts/LayoutArguments.h"

namespace lanescope::repl {
namespace {

using layouts::Dtype;
using layouts::Shape;

constexpr int64_t kTmemExampleColumns = 8;
const Shape kForeignExample = {64, 64}; // of a layout whose text names no shape

/// The example of the catalogue's entry that `name` ("WGMMA", "TMEM_NATIVE(4)") belongs to.
const layouts::CatalogueEntry *entryOf(const std::optional<std::string> &name) {
  return name ? layouts::findLayout(std::string_view(*name).substr(0, name->find('('))) : nullptr;
}

bool applies(const layouts::RegisterLayout &layout, const Shape &shape) {
  const auto *tiled = std::get_if<layouts::TiledLayout>(&layout);
  return tiled && tiled->registersShape(shape).has_value();
}

} // namespace

Dtype exampleDtype(const layouts::Layout &layout) {
  if (const auto *foreign = std::get_if<layouts::Foreign>(&layout))
    if (std::optional<int> bits = (*foreign)->bitwidth()) // a type's text says it
      return dtypeOfWidth(*bits);
  const auto *tmem = std::get_if<layouts::TMEMLayout>(&layout);
  switch (tmem ? tmem->packing() : 1) {
  case 2: return Dtype::F16;
  case 4: return Dtype::I8;
  case 8: return Dtype::I4;
  case 32: return Dtype::I1;
  default: return Dtype::F32;
  }
}

Shape exampleShape(const layouts::Layout &layout) {
  if (const auto *tmem = std::get_if<layouts::TMEMLayout>(&layout)) {
    int bits = layouts::bitwidth(exampleDtype(layout));
    if (const auto *entry = entryOf(layouts::catalogueName(*tmem)); entry && tmem->checkType(entry->example, bits))
      return entry->example;
    Shape shape = tmem->tiled().baseTile();
    Shape wider = shape;
    if (int64_t columns = wider.back(); columns > 0 && columns < kTmemExampleColumns)
      wider.back() = (kTmemExampleColumns + columns - 1) / columns * columns;
    return tmem->checkType(wider, bits) ? wider : shape;
  }
  if (const auto *foreign = std::get_if<layouts::Foreign>(&layout))
    return (*foreign)->shape().value_or(kForeignExample);
  const auto &registers = std::get<layouts::RegisterLayout>(layout);
  if (const auto *strided = std::get_if<layouts::WGStridedFragLayout>(&registers))
    return strided->shape();
  if (const auto *splat = std::get_if<layouts::WGSplatFragLayout>(&registers))
    return splat->shape;
  if (const auto *entry = entryOf(layouts::catalogueName(registers)); entry && applies(registers, entry->example))
    return entry->example;
  return std::get<layouts::TiledLayout>(registers).baseTile();
}

} // namespace lanescope::repl
