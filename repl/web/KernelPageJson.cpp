#include "repl/web/KernelPageJson.h"

#include "core/data/ParametersJson.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"
#include "viz/gui/debugger/DebuggerWords.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace lanescope::repl {
namespace {

using namespace viz;

using nlohmann::json;

constexpr uint32_t kRowBytes = 32, kShownRows = 64; // the shape of the table of shared memory
constexpr int64_t kShownElements = 8;               // an array's first elements
constexpr size_t kMostRegisters = 2000;

const char *gradeOf(const Diagnostic &finding) {
  return finding.severity == Severity::Error ? "fault" : finding.severity == Severity::Warning ? "hazard" : "note";
}

json placeJson(const Span &span) {
  if (!span.source)
    return {{"file", ""}, {"line", 0}, {"column", 0}};
  LineColumn place = span.source->lineColumn(span.begin);
  return {{"file", span.source->name()}, {"line", place.line}, {"column", place.column}};
}

/// The element with the fewest digits that distinguish it from its neighbours.
std::string elementText(const core::Array &array, int64_t n) {
  char room[64];
  char *end = room + sizeof room;
  auto written = !layouts::isFloat(array.dtype)         ? std::to_chars(room, end, array.integer(n))
                 : layouts::hostBytes(array.dtype) == 8 ? std::to_chars(room, end, array.number(n))
                                                        : std::to_chars(room, end, static_cast<float>(array.number(n)));
  return {room, written.ptr};
}

/// "1, 2, 3, …; from 1 to 640", with the number of NaNs.
std::string rangeWords(const core::Array &array) {
  std::string out;
  for (int64_t n = 0; n < std::min(array.size(), kShownElements); ++n)
    out += text(n ? ", " : "", elementText(array, n));
  out += array.size() > kShownElements ? ", …" : "";
  int64_t least = -1, most = -1, nans = 0;
  for (int64_t n = 0; n < array.size(); ++n) {
    double value = array.number(n);
    if (std::isnan(value)) {
      ++nans;
      continue;
    }
    least = least < 0 || value < array.number(least) ? n : least;
    most = most < 0 || value > array.number(most) ? n : most;
  }
  if (least >= 0)
    out += text("; from ", elementText(array, least), " to ", elementText(array, most));
  return nans ? text(out, "; ", nans, nans == 1 ? " is no number" : " are no numbers") : out;
}

json warpsJson(const DebugPage &page) {
  json out = json::array();
  for (const core::WarpPlace &warp : page.warps) {
    json places = json::array();
    for (const core::CodePlace &place : warp.places)
      places.push_back({{"ptxLine", place.ptxLine},
                        {"line", place.snippetLine},
                        {"opcode", place.opcode},
                        {"lanes", lanesWords(place.lanes)},
                        {"waitsFor", place.waitsFor}});
    out.push_back({{"block", warp.warp.block},
                   {"warp", warp.warp.warp},
                   {"name", warpWords(page, warp.warp)},
                   {"cycle", warp.cycle},
                   {"focus", warp.warp == page.focus},
                   {"places", std::move(places)}});
  }
  return out;
}

json barriersJson(const DebugPage &page) {
  json out = json::array();
  for (const core::BarrierState &barrier : page.barriers) {
    std::vector<std::string> waiting;
    for (core::WarpRef warp : barrier.waiting)
      waiting.push_back(text(warp.warp));
    out.push_back(
        {{"name", barrierName(barrier)},
         {"state", barrierWords(barrier)},
         {"waiting", waiting.empty() ? "" : text(waiting.size() == 1 ? "warp " : "warps ", joined(waiting, ", "))}});
  }
  return out;
}

json flightsJson(const DebugPage &page) {
  json out = json::array();
  for (const core::Flight &flight : page.flights)
    out.push_back({{"what", text(kindWords(flight), " of ", warpWords(page, flight.warp))},
                   {"bytes", flight.bytes},
                   {"way", flight.from.empty() && flight.to.empty() ? "" : text(flight.from, " → ", flight.to)},
                   {"signals", flight.signals},
                   {"landed", flight.landed},
                   {"ptxLine", flight.place.ptxLine},
                   {"line", flight.place.snippetLine}});
  return out;
}

json registersJson(const DebugPage &page) {
  json out = json::array();
  for (const core::RegisterValue &one : page.registers) {
    if (out.size() == kMostRegisters)
      break;
    std::vector<std::string> lanes;
    for (uint64_t value : one.lanes)
      lanes.push_back(one.bits == 1 ? text(value) : hexText(value));
    bool uniform = std::ranges::all_of(one.lanes, [&](uint64_t value) { return value == one.lanes[0]; });
    if (uniform)
      lanes.resize(1);
    out.push_back({{"name", one.name}, {"bits", one.bits}, {"lanes", lanes}});
  }
  return out;
}

json sharedJson(const DebuggerModel &model, uint32_t from) {
  const DebugPage &page = *model.page();
  const core::SharedMemory &shared = page.shared;
  auto bytes = static_cast<uint32_t>(shared.bytes.size());
  uint32_t most = bytes > kRowBytes * kShownRows ? bytes - kRowBytes * kShownRows : 0;
  uint32_t offset = from > shared.address ? std::min((from - shared.address) / kRowBytes * kRowBytes, most) : 0;
  json rows = json::array();
  for (uint32_t row = 0; row < kShownRows && offset < bytes; ++row, offset += kRowBytes) {
    json words = json::array();
    for (uint32_t at = offset; at < std::min(offset + kRowBytes, bytes); at += 4) {
      uint32_t word = 0;
      std::memcpy(&word, shared.bytes.data() + at, std::min<size_t>(sizeof word, bytes - at));
      char digits[9];
      std::snprintf(digits, sizeof digits, "%08x", word);
      const core::SharedWriter *writer = writerOf(shared, shared.address + at);
      words.push_back({{"bits", digits},
                       {"written", writer && !writer->who.empty()},
                       {"flight", flightOver(page, shared.address + at).has_value()}});
    }
    rows.push_back({{"address", shared.address + offset}, {"words", std::move(words)}});
  }
  return {{"address", shared.address}, {"bytes", bytes},
          {"rows", std::move(rows)},   {"rowBytes", kRowBytes},
          {"shownRows", kShownRows},   {"words", model.sharedWord ? sharedWordWords(page, model.sharedWord) : ""}};
}

json waitsJson(const DebugPage &page) {
  json out = json::array();
  for (const core::WaitEdge &edge : page.waits) {
    std::vector<std::string> on;
    for (core::WarpRef warp : edge.on)
      on.push_back(warpWords(page, warp));
    out.push_back({{"from", warpWords(page, edge.from)}, {"what", edge.what}, {"on", joined(on, "; ")}});
  }
  return out;
}

} // namespace

