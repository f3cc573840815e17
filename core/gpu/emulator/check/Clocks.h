// Vector clocks: what a warp knows to have happened.
//
// An *agent* is whatever performs accesses in an order of its own: a warp, its cp.async copies, its bulk stores' reads,
// its warpgroup's wgmma reads, and each mbarrier for the copies that signal it. An access is (agent, epoch); a clock
// holds, per agent, the last epoch that is ordered before its owner.
//
//   view.seen.covers(agent, epoch)     // that access happened before what the owner does now
//   view.fenced.covers(agent, epoch)   // and a proxy fence lies on the way
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lanescope::core::emulator {

using Agent = uint16_t;
using Epoch = uint32_t;

class Clock {
public:
  bool covers(Agent agent, Epoch epoch) const { return agent < at_.size() && at_[agent] >= epoch; }
  /// Of every agent as much as the other.
  bool covers(const Clock &other) const {
    for (size_t agent = 0; agent < other.at_.size(); ++agent)
      if (other.at_[agent] > (*this)[static_cast<Agent>(agent)])
        return false;
    return true;
  }
  Epoch operator[](Agent agent) const { return agent < at_.size() ? at_[agent] : 0; }
  void raise(Agent agent, Epoch epoch) {
    if (agent >= at_.size())
      at_.resize(agent + 1u);
    at_[agent] = std::max(at_[agent], epoch);
  }
  void join(const Clock &other) {
    if (at_.size() < other.at_.size())
      at_.resize(other.at_.size());
    if (!other.at_.empty())
      raiseAll(at_.data(), other.at_.data(), other.at_.size());
  }
  void clear() { std::fill(at_.begin(), at_.end(), 0); }
  size_t memoryBytes() const { return at_.size() * sizeof(Epoch); }

private:
  static void raiseAll(Epoch *to, const Epoch *from, size_t count);

  std::vector<Epoch> at_;
};

/// What is ordered before an owner (a warp, or a synchronisation object that carries it to others). `fenced` is the
/// part that a proxy fence links to the async proxy (PTX ISA 8.9.5, "Proxy-preserved base causality order").
struct View {
  Clock seen, fenced;
  Clock foreign; // by cluster: what it released to global memory that is ordered before (GlobalShadow.h)
  // Of tcgen05, by agents of TensorRaces.h: operations that are done before the owner's next ones, and operations in
  // flight that fences order before them.
  Clock tensor, tensorIssued;

  void join(const View &other) {
    joinMemory(other);
    tensor.join(other.tensor);
    tensorIssued.join(other.tensorIssued);
  }
  /// Without what is of tcgen05.
  void joinMemory(const View &other) {
    seen.join(other.seen);
    fenced.join(other.fenced);
    foreign.join(other.foreign);
  }
  void clear() {
    seen.clear();
    fenced.clear();
    foreign.clear();
    tensor.clear();
    tensorIssued.clear();
  }
  size_t memoryBytes() const {
    return sizeof *this + seen.memoryBytes() + fenced.memoryBytes() + foreign.memoryBytes() + tensor.memoryBytes() +
           tensorIssued.memoryBytes();
  }
};

} // namespace lanescope::core::emulator
