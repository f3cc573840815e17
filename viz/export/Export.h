// Writes a scene to a file, in the format that the path's suffix names: svg, png, pdf, html, tex, txt, json,
// csv.
#pragma once

#include "viz/scene/Scene.h"

#include <span>
#include <string>
#include <string_view>

namespace lanescope::viz {

/// Errors: an unknown suffix (the message lists the known ones); a format that does not exist for the scene's subject
/// (a trace can be written as CSV, but a scene without a subject cannot be written as JSON); a file that cannot be
/// written.
Result<void> exportScene(const Scene &scene, const std::string &path);
/// Writes several pictures that are linked with each other. Only HTML can hold more than one.
Result<void> exportScenes(std::span<const Scene> scenes, const std::string &path);
Result<std::string> renderScenes(std::span<const Scene> scenes, std::string_view format);
/// One picture as bytes; `format` is a suffix without the dot.
Result<std::string> renderScene(const Scene &scene, std::string_view format);

} // namespace lanescope::viz
