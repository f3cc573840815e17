// Memory of arrays, and of tables that grow with arrays. `Bytes` behaves like a `std::vector<std::byte>`.
//
//   Bytes bytes(size);
//   std::vector<Use, PagedAllocator<Use>> uses;
//   struct Page : PagedPiece { … };             // objects of this type, made one by one
//
// If the process has a scratch folder (Scratch.h), large memory that exceeds the process's limit lies in files there.
// The system then moves it between the disk and the memory. Without a scratch folder, all memory is on the heap.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace lanescope::core {

/// Memory of at least kLeastPaged bytes may lie in a file of its own. Smaller objects share files if they are
/// PagedPieces, or nodes of at least kLeastPiece bytes.
inline constexpr size_t kLeastPaged = size_t{1} << 20, kLeastPiece = 512;

namespace paging {

#ifdef __wasi__ // a page has no files
inline constexpr bool isOn = false;
#else
inline constinit bool isOn = false; // set by useScratch(), before any memory is taken
#endif

void *take(size_t bytes);
void give(void *memory, size_t bytes);
void *takePiece(size_t bytes);
void givePiece(void *piece, size_t bytes);

} // namespace paging

/// The base of objects that are made one by one, while their number grows with the arrays.
struct PagedPiece {
  static void *operator new(size_t bytes) { return paging::isOn ? paging::takePiece(bytes) : ::operator new(bytes); }
  static void operator delete(void *piece, size_t bytes) {
    paging::isOn ? paging::givePiece(piece, bytes) : ::operator delete(piece);
  }
};

template <typename T> struct PagedAllocator {
  using value_type = T;

  PagedAllocator() = default;
  template <typename Other> PagedAllocator(const PagedAllocator<Other> &) {}

  T *allocate(size_t count) {
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    const size_t bytes = count * sizeof(T);
    if (paging::isOn && isPiece(count))
      return static_cast<T *>(paging::takePiece(bytes));
    return static_cast<T *>(isPaged(bytes) ? paging::take(bytes) : ::operator new(bytes));
  }
  void deallocate(T *memory, size_t count) {
    const size_t bytes = count * sizeof(T);
    if (paging::isOn && isPiece(count))
      paging::givePiece(memory, bytes);
    else
      isPaged(bytes) ? paging::give(memory, bytes) : ::operator delete(memory);
  }
  template <typename Other> bool operator==(const PagedAllocator<Other> &) const { return true; }

private:
  /// True for a node of a map that is large enough to share a file with others.
  static constexpr bool isPiece(size_t count) { return sizeof(T) >= kLeastPiece && count == 1; }
  static bool isPaged(size_t bytes) { return bytes >= kLeastPaged && paging::isOn; }
};

using Bytes = std::vector<std::byte, PagedAllocator<std::byte>>;

} // namespace lanescope::core
