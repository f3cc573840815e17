// Records, as vector clocks (core/order/Clock.h), the accesses that happened before a warp's next one.
//
// An *agent* is whatever performs accesses in an order of its own: a warp, its cp.async copies, its bulk stores' reads,
// its warpgroup's wgmma reads, and each mbarrier for the copies that signal it. An access is (agent, epoch); a clock
// holds, per agent, the last epoch that is ordered before its owner.
//
//   view.seen.covers(agent, epoch)     // that access happened before what the owner does now
//   view.fenced.covers(agent, epoch)   // and a proxy fence lies on the way
#pragma once

#include "core/order/Clock.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lanescope::core::emulator {

using order::Clock;
using order::Epoch;
using Agent = uint16_t;

/// The threads that a fence or a synchronisation operation reaches, the narrowest scope first.
enum class Scope : uint8_t { Block, Cluster, Device, System };
inline constexpr size_t kScopes = 4;

/// The accesses of `lanes` of a warp up to `epoch` happened before. `pc`: the arrival of these lanes that released
/// them.
struct KnownLanes {
  Agent agent;
  uint32_t lanes;
  Epoch epoch;
  uint32_t pc;

  /// Whether it says all that `other` says of the same warp.
  bool covers(const KnownLanes &other) const { return (other.lanes & ~lanes) == 0 && other.epoch <= epoch; }
  bool operator==(const KnownLanes &) const = default;
};

/// A few of them, in place: atomics by some lanes of a warp put such lists together one after another.
class LaneList {
public:
  static constexpr size_t kMost = 96; // more than WarpLanes and Before keep of one warp together

  void push_back(const KnownLanes &one) { items_[size_++] = one; }
  void append(const LaneList &others) {
    for (const KnownLanes &one : others)
      push_back(one);
  }
  const KnownLanes *begin() const { return items_; }
  const KnownLanes *end() const { return items_ + size_; }
  KnownLanes *begin() { return items_; }
  KnownLanes *end() { return items_ + size_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void shrink(const KnownLanes *end) { size_ = static_cast<size_t>(end - items_); }

private:
  size_t size_ = 0;
  KnownLanes items_[kMost];
};

/// The lanes of a warp whose uses in `epoch` happened before, by a list of those of which some have told more than
/// others. All lanes of other warps are alike.
uint32_t lanesBefore(const std::vector<KnownLanes> &apart, Agent agent, Epoch epoch);

/// Accesses of ordinary memory that are ordered before something. `fenced` is the part that a proxy fence links to the
/// async proxy (PTX ISA 8.9.5, "Proxy-preserved base causality order").
struct Before {
  Clock seen, fenced;
  Clock foreign; // by releaser: which of its releases to global memory is the last one before (GlobalShadow.h)
  // Warps of which some lanes have told more than others (Lanes.h): `seen` has the latest, these have what holds of
  // which lanes. All lanes of other warps are alike.
  std::vector<KnownLanes> apart;

  /// The lanes of a warp whose uses in `epoch`, which `seen` covers, are ordered before.
  uint32_t lanesBefore(Agent agent, Epoch epoch) const { return emulator::lanesBefore(apart, agent, epoch); }
  /// The entries about the lanes of one warp.
  LaneList lanesOf(Agent agent) const;
  /// Says what is known of a warp's lanes, of which some have told of `most`.
  void setLanes(Agent agent, const LaneList &lanes, Epoch most);

  void joinKnown(const Before &other) {
    if (!apart.empty() || !other.apart.empty()) [[unlikely]]
      joinLanes(other);
    seen.join(other.seen);
    fenced.join(other.fenced);
    foreign.join(other.foreign);
  }
  void clearKnown() {
    seen.clear();
    fenced.clear();
    foreign.clear();
    apart.clear();
  }
  /// As a new one, but it keeps its memory.
  void reset() {
    seen.reset();
    fenced.reset();
    foreign.reset();
    apart.clear();
  }
  size_t knownBytes() const {
    return seen.memoryBytes() + fenced.memoryBytes() + foreign.memoryBytes() + apart.size() * sizeof(KnownLanes);
  }

private:
  void joinLanes(const Before &other);
  /// Whether `other`, whose entries about the warp are `theirs`, says nothing new of the warp's lanes.
  bool coversLanes(Agent agent, std::span<const KnownLanes> mine, const Before &other,
                   std::span<const KnownLanes> theirs) const;
  /// The entries of `apart` about the warp, which follow one another.
  std::span<const KnownLanes> apartOf(Agent agent) const;
};

/// The accesses that happened before an owner's next one. The owner is a warp, or a synchronisation object.
struct View : Before {
  /// By scope, or empty: what a fence of that scope or a wider one has been executed after. A relaxed operation
  /// publishes that much (PTX ISA, "Release and acquire patterns": fence, then a strong write).
  std::vector<Before> fences;
  /// By scope, or empty: what relaxed operations have observed, and the next fence of that scope acquires.
  std::vector<Before> observed;
  Clock inits; // by warp: the mbarriers that it has initialised, as far as `fence.mbarrier_init` publishes them
  // `narrow`: what would be ordered if all scopes were wide enough. `weak`: if relaxed operations ordered, too.
  Clock narrow, weak;
  // Operations of tcgen05, by agents of TensorRaces.h: those that are done before the owner's next ones, and those in
  // flight that fences order before them.
  Clock tensor, tensorIssued;

  void join(const View &other) {
    joinKnown(other);
    if (!other.fences.empty())
      joinEach(fences, other.fences);
    if (!other.observed.empty())
      joinEach(observed, other.observed);
    joinWeak(other);
    joinTensor(other);
  }
  /// Joins the parts that every synchronisation carries, whatever its scope and semantics.
  void joinWeak(const View &other) {
    inits.join(other.inits);
    narrow.join(other.narrow);
    weak.join(other.weak);
  }
  void joinTensor(const View &other) {
    tensor.join(other.tensor);
    tensorIssued.join(other.tensorIssued);
  }
  void clear() {
    clearKnown();
    fences.clear();
    observed.clear();
    for (Clock *clock : {&inits, &narrow, &weak, &tensor, &tensorIssued})
      clock->clear();
  }
  /// As a new one, but it keeps its memory.
  void reset() {
    Before::reset();
    fences.clear();
    observed.clear();
    for (Clock *clock : {&inits, &narrow, &weak, &tensor, &tensorIssued})
      clock->reset();
  }
  static Before &at(std::vector<Before> &each, Scope scope) {
    each.resize(kScopes);
    return each[static_cast<size_t>(scope)];
  }
  /// The accesses that a fence of that scope publishes; null: the warp executed none.
  const Before *behindFence(Scope scope) const {
    return fences.empty() ? nullptr : &fences[static_cast<size_t>(scope)];
  }
  size_t memoryBytes() const {
    size_t bytes = sizeof *this + knownBytes();
    for (const std::vector<Before> *each : {&fences, &observed})
      for (const Before &known : *each)
        bytes += sizeof known + known.knownBytes();
    for (const Clock *clock : {&inits, &narrow, &weak, &tensor, &tensorIssued})
      bytes += clock->memoryBytes();
    return bytes;
  }

private:
  static void joinEach(std::vector<Before> &each, const std::vector<Before> &others) {
    each.resize(kScopes);
    for (size_t n = 0; n < kScopes; ++n)
      each[n].joinKnown(others[n]);
  }
};

} // namespace lanescope::core::emulator
