#include "viz/export/Csv.h"

#include "core/profiler/TraceTime.h"
#include "layouts/Placement.h"
#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"

#include <charconv>
#include <map>

namespace lanescope::viz {
namespace {

/// Returns a field with the quotes that RFC 4180 requires.
std::string field(std::string_view raw) {
  std::string value = validUtf8(raw);
  if (value.find_first_of(",\"\n\r") == std::string::npos)
    return value;
  std::string out = "\"";
  for (char c : value)
    out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

/// "row,col" for rank 2, "i0,i1,…" for others.
std::string indexHeader(const layouts::Shape &shape) {
  if (shape.size() == 2)
    return "row,col";
  std::string out;
  for (size_t d = 0; d < shape.size(); ++d)
    out += text(d ? "," : "", "i", d);
  return out.empty() ? "element" : out;
}

void appendNumber(std::string &out, int64_t value) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

void appendIndex(std::string &out, const layouts::Shape &shape, int64_t element) {
  if (shape.empty())
    return appendNumber(out, element);
  int64_t stride = layouts::elementCount(shape);
  for (size_t d = 0; d < shape.size(); ++d) {
    stride /= shape[d];
    if (d)
      out += ',';
    appendNumber(out, element / stride % shape[d]);
  }
}

void append(std::string &out, std::initializer_list<int64_t> values) {
  for (int64_t value : values) {
    out += ',';
    appendNumber(out, value);
  }
  out += '\n';
}

std::string registersCsv(const layouts::ElementMap &map) {
  std::string out = indexHeader(map.shape()) + ",thread,warp,lane,register,position\n";
  int64_t count = layouts::elementCount(map.shape());
  for (int64_t element = 0; element < count; ++element)
    for (int32_t slot : map.slots(element)) {
      layouts::Owner owner = map.ownerOf(slot);
      appendIndex(out, map.shape(), element);
      append(out, {owner.thread, map.warpOf(owner.thread), map.laneOf(owner.thread), owner.reg, owner.position});
    }
  return out;
}

std::string tmemCsv(const layouts::TmemMap &map) {
  std::string out = indexHeader(map.shape()) + ",lane,column,sub\n";
  int64_t count = layouts::elementCount(map.shape());
  for (int64_t element = 0; element < count; ++element)
    for (const layouts::TmemCell &cell : map.cells(element)) {
      appendIndex(out, map.shape(), element);
      append(out, {cell.lane, cell.column, cell.sub});
    }
  return out;
}

std::string smemCsv(const layouts::AddressMap &map) {
  std::string out = indexHeader(map.shape()) + ",byte,line,bank\n";
  int64_t count = layouts::elementCount(map.shape());
  for (int64_t element = 0; element < count; ++element) {
    int64_t byte = map.byte(element);
    appendIndex(out, map.shape(), element);
    append(out, {byte, byte / layouts::kSwizzleLineBytes, layouts::smemBank(byte)});
  }
  return out;
}

std::string traceCsv(const core::Trace &trace) {
  std::string out = "process,thread,name,depth,begin_ns,end_ns\n";
  auto time = [&](double ns) { return core::nanosecondsText(ns, trace.originUs); };
  for (const core::TraceTrack &track : trace.tracks)
    for (const core::TraceSlice &slice : track.slices)
      out += text(field(track.processName), ",", field(track.threadName), ",",
                  slice.name < trace.names.size() ? field(trace.names[slice.name]) : "", ",", slice.depth, ",",
                  time(slice.beginNs), ",", time(slice.endNs), "\n");
  // Operations in flight have no depth.
  std::map<std::pair<int64_t, int64_t>, const core::TraceTrack *> tracks;
  for (const core::TraceTrack &track : trace.tracks)
    tracks[{track.pid, track.tid}] = &track;
  for (const core::TraceFlight &flight : trace.flights) {
    auto track = tracks.find({flight.pid, flight.tid});
    bool known = track != tracks.end();
    out += text(known ? field(track->second->processName) : "", ",", known ? field(track->second->threadName) : "", ",",
                flight.name < trace.names.size() ? field(trace.names[flight.name]) : "", ",,", time(flight.beginNs),
                ",", time(flight.endNs), "\n");
  }
  return out;
}

std::string matrixCsv(const MatrixSubject &matrix) {
  std::string out = "bit";
  for (const std::string &column : matrix.columns)
    out += "," + field(column);
  out += '\n';
  for (size_t r = 0; r < matrix.rows.size(); ++r) {
    out += field(matrix.rows[r]);
    for (size_t c = 0; c < matrix.columns.size(); ++c)
      out += matrix.entries[r * matrix.columns.size() + c] ? ",1" : ",0";
    out += '\n';
  }
  return out;
}

std::string tmemArraysCsv(const TmemArraysSubject &memory) {
  std::string out = "array,shape,dtype,layout,column,columns,collective\n";
  for (const layouts::TmemArray &array : memory.arrays)
    out += text(field(array.name), ",", field(layouts::tupleText(array.shape)), ",", layouts::name(array.dtype), ",",
                field(layouts::jaxText(array.layout)), ",", array.column, ",", layouts::columnsOf(array).value_or(0),
                ",", array.collective, "\n");
  return out;
}

/// Writes the first owner on each side. The CSV of the maps themselves has the copies.
std::string movesCsv(const MoveSubject &moves) {
  const layouts::Shape &shape = moves.from->shape();
  std::string out = indexHeader(shape) + ",move,from_thread,from_value,to_thread,to_value\n";
  int64_t count = layouts::elementCount(shape);
  for (int64_t element = 0; element < count; ++element) {
    appendIndex(out, shape, element);
    out += "," + field(layouts::name(moves.diff->moves[static_cast<size_t>(element)]));
    for (const auto &map : {moves.from, moves.to}) {
      std::span<const int32_t> slots = map->slots(element);
      out += slots.empty() ? ",," : text(",", slots[0] / map->values(), ",", slots[0] % map->values());
    }
    out += '\n';
  }
  return out;
}

/// Writes a line for each element of the whole array and for each device and thread that holds it.
std::string devicesCsv(const DevicesSubject &devices) {
  const layouts::ElementMap &map = *devices.map;
  const layouts::Shape &part = map.shape();
  std::string out = indexHeader(part) + ",device,thread,warp,lane,register,position\n";
  for (int64_t device = 0; device < devices.split.devices(); ++device)
    for (int64_t element = 0; element < layouts::elementCount(part); ++element)
      for (int32_t slot : map.slots(element)) {
        layouts::Owner owner = map.ownerOf(slot);
        layouts::Shape at = layouts::unravelIndex(element, part);
        for (size_t d = 0; d < at.size(); ++d) {
          int64_t place = d < devices.split.along.size() ? devices.split.place(device, devices.split.along[d]) : 0;
          out += d ? "," : "";
          appendNumber(out, place * part[d] + at[d]);
        }
        append(out,
               {device, owner.thread, map.warpOf(owner.thread), map.laneOf(owner.thread), owner.reg, owner.position});
      }
  return out;
}

} // namespace

Result<std::string> toCsv(const Scene &scene) {
  if (const auto *registers = std::get_if<RegisterSubject>(&scene.subject)) {
    if (registers->map)
      return registersCsv(*registers->map);
    Result<layouts::ElementMap> map = layouts::elementMapOf(registers->layout, registers->shape);
    if (!map)
      return std::unexpected(std::move(map.error()));
    return registersCsv(*map);
  }
  if (const auto *tmem = std::get_if<TmemSubject>(&scene.subject))
    return tmemCsv(*tmem->map);
  if (const auto *smem = std::get_if<SmemSubject>(&scene.subject))
    return smemCsv(*smem->map);
  if (const auto *trace = std::get_if<TraceSubject>(&scene.subject))
    return traceCsv(*trace->trace);
  if (const auto *matrix = std::get_if<MatrixSubject>(&scene.subject))
    return matrixCsv(*matrix);
  if (const auto *moves = std::get_if<MoveSubject>(&scene.subject))
    return movesCsv(*moves);
  if (const auto *memory = std::get_if<TmemArraysSubject>(&scene.subject))
    return tmemArraysCsv(*memory);
  if (const auto *devices = std::get_if<DevicesSubject>(&scene.subject))
    return devicesCsv(*devices);
  return error("no-subject", "the picture is of nothing that has a CSV form");
}

} // namespace lanescope::viz
