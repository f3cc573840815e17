// Memories as buffers, and references into them. A buffer belongs to one device, core or subcore; those that an
// operation can name on another core (the operands of a kernel, and what all subcores of a core allocate together) have
// a group.
//
// Elements lie row-major and dense, or in tiles where the type says `#tpu.tiled` or the run asks for a TensorCore's
// tiles: then tables tell where each index of a tiled dimension lies, and padding takes its room.
#pragma once

#include "core/tpu/emulator/Shadow.h"
#include "core/tpu/program/Program.h"

#include <deque>
#include <memory>
#include <string>

namespace lanescope::core::sparsecore {

/// Where something is. Cores count within their device, subcores within their core.
struct Location {
  uint32_t device = 0, core = 0, subcore = 0;
  CoreType type = CoreType::VectorSubcore;
  bool operator==(const Location &) const = default;
};
/// "core 1 subcore 3", "core 0 scalar subcore"; of several devices "device 2 core 0 …".
std::string name(const Location &location, bool severalDevices);

struct SemaphoreState {
  int64_t count = 0;
  Clock clock;                  // of all that signalled it
  double time = 0;              // of the last signal, by the cost model
  std::vector<uint32_t> copies; // that will signal it or have, and that no wait has covered yet
};

/// Where the indices along one dimension lie, in bytes from the first.
using OffsetTable = std::vector<int64_t>;

struct Buffer {
  Element element;
  Space space = Space::Hbm;
  std::vector<int64_t> shape;
  Location owner;
  std::string name;      // "operand 2", "the allocation"
  uint32_t place = 0;    // of the allocation
  int32_t operand = -1;  // of the kernel
  bool outlives = false; // the kernel's end: an operand that is no scratch
  bool watched = false;  // `shadow` is kept
  bool freed = false;
  std::vector<std::byte> bytes;
  std::vector<SemaphoreState> semaphores; // instead of bytes
  Shadow shadow;
  Clock atomics; // of all atomic operations on it
  std::optional<layouts::TiledMemoryLayout> layout;
  std::deque<OffsetTable> tables; // of the dimensions, with a layout; then those of views that reshape made
  uint64_t deviceBytes = 0;       // that it takes of a TPU's memory, padding included

  uint64_t elements() const;
  /// The byte where an element begins, by its row-major number.
  int64_t addressOf(int64_t number) const;
};

/// A memref's value: a view. An index along a dimension counts strides, or is looked up in a table behind `starts`.
/// Strides and the offset count bytes, of semaphores elements.
struct MemRef {
  Buffer *buffer = nullptr;
  Element element;
  uint32_t rank = 0;
  int64_t offset = 0;
  std::array<int64_t, kMostRank> sizes{}, strides{};
  std::array<const OffsetTable *, kMostRank> tables{};
  std::array<int64_t, kMostRank> starts{};
  /// After memref_bitcast, dimension `packed` counts other elements than the memory has: `packing` narrower ones in
  /// each of its words, or wider ones that take `pieces` of its rows each, the lowest bits first.
  int32_t packed = -1;
  int64_t packing = 1, pieces = 1;
  static constexpr size_t kMostPieces = 8;
  std::array<int64_t, kMostPieces> pieceAt{}; // where the pieces lie once the dimension was squeezed away

  int64_t elements() const;
  uint64_t bytes() const { return static_cast<uint64_t>(elements()) * element.bytes(); }
  /// The element's first byte, or that of one of its pieces. The indices are in bounds.
  int64_t address(const int64_t *indices, int64_t piece = 0) const;
  int64_t pieceBytes() const { return element.bytes() / pieces; }
  /// Elements of the innermost dimensions that lie one after the other wherever they begin, at least 1.
  int64_t run() const;
  /// The view that begins at these indices, which begin a word each.
  void advance(const int64_t *indices);
  /// Takes one index of dimension `d` and drops it.
  void drop(uint32_t d, int64_t index);

private:
  int64_t along(uint32_t d, int64_t row) const {
    return tables[d] ? (*tables[d])[static_cast<size_t>(starts[d] + row)] : row * strides[d];
  }
  int64_t step(uint32_t d, int64_t index, int64_t piece) const;
};

/// A view of a whole buffer.
MemRef whole(Buffer &buffer);

/// Calls `f(address, elements)` for runs of elements that lie one after the other, in row-major order. Of elements in
/// pieces it gives the first ones.
template <typename F> void forEachRun(const MemRef &ref, F &&f) {
  int64_t total = ref.elements(), run = ref.run();
  if (total == 0)
    return;
  std::array<int64_t, kMostRank> index{};
  for (int64_t done = 0; done < total; done += run) {
    f(ref.address(index.data()), run);
    int64_t step = run; // of row-major indices
    for (uint32_t d = ref.rank; d-- > 0 && step != 0;) {
      int64_t sum = index[d] + step % ref.sizes[d];
      step /= ref.sizes[d];
      if (sum >= ref.sizes[d]) {
        sum -= ref.sizes[d];
        ++step;
      }
      index[d] = sum;
    }
  }
}

uint64_t loadElement(const Element &element, const std::byte *from);

/// Calls `f(address, bytes)` for the memory of the elements in row-major order, piece by piece.
template <typename F> void forEachPiece(const MemRef &ref, F &&f) {
  if (ref.pieces == 1)
    return forEachRun(ref, [&](int64_t address, int64_t elements) { f(address, elements * ref.element.bytes()); });
  std::array<int64_t, kMostRank> index{};
  for (int64_t k = 0, total = ref.elements(); k < total; ++k) {
    for (int64_t piece = 0; piece < ref.pieces; ++piece)
      f(ref.address(index.data(), piece), ref.pieceBytes());
    for (uint32_t d = ref.rank; d-- > 0;) {
      if (++index[d] < ref.sizes[d])
        break;
      index[d] = 0;
    }
  }
}

/// Calls `piece(address, bytes)`, which may refuse, for the memory of the elements, and `value(bits)` for each of them,
/// in row-major order. False: it was refused.
template <typename Piece, typename OnValue> bool forEachValue(const MemRef &ref, Piece &&piece, OnValue &&value) {
  std::vector<std::byte> element; // as far as its pieces have come
  bool good = true;
  forEachPiece(ref, [&](int64_t address, int64_t bytes) {
    good = good && piece(static_cast<uint64_t>(address), static_cast<uint64_t>(bytes));
    for (int64_t k = 0; k < bytes && good; ++k) {
      element.push_back(ref.buffer->bytes[static_cast<size_t>(address + k)]);
      if (element.size() < ref.element.bytes())
        continue;
      value(loadElement(ref.element, element.data()));
      element.clear();
    }
  });
  return good;
}
void storeElement(const Element &element, std::byte *to, uint64_t bits);

} // namespace lanescope::core::sparsecore
