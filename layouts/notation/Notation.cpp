#include "layouts/notation/Notation.h"

#include "layouts/notation/JaxPython.h"
#include "layouts/notation/MlirAttribute.h"
#include "layouts/notation/Scanner.h"

namespace lanescope::layouts {

Result<Layout> parseLayout(const SourceRef &source, Diagnostics *remarks) {
  Scanner in(source);
  if (Result<void> sized = in.checkSize(); !sized)
    return std::unexpected(std::move(sized.error()));
  if (in.atEnd())
    return in.expected("a layout");
  Result<Layout> layout = in.peek() == '#' ? parseMlirAttribute(in, remarks) : parseJaxPython(in, remarks);
  if (layout && !in.atEnd())
    return in.expected("the end of the layout");
  return layout;
}

Result<TMEMLayout> parseTmemLayout(const SourceRef &source, Diagnostics *remarks) {
  Result<Layout> layout = parseLayout(source, remarks);
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  if (const auto *tmem = std::get_if<TMEMLayout>(&*layout))
    return *tmem;
  if (const auto *tiled = std::get_if<TiledLayout>(&std::get<RegisterLayout>(*layout)))
    return TMEMLayout(*tiled);
  return error("layout-kind", Span{source, 0, static_cast<uint32_t>(source->text().size())},
               "tensor memory takes tiled layouts only");
}

Result<Tiling> parseTiling(const SourceRef &source) {
  Scanner in(source);
  if (Result<void> sized = in.checkSize(); !sized)
    return std::unexpected(std::move(sized.error()));
  Result<Tiling> tiling = parseJaxTiling(in);
  if (tiling && !in.atEnd())
    return in.expected("the end of the tiling");
  return tiling;
}

} // namespace lanescope::layouts
