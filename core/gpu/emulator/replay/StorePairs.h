// Finds the strong stores of global memory whose late visibility could matter: those that lie on a cycle of program
// order and conflicts between two threads (Shasha and Snir, "Efficient and Correct Execution of Parallel Programs that
// Share Memory", 1988), with nothing that orders the store before the thread's next access of the cycle:
//
//   A: st.relaxed [x], 1; ld.relaxed r, [y];    B: st.relaxed [y], 1; ld.relaxed q, [x];    // x, y in A; y, x in B
//
//   StorePairs pairs(program);
//   LANESCOPE_TRY(runs.under({&pairs}));
//   for (const StorePair &pair : pairs.found()) …
//
// Two loads of B are left to StaleLoads, unless one load reads both places: it may read the second of two stores only.
#pragma once

#include "core/gpu/emulator/replay/Perturbation.h"
#include "core/gpu/emulator/replay/StoreOrder.h"
#include "core/gpu/emulator/replay/UnusedResults.h"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

/// A store and a later access of one thread, and another thread that accesses both places in the opposite order.
struct StorePair {
  uint32_t store = 0, access = 0; // pcs
  uint64_t cluster = 0;           // the first block of the thread's cluster
  // The store is an atomic whose result is unused, the access is no load, no fence or release lies between the two, and
  // the other thread, of another cluster, reads the store's place after the access's place.
  bool lateAtomic = false;
};

class StorePairs : public Perturbation {
public:
  explicit StorePairs(const Program &program)
      : orders_(storeOrdersOf(program)), unused_(atomicsWithUnusedResults(program)) {}
  /// False if the program has no strong loads and stores of global memory: there are no pairs then.
  static bool mayFind(const Program &program);
  /// False if there are no pairs with `lateAtomic`: the program has no atomic whose result is unused, or no strong load
  /// and no atomic whose result is used.
  static bool mayFindLateAtomics(const Program &program);

  void begin() override;
  bool concerns(const Program &program, uint32_t pc) const override;
  Step execute(Warp &warp, const Instr &i, uint32_t mask, Own own) override;

  /// One pair per store and cluster, at most two clusters per store, in the order of the code.
  std::vector<StorePair> found() const;
  /// The numbers of the arrays that contain the places of these pairs. Which thread writes them last depends on the
  /// schedule.
  std::vector<size_t> arrays() const;

private:
  /// Places are words of two bytes.
  using Word = uint64_t;
  struct Store {
    Word word = 0;
    uint32_t pc = 0;
    bool fenced = false;
  };
  struct Times {
    uint64_t first = UINT64_MAX, last = 0; // the numbers of accesses
  };
  /// A thread's accesses of a word.
  struct Uses {
    uint64_t thread = 0, cluster = 0;
    Times reads, writes;
  };
  struct Pair {
    uint64_t thread = 0, cluster = 0;
    Word store = 0, access = 0;
    bool read = false;   // a read of the later access by another thread counts, too: it writes, and releases nothing
    bool unused = false; // the store is an atomic whose result is unused
  };
  struct Does {
    bool reads = false, writes = false;
  };
  void use(const Warp &warp, uint32_t lane, const Instr &i, uint64_t address, Does does);
  void findArray(const Warp &warp, Word word);
  /// True if another thread closes the cycle.
  bool isClosed(const Pair &pair) const;
  /// True if a thread of another cluster closes the cycle by a read of the store's place. Within a block, relaxed
  /// accesses count as ordered (docs/checks.md, `relaxed-in-block`).
  bool isReadLater(const Pair &pair) const;

  const std::vector<StoreOrder> orders_;                  // by pc
  const std::vector<bool> unused_;                        // by pc: an atomic whose result is unused
  std::unordered_map<uint64_t, std::vector<Store>> open_; // by thread: stores that may still be late
  std::unordered_map<Word, std::vector<Uses>> uses_;
  std::unordered_map<Word, size_t> arrays_;                          // by word of uses_; none: it is in no array
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Pair>> pairs_; // by the pcs of store and access
  uint64_t count_ = 0;                                               // accesses so far
};

} // namespace lanescope::core::emulator
