// The order of `fence.sc` that an execution forces. Two such fences have one order, and the run does not fix which
// (PTX ISA, "Fence-SC"). But fence A comes before fence B if one thread reads a byte after A and another one writes a
// newer value before B, or if one thread writes a byte after A and another one reads or overwrites that value before B.
// Then a read after B gives no older value than a write before A:
//
//   1: st.relaxed [x], 1; fence.sc; ld.relaxed r, [y];    // reads 0, so its fence comes first
//   2: st.relaxed [y], 1; fence.sc; ld.relaxed q, [x];    // so q is 1
//
//   FenceOrder order;
//   order.write(1, x); order.fence(1); order.read(1, y); order.write(2, y); order.fence(2);
//   order.forces(1, 0, 2)  ->  true      // a write of thread 1 after 0 fences comes before the reads of thread 2
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

/// Threads are named by numbers, places by the addresses of bytes. Calls come in the order of the run.
class FenceOrder {
public:
  /// The thread executes a `fence.sc`.
  void fence(uint64_t thread);
  /// The thread reads the newest values of `count` bytes.
  void read(uint64_t thread, uint64_t byte, uint32_t count = 1);
  /// The thread reads an older value of a byte than the newest one, which `writer` wrote after that many fences.
  void readOlder(uint64_t thread, uint64_t byte, uint64_t writer, uint32_t writersFences);
  /// The thread writes a byte, or reads and writes it in one step.
  void write(uint64_t thread, uint64_t byte);
  /// The fences that the thread has executed so far.
  uint32_t fences(uint64_t thread) const;
  /// True if a write by `writer` after that many of its fences comes before what `reader` does after its last fence.
  bool forces(uint64_t writer, uint32_t writersFences, uint64_t reader) const;

private:
  /// Threads in ascending order, each with the number of its fences that come before.
  class Clock {
  public:
    void join(const Clock &other);
    void raise(uint64_t thread, uint32_t fences);
    uint32_t operator[](uint64_t thread) const;

  private:
    using Entry = std::pair<uint64_t, uint32_t>;
    std::vector<Entry> entries_;
  };
  /// The last read of a thread. While no place has been written since, and the thread has not executed a fence, the
  /// same read again changes nothing: a thread that polls makes many of these.
  struct LastRead {
    uint64_t byte = 0, writes = 0;
    uint32_t count = 0;
  };
  struct Thread {
    uint32_t fences = 0;
    std::shared_ptr<const Clock> last; // the fences up to its last fence, which is included; null without a fence
    Clock next;                        // the fences that come before its next fence
    LastRead lastRead;
  };
  struct Place {
    Clock written; // the fences that come before its writes
    std::unordered_map<uint64_t, std::shared_ptr<const Clock>>
        readers; // by thread: those that come before its last read
  };
  /// The thread, if it has executed a fence; else null.
  const Thread *fenced(uint64_t thread) const;
  void noteReader(uint64_t thread, uint64_t byte);

  std::unordered_map<uint64_t, Thread> threads_;
  std::unordered_map<uint64_t, Place> places_; // by byte; those that a thread with a fence has accessed
  uint64_t writes_ = 0;                        // writes that places_ has recorded so far
};

} // namespace lanescope::core::emulator
