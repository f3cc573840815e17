// Memories as buffers, and references into them. A buffer belongs to one device, core or subcore. Some buffers can be
// named by an operation on another core: the operands of a kernel, and the common allocations of a core's subcores.
// Each of these belongs to a group.
//
// Elements lie row-major and dense, or in tiles if the type has `#tpu.tiled` or the run requests a TensorCore's tiles.
// Tables then give the place of each index of a tiled dimension, and padding takes up room.
#pragma once

#include "core/tpu/emulator/TpuShadow.h"
#include "core/tpu/program/TpuProgram.h"

#include <deque>
#include <memory>
#include <string>

namespace lanescope::core::sparsecore {

/// The place of a buffer or a subcore. Cores count within their device, subcores within their core.
struct Location {
  uint32_t device = 0, core = 0, subcore = 0;
  CoreType type = CoreType::VectorSubcore;
  bool operator==(const Location &) const = default;
};
/// "core 1 subcore 3", "core 0 scalar subcore"; with several devices "device 2 core 0 …".
std::string name(const Location &location, bool severalDevices);

struct SemaphoreState {
  int64_t count = 0;
  Clock clock;                  // joined from all its signals
  double time = 0;              // time of the last signal, by the cost model
  std::vector<uint32_t> copies; // copies that will signal it or have signalled it, and that no wait has covered yet
};

/// The places of the indices along one dimension, in bytes from the first.
using OffsetTable = std::vector<int64_t>;

struct Buffer {
  Element element;
  Space space = Space::Hbm;
  std::vector<int64_t> shape;
  Location owner;
  std::string name;      // "operand 2", "the allocation"
  uint32_t place = 0;    // the allocation's place
  int32_t operand = -1;  // the kernel's operand, or -1
  bool outlives = false; // true if it outlives the kernel: an operand that is not scratch
  bool watched = false;  // `shadow` is kept
  bool freed = false;
  core::Bytes bytes;
  std::vector<SemaphoreState> semaphores; // instead of bytes
  Shadow shadow;
  Clock atomics; // joined from all atomic operations on it
  std::optional<layouts::TiledMemoryLayout> layout;
  /// The tables of dimensions, if there is a layout; after them, the tables of views that reshape made.
  std::deque<OffsetTable> tables;
  uint64_t deviceBytes = 0; // the size that it has in a TPU's memory, padding included

  uint64_t elements() const;
  /// The byte where an element begins, by the element's row-major number.
  int64_t addressOf(int64_t number) const;
};

/// A memref's value: a view. An index along a dimension is multiplied by a stride, or looked up in a table after adding
/// `starts`. Strides and the offset count bytes; for semaphores, elements.
struct MemRef {
  Buffer *buffer = nullptr;
  Element element;
  uint32_t rank = 0;
  int64_t offset = 0;
  std::array<int64_t, kMostRank> sizes{}, strides{};
  std::array<const OffsetTable *, kMostRank> tables{};
  std::array<int64_t, kMostRank> starts{};
  /// After memref_bitcast, the elements along dimension `packed` differ in width from the elements of the memory. If
  /// they are narrower, each word has `packing` elements. If they are wider, each element takes `pieces` rows, the
  /// lowest bits first.
  int32_t packed = -1;
  int64_t packing = 1, pieces = 1;
  static constexpr size_t kMostPieces = 8;
  std::array<int64_t, kMostPieces> pieceAt{}; // places of the pieces after the dimension was squeezed away

  int64_t elements() const;
  uint64_t bytes() const { return static_cast<uint64_t>(elements()) * element.bytes(); }
  /// The first byte of the element, or of one of its pieces. The indices are in bounds.
  int64_t address(const int64_t *indices, int64_t piece = 0) const;
  int64_t pieceBytes() const { return element.bytes() / pieces; }
  /// The number of elements of the innermost dimensions that are contiguous from any place where such a run can begin;
  /// at least 1.
  int64_t run() const;
  /// Moves the view to begin at these indices, each of which must begin a word.
  void advance(const int64_t *indices);
  /// Takes one index of dimension `d` and removes the dimension.
  void drop(uint32_t d, int64_t index);

private:
  int64_t along(uint32_t d, int64_t row) const {
    return tables[d] ? (*tables[d])[static_cast<size_t>(starts[d] + row)] : row * strides[d];
  }
  int64_t step(uint32_t d, int64_t index, int64_t piece) const;
};

/// A view of a whole buffer.
MemRef whole(Buffer &buffer);

/// Calls `f(address, elements)` for runs of contiguous elements, in row-major order. For elements in pieces, the
/// address is that of the first piece.
template <typename F> void forEachRun(const MemRef &ref, F &&f) {
  int64_t total = ref.elements(), run = ref.run();
  if (total == 0)
    return;
  std::array<int64_t, kMostRank> index{};
  for (int64_t done = 0; done < total; done += run) {
    f(ref.address(index.data()), run);
    int64_t step = run; // in row-major indices
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

/// Calls `piece(address, bytes)`, which may refuse, for the memory of the elements, and `value(bits)` for each element,
/// in row-major order. False if `piece` refused.
template <typename Piece, typename OnValue> bool forEachValue(const MemRef &ref, Piece &&piece, OnValue &&value) {
  std::vector<std::byte> element; // the pieces of the element so far
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
