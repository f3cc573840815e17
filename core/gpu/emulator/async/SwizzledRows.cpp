#include "core/gpu/emulator/async/SwizzledRows.h"

#include "core/gpu/emulator/machine/Addresses.h"
#include "core/gpu/emulator/machine/TensorMap.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kLine = layouts::kSwizzleLineBytes, kChunk = layouts::kSwizzleChunkBytes;
using WholeChunk = std::integral_constant<uint32_t, kChunk>; // copied by two moves

/// Calls visit(shared address, byte of the row, size) for the contiguous pieces of bytes [from, to).
template <class F> void forChunks(SwizzledRow row, uint32_t from, uint32_t to, F visit) {
  if (((row.address | from | to) & (kChunk - 1)) == 0) {
    while (from < to) {
      uint32_t start = row.address + from, turned = swizzled(start, row.swizzle) ^ start;
      uint32_t end = std::min(to, from + (kLine - start % kLine));
      for (; from < end; from += kChunk)
        visit((row.address + from) ^ turned, from, WholeChunk{});
    }
    return;
  }
  while (from < to) {
    uint32_t size = std::min(to - from, kChunk - ((row.address + from) & (kChunk - 1)));
    visit(swizzled(row.address + from, row.swizzle), from, size);
    from += size;
  }
}

#if defined(__x86_64__)
const bool kWidest = __builtin_cpu_supports("avx512f");

/// Moves chunk c of each line to c ^ turn. `turn` depends on the number of the line, the first of which begins at
/// row.address. The strides are the distances between lines.
__attribute__((target("avx512f"))) void turnLines(std::byte *to, uint64_t toStride, const std::byte *from,
                                                  uint64_t fromStride, uint32_t lines, SwizzledRow row) {
  const __m512i inOrder = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
  for (uint32_t n = 0; n < lines; ++n, to += toStride, from += fromStride) {
    uint32_t start = row.address + n * kLine, turn = (swizzled(start, row.swizzle) ^ start) / kChunk;
    __m512i order = _mm512_xor_si512(inOrder, _mm512_set1_epi64(2 * (turn & 3)));
    uint32_t far = turn & 4 ? kLine / 2 : 0;
    __m512i low = _mm512_permutexvar_epi64(order, _mm512_loadu_si512(from));
    __m512i high = _mm512_permutexvar_epi64(order, _mm512_loadu_si512(from + kLine / 2));
    _mm512_storeu_si512(to + far, low);
    _mm512_storeu_si512(to + (far ^ kLine / 2), high);
  }
}

bool areLines(SwizzledRow row, uint32_t from, uint32_t to) {
  return kWidest && from == 0 && ((row.address | to) & (kLine - 1)) == 0;
}
#else
bool areLines(SwizzledRow, uint32_t, uint32_t) { return false; }
void turnLines(std::byte *, uint64_t, const std::byte *, uint64_t, uint32_t, SwizzledRow) {}
#endif

} // namespace

void copyToShared(std::byte *shared, SwizzledRow row, uint32_t from, uint32_t to, const std::byte *linear) {
  if (from >= to)
    return;
  if (row.swizzle == 0)
    std::memcpy(shared + (row.address + from - kSharedBase), linear, to - from);
  else if (areLines(row, from, to))
    turnLines(shared + (row.address - kSharedBase), kLine, linear, kLine, to / kLine, row);
  else
    forChunks(row, from, to, [&](uint32_t at, uint32_t byte, auto size) {
      std::memcpy(shared + (at - kSharedBase), linear + (byte - from), size);
    });
}

void copyFromShared(std::byte *linear, SwizzledRow row, uint32_t from, uint32_t to, const std::byte *shared) {
  if (from >= to)
    return;
  if (row.swizzle == 0)
    std::memcpy(linear, shared + (row.address + from - kSharedBase), to - from);
  else if (areLines(row, from, to))
    turnLines(linear, kLine, shared + (row.address - kSharedBase), kLine, to / kLine, row);
  else
    forChunks(row, from, to, [&](uint32_t at, uint32_t byte, auto size) {
      std::memcpy(linear + (byte - from), shared + (at - kSharedBase), size);
    });
}

void copyLinesToShared(std::byte *shared, const SwizzledLines &lines, const std::byte *array) {
  SwizzledRow row = lines.row;
  if (areLines(row, 0, kLine))
    return turnLines(shared + (row.address - kSharedBase), kLine, array, lines.stride, lines.count, row);
  for (uint32_t n = 0; n < lines.count; ++n, row.address += kLine)
    copyToShared(shared, row, 0, kLine, array + n * lines.stride);
}

void copyLinesFromShared(std::byte *array, const SwizzledLines &lines, const std::byte *shared) {
  SwizzledRow row = lines.row;
  if (areLines(row, 0, kLine))
    return turnLines(array, lines.stride, shared + (row.address - kSharedBase), kLine, lines.count, row);
  for (uint32_t n = 0; n < lines.count; ++n, row.address += kLine)
    copyFromShared(array + n * lines.stride, row, 0, kLine, shared);
}

} // namespace lanescope::core::emulator
