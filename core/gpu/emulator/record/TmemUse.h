// Records the contents of the columns of a block's tensor memory over time. A period goes from the first write to the
// last use before the columns are overwritten.
//
//   TmemUse use;
//   use.written(box, {TmemUse::Kind::Accumulator, 0, "line 12"}, anew, begin, end);
//   use.read(box, end);
//   use.periods();     // {Accumulator of array 0 at line 12, columns 0 to 255, cycles 4100 to 9800}, …
//
// Only columns are distinguished: a write to other lanes of the same columns belongs to the same period. As long as
// nothing has read an array since it was written, writes belong to the same period. So the strips and quarters of one
// array form one period. Those of two arrays form two periods.
#pragma once

#include "core/gpu/emulator/tensor/TensorCells.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::core::emulator {

class TmemUse {
public:
  /// The writer: the tensor core's products, tcgen05.st, or tcgen05.cp.
  enum class Kind : uint8_t { Accumulator, Stored, Copied };
  struct What {
    Kind kind = Kind::Accumulator;
    int32_t array = -1; // the index of the kernel's array; -1: unknown
    std::string line = {};
  };
  struct Period {
    What what; // `line` is the line of the first write
    uint32_t first = 0, columns = 0;
    uint64_t begin = 0, end = 0; // cycles
    bool read = false;           // a read has happened since the last write
  };

  /// `anew`: the write replaces the contents. Otherwise it adds to them.
  void written(const CellBox &box, What what, bool anew, uint64_t begin, uint64_t end);
  void read(const CellBox &box, uint64_t end);
  /// The periods, sorted by their begin.
  std::vector<Period> periods() const;
  size_t size() const { return over_.size() + live_.size(); }

private:
  std::vector<Period> over_, live_;
};

} // namespace lanescope::core::emulator