json checkedJson(const Diagnostic &finding, const std::string &schedule, const std::string &kernel,
                 const std::string &allowed) {
  json out = placeJson(finding.span);
  out["grade"] = gradeOf(finding);
  out["rule"] = finding.kind;
  out["message"] = finding.message;
  core::addParameters(out, finding.parameters);
  out["schedule"] = schedule;
  if (!kernel.empty())
    out["kernel"] = kernel;
  if (!allowed.empty())
    out["allowed"] = allowed;
  out["related"] = json::array();
  for (const Note &note : finding.notes) {
    json place = placeJson(note.span);
    place.erase("column");
    place["message"] = note.message;
    out["related"].push_back(std::move(place));
  }
  return out;
}

json outputsJson(const core::Launch &launch, const std::vector<core::Array> &before,
                 const std::vector<core::Array> &after) {
  json out = json::array();
  std::vector<const core::BufferSpec *> buffers = launch.buffers();
  for (size_t n = 0; n < std::min(buffers.size(), after.size()); ++n) {
    const core::Array &array = after[n];
    auto bytes = static_cast<size_t>(layouts::hostBytes(array.dtype));
    int64_t changed = 0;
    for (size_t at = 0; at < array.bytes.size(); at += bytes)
      changed += std::memcmp(array.bytes.data() + at, before[n].bytes.data() + at, bytes) != 0;
    const std::string &name = buffers[n]->name.empty() ? buffers[n]->out : buffers[n]->name;
    out.push_back({{"index", n},
                   {"name", name.empty() ? text("buffer ", n) : name},
                   {"type", text(layouts::name(array.dtype), "[", joined(array.shape, ", "), "]")},
                   {"file", buffers[n]->out},
                   {"changed", changed},
                   {"elements", array.size()},
                   {"words", rangeWords(array)}});
  }
  return out;
}

