#include "viz/export/SceneJson.h"

#include "layouts/MapJson.h"
#include "layouts/Placement.h"
#include "layouts/support/Utf8.h"

#include <nlohmann/json.hpp>

namespace lanescope::viz {
namespace {

std::string line(const nlohmann::json &value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

struct ToJson {
  Result<std::string> operator()(std::monostate) const {
    return error("no-subject", "the picture is of nothing that has a JSON form");
  }
  Result<std::string> operator()(const RegisterSubject &registers) const {
    if (registers.map)
      return layouts::elementMapJson(*registers.map) + "\n";
    Result<layouts::ElementMap> map = layouts::elementMapOf(registers.layout, registers.shape);
    if (!map)
      return std::unexpected(std::move(map.error()));
    return layouts::elementMapJson(*map) + "\n";
  }
  Result<std::string> operator()(const TmemSubject &tmem) const {
    return layouts::tmemMapJson(*tmem.map, layouts::name(tmem.dtype)) + "\n";
  }
  Result<std::string> operator()(const SmemSubject &smem) const {
    if (smem.tiled)
      return layouts::smemMapJson(*smem.tiled) + "\n";
    nlohmann::json image = nlohmann::json::array();
    for (int32_t element : smem.map->image())
      image.push_back(element < 0 ? nlohmann::json() : nlohmann::json(element));
    return line({{"layout", validUtf8(smem.map->title())},
                 {"shape", smem.map->shape()},
                 {"dtype", layouts::name(smem.dtype)},
                 {"bytes", smem.map->bytes()},
                 {"image", std::move(image)}});
  }
  Result<std::string> operator()(const TmemArraysSubject &memory) const {
    nlohmann::json arrays = nlohmann::json::array();
    for (const layouts::TmemArray &array : memory.arrays)
      arrays.push_back({{"name", validUtf8(array.name)},
                        {"layout", layouts::jaxText(array.layout)},
                        {"shape", array.shape},
                        {"dtype", layouts::name(array.dtype)},
                        {"column", array.column},
                        {"columns", layouts::columnsOf(array).value_or(0)},
                        {"collective", array.collective}});
    return line({{"lanes", layouts::kTmemLanes}, {"arrays", std::move(arrays)}});
  }
  Result<std::string> operator()(const DevicesSubject &devices) const {
    nlohmann::json mesh = nlohmann::json::array();
    for (size_t i = 0; i < devices.split.names.size(); ++i)
      mesh.push_back({validUtf8(devices.split.names[i]), devices.split.sizes[i]});
    return line({{"mesh", std::move(mesh)},
                 {"sharding", devices.split.along},
                 {"part", nlohmann::json::parse(layouts::elementMapJson(*devices.map))}});
  }
  Result<std::string> operator()(const TraceSubject &trace) const { return core::toChromeJson(*trace.trace) + "\n"; }
  Result<std::string> operator()(const MatrixSubject &matrix) const {
    nlohmann::json rows = nlohmann::json::array();
    for (size_t r = 0; r < matrix.rows.size(); ++r) {
      auto begin = matrix.entries.begin() + static_cast<std::ptrdiff_t>(r * matrix.columns.size());
      rows.push_back(std::vector<int>(begin, begin + static_cast<std::ptrdiff_t>(matrix.columns.size())));
    }
    return line({{"rows", matrix.rows}, {"columns", matrix.columns}, {"bits", std::move(rows)}});
  }
  Result<std::string> operator()(const MoveSubject &moves) const {
    nlohmann::json names = nlohmann::json::array(), classes = nlohmann::json::array();
    for (int i = 0; i < layouts::kMoves; ++i)
      names.push_back(layouts::name(static_cast<layouts::Move>(i)));
    for (layouts::Move move : moves.diff->moves)
      classes.push_back(static_cast<int>(move));
    return line({{"from", layouts::layoutText(moves.from->layout())},
                 {"to", layouts::layoutText(moves.to->layout())},
                 {"shape", moves.from->shape()},
                 {"classes", std::move(names)},
                 {"moves", std::move(classes)}});
  }
};

} // namespace

Result<std::string> toJson(const Scene &scene) { return std::visit(ToJson{}, scene.subject); }

} // namespace lanescope::viz
