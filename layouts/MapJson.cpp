#include "layouts/MapJson.h"

#include "layouts/MapCoverage.h"
#include "layouts/support/Text.h"

#include <charconv>

namespace lanescope::layouts {

namespace {

std::string list(const Shape &sizes) { return text("[", joined(sizes, ","), "]"); }

void appendNumber(std::string &out, int64_t number) {
  char digits[24];
  auto [end, problem] = std::to_chars(digits, digits + sizeof digits, number);
  out.append(digits, end);
}

void appendRow(std::string &out, std::span<const int32_t> row) {
  out += '[';
  for (size_t i = 0; i < row.size(); ++i) {
    if (i)
      out += ',';
    if (row[i] < 0)
      out += "null";
    else
      appendNumber(out, row[i]);
  }
  out += ']';
}

void appendRows(std::string &out, std::span<const int32_t> table, size_t rows) {
  size_t width = table.size() / rows;
  out += '[';
  for (size_t row = 0; row < rows; ++row) {
    if (row)
      out += ',';
    appendRow(out, table.subspan(row * width, width));
  }
  out += ']';
}

/// Quotes and escapes a text for JSON. Names of dtypes and layouts are plain ASCII, but a caller's text may not be.
std::string quoted(std::string_view s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

/// A member for the elements that the map does not cover; empty if it covers all.
std::string noteMember(const std::string &note) { return note.empty() ? "" : text(",\"note\":", quoted(note)); }

} // namespace

std::string elementMapJson(const ElementMap &map) {
  std::string out = text("{\"layout\":", quoted(layoutText(map.layout())), ",\"shape\":", list(map.shape()),
                         ",\"threads\":", map.threads(), ",\"registers\":", map.registers(),
                         ",\"vector\":", map.vector(), ",\"replication\":", map.replication());
  if (map.threadsPerWarp() != kLanesPerWarp)
    out += text(",\"threadsPerWarp\":", map.threadsPerWarp());
  out += noteMember(coverageNote(map));
  out += ",\"map\":";
  appendRows(out, map.elements(), static_cast<size_t>(map.threads()));
  return out + '}';
}

std::string tmemMapJson(const TmemMap &map, std::string_view dtypeName) {
  std::string out = text("{\"layout\":", quoted(layoutText(map.layout())), ",\"shape\":", list(map.shape()),
                         ",\"dtype\":", quoted(dtypeName), ",\"lanes\":", map.lanes(), ",\"columns\":", map.columns(),
                         ",\"packing\":", map.packing(), noteMember(coverageNote(map)), ",\"map\":");
  appendRows(out, map.elements(), static_cast<size_t>(map.lanes()));
  return out + '}';
}

std::string smemMapJson(const SmemMap &map) {
  std::string bytes = map.bitwidth() < 8 ? "0.5" : text(map.bitwidth() / 8);
  std::string out = text("{\"bytes\":", bytes, ",\"shape\":", list(map.shape()), ",\"tiling\":", list(map.tiling()),
                         ",\"swizzle\":", map.swizzle() ? text(*map.swizzle()) : "null",
                         ",\"transpose\":", map.transpose() ? "true" : "false", ",\"image\":");
  appendRow(out, map.image());
  return out + '}';
}

std::string addressMapJson(const AddressMap &map) {
  std::string bytes = map.bitwidth() == 4 ? "0.5" : map.bitwidth() < 8 ? "0.125" : text(map.bitwidth() / 8);
  std::string out = text("{\"layout\":", quoted(map.title()), ",\"bytes\":", bytes, ",\"shape\":", list(map.shape()),
                         ",\"offsets\":");
  appendRow(out, map.offsets());
  out += ",\"image\":";
  appendRow(out, map.image());
  return out + '}';
}

} // namespace lanescope::layouts
