// The memory that a launch can access: the allocations to which its parameters point, and those to which pointers in
// these allocations point. A Snapshot keeps their contents before and after the launch.
//
//   Snapshot snapshot(maxBytes);
//   snapshot.reach(parameterBytes);
//   snapshot.readBefore();   …the kernel runs…   snapshot.readAfter();
#pragma once

#include "core/gpu/record/RealDriver.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanescope::core::record {

/// True for numbers in the range of the device's addresses. Few other numbers are so large.
inline bool mayBeAddress(uint64_t number) { return number >= uint64_t{1} << 32 && number < uint64_t{1} << 50; }

/// A part of the device's memory: an allocation, or a window of a very large one.
struct Piece {
  DevicePointer address = 0;
  size_t bytes = 0;
  DevicePointer allocation = 0;
  size_t allocationBytes = 0;
  std::vector<std::byte> before, after;
  bool changed = false;

  bool whole() const { return bytes == allocationBytes; }
};

/// A place in a piece.
struct Place {
  size_t piece = 0;
  uint64_t at = 0;
};

/// A pointer in a piece's memory.
struct InnerPointer {
  Place where;
  Place target;
};

class Snapshot {
public:
  explicit Snapshot(uint64_t maxBytes) : maxBytes_(maxBytes) {}

  /// Adds the allocations that 8-byte words of `bytes` point to.
  void reach(std::span<const std::byte> bytes);
  void reachAddress(uint64_t address);
  /// Adds memory of known size, such as a module's variable. Call this before anything else is added.
  Place add(DevicePointer address, size_t bytes);
  /// Reads all memory that was added, and all memory that this memory points to. Returns false if something could not
  /// be read; `problem` then has the reason.
  bool readBefore(bool contents);
  bool readAfter();

  std::optional<Place> find(uint64_t address) const;
  const std::vector<Piece> &pieces() const { return pieces_; }
  const std::vector<InnerPointer> &pointers() const { return pointers_; }
  const std::string &problem() const { return problem_; }

private:
  struct Allocation {
    DevicePointer begin = 0;
    size_t bytes = 0;
  };
  /// Returns null if the address is in no allocation.
  const Allocation *allocationOf(uint64_t address);
  void scan(size_t piece);
  bool read(Piece &piece, std::vector<std::byte> &to);

  uint64_t maxBytes_, taken_ = 0;
  size_t asked_ = 0;                     // number of queries to the driver
  size_t reached_ = 0;                   // pieces that pointers reached
  std::map<uint64_t, Allocation> pages_; // known allocations, by address >> kPageShift; zero bytes: nothing is there
  std::map<uint64_t, size_t> byAddress_; // index of the piece
  std::vector<Piece> pieces_;
  std::vector<InnerPointer> pointers_;
  std::string problem_;
};

} // namespace lanescope::core::record
