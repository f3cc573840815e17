#include "viz/gui/debugger/DebuggerMemoryWords.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

namespace lanescope::viz {

namespace {

std::string wordWords(uint32_t word) {
  char out[80];
  std::snprintf(out, sizeof out, "0x%08x, as f32 %g, as i32 %d", word, static_cast<double>(std::bit_cast<float>(word)),
                static_cast<int>(word));
  return out;
}

std::string indexed(const std::string &name, const layouts::Shape &shape, int64_t element) {
  std::vector<int64_t> at(shape.size());
  for (size_t d = shape.size(); d-- > 0; element /= shape[d])
    at[d] = element % shape[d];
  return text(name, "[", joined(at, ", "), "]");
}

} // namespace

const core::SharedWriter *writerOf(const core::SharedMemory &shared, uint32_t address) {
  auto after = std::ranges::upper_bound(shared.writers, address, {}, &core::SharedWriter::address);
  if (after == shared.writers.begin())
    return nullptr;
  const core::SharedWriter &writer = *std::prev(after);
  return address < writer.address + writer.bytes ? &writer : nullptr;
}

std::optional<uint32_t> flightOver(const DebugPage &page, uint32_t address) {
  for (uint32_t number : page.shared.flights) {
    if (number >= page.flights.size())
      continue;
    const core::Flight &flight = page.flights[number];
    if (flight.sharedAddress && !flight.landed && address >= *flight.sharedAddress &&
        address < *flight.sharedAddress + flight.bytes)
      return number;
  }
  return std::nullopt;
}

std::optional<int64_t> elementAt(const DebugTile &tile, uint32_t address) {
  if (address < tile.address)
    return std::nullopt;
  int64_t offset = int64_t{address - tile.address} * 8 / tile.map.bitwidth();
  int64_t element = offset < tile.map.extent() ? tile.map.element(offset) : -1;
  return element < 0 ? std::nullopt : std::optional(element);
}

std::string sharedWordWords(const DebugPage &page, uint32_t address) {
  const core::SharedMemory &shared = page.shared;
  if (address < shared.address || address - shared.address >= shared.bytes.size())
    return text("address ", address, " is not in the block's shared memory now");
  size_t offset = address - shared.address;
  uint32_t word = 0;
  std::memcpy(&word, shared.bytes.data() + offset, std::min(sizeof word, shared.bytes.size() - offset));
  std::string out = text("address ", address, ", bank ", address / 4 % 32, ": ", wordWords(word));
  if (page.memories)
    for (const DebugTile &tile : page.memories->tiles)
      if (auto element = elementAt(tile, address))
        out += text("; ", indexed(tile.name, tile.map.shape(), *element));
  const core::SharedWriter *writer = writerOf(shared, address);
  if (!writer || writer->who.empty())
    out += "; not written";
  else
    out += text("; written by ", writer->who, ", ", writer->place.snippetLine ? "line " : "PTX line ",
                writer->place.snippetLine ? writer->place.snippetLine : writer->place.ptxLine);
  if (auto flight = flightOver(page, address))
    out += text("; a copy of warp ", page.flights[*flight].warp.warp, " is on its way there, from ",
                page.flights[*flight].from);
  return out;
}

std::optional<TensorColumn> tensorPlaceAt(const DebugPage &page, uint32_t column) {
  auto held = std::ranges::find(page.tensor.allocations, false, &core::TensorMemoryState::Allocation::freed);
  if (!page.memories || held == page.tensor.allocations.end() || column < held->column ||
      column >= held->column + held->columns)
    return std::nullopt;
  int64_t own = column - held->column;
  for (size_t n = 0; n < page.memories->tensors.size(); ++n) {
    const layouts::TmemArray &array = page.memories->tensors[n].array.array;
    auto columns = layouts::columnsOf(array);
    if (columns && own >= array.column && own < array.column + *columns)
      return TensorColumn{n, static_cast<uint32_t>(own - array.column)};
  }
  return std::nullopt;
}

std::string tensorCellWords(const DebugPage &page, uint32_t lane, uint32_t column) {
  size_t cell = size_t{lane} * page.tensor.columns + column;
  if (column >= page.tensor.columns || cell >= page.tensor.cells.size())
    return text("lane ", lane, ", column ", column, ": nothing is there");
  std::string out = text("lane ", lane, ", column ", column, ": ", wordWords(page.tensor.cells[cell]));
  auto place = tensorPlaceAt(page, column);
  if (!place)
    return out;
  const TensorPlace &found = page.memories->tensors[place->number];
  auto columns = static_cast<uint32_t>(std::max(found.matrix.columns(), 1));
  int64_t before = int64_t{place->column / columns} * layouts::elementCount(found.matrix.shape());
  for (int sub = 0; sub < found.matrix.packing(); ++sub) {
    int32_t element = found.matrix.element(static_cast<int>(lane), static_cast<int>(place->column % columns), sub);
    if (element >= 0)
      out += text(sub ? ", " : "; ", indexed(found.array.array.name, found.array.array.shape, before + element));
  }
  return out;
}

} // namespace lanescope::viz
