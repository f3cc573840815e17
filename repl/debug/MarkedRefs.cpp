#include "repl/debug/MarkedRefs.h"

#include "layouts/SharedMemory.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/TmemMap.h"
#include "repl/debug/CommandWords.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace lanescope::repl {

namespace {

constexpr char kRefKind[] = "debug-value";

/// The sizes in a word such as "64x32"; none for "-". Nothing for other words.
std::optional<layouts::Shape> numbersIn(std::string_view word) {
  layouts::Shape out;
  if (word == "-")
    return out;
  while (!word.empty()) {
    size_t end = std::min(word.find('x'), word.size());
    auto one = parseInteger<int64_t>(word.substr(0, end));
    if (!one || *one < 0)
      return std::nullopt;
    out.push_back(*one);
    word.remove_prefix(std::min(end + 1, word.size()));
  }
  return out;
}

/// Copies an element's bits from memory. In the array, an element of less than a byte takes a whole byte.
void take(std::span<const std::byte> memory, uint64_t bit, int bits, std::byte *to) {
  if (bits >= 8)
    std::memcpy(to, memory.data() + bit / 8, static_cast<size_t>(bits) / 8);
  else
    *to = memory[bit / 8] >> (bit % 8) & static_cast<std::byte>((1 << bits) - 1);
}

} // namespace

std::optional<core::SharedArray> takeRef(std::string_view &words) {
  auto dtype = layouts::dtypeNamed(takeWord(words));
  auto shape = numbersIn(takeWord(words)), tiling = numbersIn(takeWord(words));
  auto swizzle = parseInteger<int>(takeWord(words));
  if (!dtype || !shape || !tiling || !swizzle)
    return std::nullopt;
  return core::SharedArray{
      .dtype = *dtype, .shape = *std::move(shape), .tiling = *std::move(tiling), .swizzle = *swizzle};
}

Result<viz::DebugTile> tileOf(const core::SharedArray &ref, const std::string &name, uint32_t address) {
  auto elements = LANESCOPE_TRY(core::elementsOf(ref, address));
  return viz::DebugTile{name, ref.dtype, elements.first, std::move(elements.map)};
}

Result<core::Array> readTile(const core::Debugger &debugger, uint32_t block, const viz::DebugTile &tile) {
  auto bytes = static_cast<uint32_t>(tile.map.bytes());
  core::SharedMemory shared = debugger.shared(block, tile.address, bytes);
  if (shared.address != tile.address || shared.bytes.size() < bytes)
    return error(kRefKind,
                 shared.bytes.empty()
                     ? Message("block {block} does not run now, so that `{name}` is nowhere", block, tile.name)
                     : Message("`{name}` is not within the shared memory of block {block}", tile.name, block));
  core::Array out = core::Array::zeros(tile.dtype, tile.map.shape());
  auto size = static_cast<size_t>(layouts::hostBytes(tile.dtype));
  for (int64_t n = 0; n < out.size(); ++n)
    take(shared.bytes, static_cast<uint64_t>(tile.map.offset(n)) * static_cast<uint64_t>(tile.map.bitwidth()),
         tile.map.bitwidth(), out.bytes.data() + static_cast<size_t>(n) * size);
  return out;
}

Result<core::Array> readTensor(const core::Debugger &debugger, uint32_t block, const layouts::TmemArray &array) {
  core::TensorMemoryState memory = debugger.tensorMemory(block);
  auto held = std::ranges::find(memory.allocations, false, &core::TensorMemoryState::Allocation::freed);
  if (held == memory.allocations.end())
    return error(kRefKind,
                 Message("block {block} has no tensor memory now, so that `{name}` is nowhere", block, array.name));
  int bits = layouts::bitwidth(array.dtype);
  auto map = LANESCOPE_TRY(layouts::TmemMap::of(array.layout, layouts::matrixShape(array), bits));
  core::Array out = core::Array::zeros(array.dtype, array.shape);
  auto size = static_cast<size_t>(layouts::hostBytes(array.dtype));
  int64_t matrix = layouts::elementCount(map.shape());
  for (int64_t n = 0; n < out.size(); ++n) {
    std::vector<layouts::TmemCell> cells = map.cells(n % matrix);
    if (cells.empty())
      continue;
    int64_t column = held->column + array.column + n / matrix * map.columns() + cells.front().column;
    if (column >= memory.columns)
      return error(kRefKind, Message("`{name}` is not within the tensor memory of block {block}", array.name, block));
    auto cell = static_cast<size_t>(cells.front().lane) * memory.columns + static_cast<size_t>(column);
    take(std::as_bytes(std::span(memory.cells).subspan(cell, 1)), static_cast<uint64_t>(cells.front().sub * bits), bits,
         out.bytes.data() + static_cast<size_t>(n) * size);
  }
  return out;
}

} // namespace lanescope::repl
