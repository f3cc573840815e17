#include "viz/export/Export.h"

#include "layouts/support/Text.h"
#include "viz/export/Csv.h"
#include "viz/export/SceneJson.h"
#include "viz/export/Svg.h"
#include "viz/export/TerminalText.h"
#include "viz/export/Tikz.h"

#ifndef __wasi__ // a browser's module has no files, no Cairo and no zlib
#include "core/data/Files.h"
#include "viz/export/Html.h"
#include "viz/export/Pdf.h"
#include "viz/export/Png.h"
#endif

#include <limits>

namespace lanescope::viz {
namespace {

Result<std::string> textFile(const Scene &scene) {
  constexpr int kAll = std::numeric_limits<int>::max();
  return terminalText(scene, {.width = kAll, .maxRows = kAll, .barWidth = 160});
}
Result<std::string> svgFile(const Scene &scene) { return toSvg(scene); }
#ifndef __wasi__
Result<std::string> htmlFile(const Scene &scene) { return toHtml(scene); }
Result<std::string> pngFile(const Scene &scene) { return toPng(scene); }
#endif

struct Format {
  std::string_view suffix;
  Result<std::string> (*render)(const Scene &);
};
constexpr Format kFormats[] = {{"svg", svgFile},
#ifndef __wasi__
                               {"png", pngFile},  {"pdf", toPdf},  {"html", htmlFile},
#endif
                               {"txt", textFile}, {"tex", toTikz}, {"json", toJson},   {"csv", toCsv}};

} // namespace

Result<std::string> renderScene(const Scene &scene, std::string_view format) {
  std::string known;
  for (const Format &f : kFormats) {
    if (f.suffix == format)
      return f.render(scene);
    known += text(known.empty() ? "`" : ", `", f.suffix, "`");
  }
  return error("unknown-format", Message("there is no picture format `{}`; there are {}", format, known));
}

#ifndef __wasi__
Result<std::string> renderScenes(std::span<const Scene> scenes, std::string_view format) {
  if (scenes.size() == 1)
    return renderScene(scenes[0], format);
  if (format != "html")
    return error("several-pictures",
                 Message("a {} file holds one picture, and there are {count}; write HTML", format, scenes.size()));
  return toHtml(scenes);
}

Result<void> exportScene(const Scene &scene, const std::string &path) { return exportScenes({&scene, 1}, path); }

Result<void> exportScenes(std::span<const Scene> scenes, const std::string &path) {
  size_t dot = path.rfind('.'), slash = path.rfind('/');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash))
    return error("unknown-format",
                 Message("the file name `{}` has no suffix to tell the format by; try `{}.svg`", path, path));
  Result<std::string> bytes = renderScenes(scenes, std::string_view(path).substr(dot + 1));
  if (!bytes)
    return std::unexpected(bytes.error());
  return core::writeFile(path, *bytes);
}
#endif

} // namespace lanescope::viz
