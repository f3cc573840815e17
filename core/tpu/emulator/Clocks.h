// What is ordered before what. Actors are subcores and copies in flight; each counts its own steps, and a vector clock
// says of every actor how many of its steps happened before. A copy takes the number of one that is over, once whoever
// starts it knows that (`Clock::knows`), so that there are only as many as were ever in flight together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lanescope::core::sparsecore {

/// A step of an actor.
struct Epoch {
  uint32_t actor = 0, step = 0;
  bool operator==(const Epoch &) const = default;
};

class Clock {
public:
  uint32_t of(uint32_t actor) const { return actor < steps_.size() ? steps_[actor] : 0; }
  void set(uint32_t actor, uint32_t step) {
    if (actor >= steps_.size())
      steps_.resize(actor + 1);
    steps_[actor] = step;
  }
  bool knows(Epoch epoch) const { return of(epoch.actor) >= epoch.step; }
  void join(const Clock &other) {
    if (other.steps_.size() > steps_.size())
      steps_.resize(other.steps_.size());
    for (size_t i = 0; i < other.steps_.size(); ++i)
      steps_[i] = std::max(steps_[i], other.steps_[i]);
  }

private:
  std::vector<uint32_t> steps_;
};

} // namespace lanescope::core::sparsecore
