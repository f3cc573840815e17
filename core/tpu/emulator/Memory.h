// Memories as buffers, and references into them. A buffer belongs to one device, core or subcore; those that an
// operation can name on another core (the operands of a kernel, and what all subcores of a core allocate together) have
// a group.
//
// Elements lie row-major and dense whatever the layout of the type: `#tpu.tiled` changes where a word lies, which
// nothing here can see, and how much room there has to be, which Capacity.h counts.
#pragma once

#include "core/tpu/emulator/Shadow.h"
#include "core/tpu/program/Program.h"

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

  uint64_t elements() const;
};

/// A memref's value: a strided view. Strides and the offset count bytes, of semaphores elements.
struct MemRef {
  Buffer *buffer = nullptr;
  Element element;
  uint32_t rank = 0;
  int64_t offset = 0;
  std::array<int64_t, kMostRank> sizes{}, strides{};
  /// After memref_bitcast to narrower elements: dimension `packed` counts `packing` elements in each row of words.
  int32_t packed = -1;
  int64_t packing = 1;

  int64_t elements() const;
  uint64_t bytes() const { return static_cast<uint64_t>(elements()) * element.bytes(); }
  /// The element's first byte. The indices are in bounds.
  int64_t address(const int64_t *indices) const;
  /// Elements of the innermost dimensions that lie one after the other, at least 1.
  int64_t run() const;
};

/// A dense row-major view of a whole buffer.
MemRef whole(Buffer &buffer);

/// Calls `f(address, elements)` for runs of elements that lie one after the other, in row-major order.
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
void storeElement(const Element &element, std::byte *to, uint64_t bits);

} // namespace lanescope::core::sparsecore
