// A strong load gives what was there before the last strong write of another cluster, where nothing
// orders the two (check/StaleReads.h): once for each thread and byte, and never after the thread has met what is newer.
//
//   StaleLoads stale(pc);
//   RunResult other = LANESCOPE_TRY(runs.under(stale));    // with checks
#pragma once

#include "core/gpu/emulator/replay/Perturbation.h"

#include <compare>
#include <cstddef>
#include <set>
#include <unordered_map>
#include <utility>

namespace lanescope::core::emulator {

class StaleLoads : public Perturbation {
public:
  /// `load`: its pc.
  explicit StaleLoads(uint32_t load) : load_(load) {}

  bool concerns(const Program &program, uint32_t pc) const override;
  Step execute(Warp &warp, const Instr &i, uint32_t mask, Own own) override;

private:
  /// Of a byte: what it was before its last strong write, and which of all writes that was.
  struct Written {
    std::byte before{};
    uint64_t number = 0;
  };
  struct Part {
    std::byte *at = nullptr;
    std::byte before{};
    auto operator<=>(const Part &) const = default;
  };
  Step load(Warp &warp, const Instr &i, uint32_t mask, Own own);
  Step write(Warp &warp, const Instr &i, uint32_t mask, Own own);
  /// Adds what of a lane's access may be what was there before: of each write all of its bytes, or none.
  void findStale(Warp &warp, uint32_t lane, std::byte *at, uint64_t address, uint32_t bytes, std::set<Part> &stale);
  /// The thread has met the newest value of these bytes.
  void met(const Warp &warp, uint32_t lane, const std::byte *at, uint32_t bytes);

  uint32_t load_;
  uint64_t writes_ = 0;                                    // so far, by lanes
  std::unordered_map<const std::byte *, Written> written_; // in global memory
  std::set<std::pair<uint64_t, const std::byte *>> met_;   // by thread of the grid
};

} // namespace lanescope::core::emulator