std::string launchWords(const core::Launch &launch) {
  uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  auto isOne = [](const std::array<uint32_t, 3> &size) { return size == std::array<uint32_t, 3>{1, 1, 1}; };
  return text("grid ", joined(launch.grid, " × "), isOne(launch.cluster) ? "" : ", clusters of ",
              isOne(launch.cluster) ? "" : joined(launch.cluster, " × "), ", ", threads, " threads per block",
              launch.dynamicSmem ? text(", ", launch.dynamicSmem, " bytes of dynamic shared memory") : "",
              launch.devices ? text(", on ", launch.devices, " devices") : "");
}

json debugJson(const DebuggerModel &model, uint32_t sharedFrom) {
  const DebugPage &page = *model.page();
  uint32_t ptxLine = 0, snippetLine = 0;
  for (const core::WarpPlace &warp : page.warps)
    if (warp.warp == page.focus && !warp.places.empty()) {
      ptxLine = warp.places.front().ptxLine;
      snippetLine = warp.places.front().snippetLine;
    }
  json stops = json::array();
  for (const DebugStop &stop : page.stops)
    stops.push_back({{"number", stop.number},
                     {"line", stop.line},
                     {"inSnippet", stop.inSnippet},
                     {"enabled", stop.enabled},
                     {"conditional", stop.conditional},
                     {"words", stop.words}});
  json findings = json::array();
  for (const Diagnostic &finding : page.findings)
    findings.push_back(finding.message);
  json out = {
      {"at", page.stop.moment},
      {"last", page.last},
      {"lastIsEnd", page.lastIsEnd},
      {"stop", stopWords(page)},
      {"moment", momentWords(page)},
      {"faultPlace", faultPlaceWords(page)},
      {"isFault", page.stop.reason == core::StopReason::Fault},
      {"focus", {{"block", page.focus.block}, {"warp", page.focus.warp}, {"name", warpWords(page, page.focus)}}},
      {"block", blockWords(page, page.focus.block)},
      {"ptxLine", ptxLine},
      {"line", snippetLine},
      {"faultLine", model.faultLine()},
      {"warps", warpsJson(page)},
      {"barriers", barriersJson(page)},
      {"flights", flightsJson(page)},
      {"nothingInFlight", nothingInFlight(page)},
      {"stops", std::move(stops)},
      {"stopWords", model.stopWords},
      {"said", page.said},
      {"refused", page.refused},
      {"findings", std::move(findings)}};
  if (model.panel() == DebugPanel::Registers)
    out["registers"] = registersJson(page);
  if (model.panel() == DebugPanel::Shared)
    out["shared"] = sharedJson(model, sharedFrom);
  if (model.panel() == DebugPanel::Waits)
    out["waits"] = waitsJson(page);
  if (model.panel() == DebugPanel::Arrays && model.target())
    out["arrays"] = outputsJson(model.target()->launch, model.target()->arrays, page.arrays);
  return out;
}

} // namespace lanescope::repl
