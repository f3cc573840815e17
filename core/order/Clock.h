// Vector clocks. A clock records the steps that happened before an agent's next step. The checkers of all emulators use
// clocks.
//
// An *agent* performs its steps in an order of its own: a warp, a subcore, a copy unit or a copy in flight is an agent.
// It counts its steps, its *epochs*, from 1 on. A clock holds, for each agent, the last epoch that is ordered before
// the clock's owner.
//
//   Clock reader, writer;
//   writer.raise(3, 7);            // the owner of `writer` comes after agent 3's epochs up to 7
//   reader.join(writer);           // a barrier: the owner of `reader` comes after them, too
//   reader.covers(3, 7)            // true
//   reader.covers(3, 8)            // false: nothing orders epoch 8 before the reader
//
// This file does not define which accesses conflict, or which operations pass a clock from one owner to another. Each
// machine defines these.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lanescope::core::order {

using Epoch = uint32_t;

/// One step of an agent.
struct Step {
  uint32_t agent = 0;
  Epoch epoch = 0;
  bool operator==(const Step &) const = default;
};

class Clock {
public:
  bool covers(uint32_t agent, Epoch epoch) const { return agent < at_.size() && at_[agent] >= epoch; }
  bool covers(const Step &step) const { return covers(step.agent, step.epoch); }
  /// True if this clock covers every agent's epoch in `other`.
  bool covers(const Clock &other) const {
    for (uint32_t agent = 0; agent < other.at_.size(); ++agent)
      if (other.at_[agent] > (*this)[agent])
        return false;
    return true;
  }
  Epoch operator[](uint32_t agent) const { return agent < at_.size() ? at_[agent] : 0; }
  void raise(uint32_t agent, Epoch epoch) {
    if (agent >= at_.size())
      at_.resize(agent + size_t{1});
    at_[agent] = std::max(at_[agent], epoch);
  }
  void raise(const Step &step) { raise(step.agent, step.epoch); }
  /// Raises this clock to the smallest clock that covers both.
  void join(const Clock &other) {
    if (!other.at_.empty()) // many clocks are empty
      joinFull(other);
  }
  void clear() { std::fill(at_.begin(), at_.end(), 0); }
  /// Makes this an empty clock that keeps its memory.
  void reset() { at_.clear(); }
  bool empty() const { return at_.empty(); }
  size_t memoryBytes() const { return at_.size() * sizeof(Epoch); }

private:
  void joinFull(const Clock &other);

  std::vector<Epoch> at_;
};

} // namespace lanescope::core::order
