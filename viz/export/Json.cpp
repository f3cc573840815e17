#include "viz/export/Json.h"

#include "layouts/MapJson.h"
#include "layouts/Placement.h"

namespace lanescope::viz {

Result<std::string> toJson(const Scene &scene) {
  if (const auto *registers = std::get_if<RegisterSubject>(&scene.subject)) {
    if (registers->map)
      return layouts::elementMapJson(*registers->map) + "\n";
    Result<layouts::ElementMap> map = layouts::elementMapOf(registers->layout, registers->shape);
    if (!map)
      return std::unexpected(std::move(map.error()));
    return layouts::elementMapJson(*map) + "\n";
  }
  if (const auto *tmem = std::get_if<TmemSubject>(&scene.subject))
    return layouts::tmemMapJson(*tmem->map, layouts::name(tmem->dtype)) + "\n";
  if (const auto *smem = std::get_if<SmemSubject>(&scene.subject))
    return layouts::smemMapJson(smem->map) + "\n";
  if (const auto *trace = std::get_if<TraceSubject>(&scene.subject))
    return core::toChromeJson(*trace->trace) + "\n";
  return error("no-subject", "the picture is of nothing that has a JSON form");
}

} // namespace lanescope::viz
