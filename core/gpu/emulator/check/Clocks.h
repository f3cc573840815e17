// Vector clocks (core/order/Clock.h) that record which accesses happened before a warp's next one.
//
// An *agent* is whatever performs accesses in an order of its own: a warp, its cp.async copies, the reads of its bulk
// stores, the reads of its warpgroup's wgmmas, and each mbarrier for the copies that signal it. An access is a pair
// (agent, epoch). A clock holds, for each agent, the last epoch that is ordered before its owner.
//
//   view.seen.covers(agent, epoch)     // the access happened before what the owner does now
//   view.fenced.covers(agent, epoch)   // and a proxy fence lies between the two
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

/// An entry of Before::apart: the accesses of `lanes` of a warp up to `epoch` happened before. `pc` is the arrival of
/// these lanes that released them.
struct KnownLanes {
  Agent agent;
  uint32_t lanes;
  Epoch epoch;
  uint32_t pc;

  /// True if this entry implies `other`, an entry about the same warp.
  bool covers(const KnownLanes &other) const { return (other.lanes & ~lanes) == 0 && other.epoch <= epoch; }
  bool operator==(const KnownLanes &) const = default;
};

/// A short list of entries, stored in place: atomics by some lanes of a warp build one such list after another.
class LaneList {
public:
  static constexpr size_t kMost = 96; // more than the entries of WarpLanes and Before for one warp together

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

/// The lanes of a warp whose uses in `epoch` happened before, by the entries in `apart`. A warp without an entry has
/// released the same for all of its lanes.
uint32_t lanesBefore(const std::vector<KnownLanes> &apart, Agent agent, Epoch epoch);

/// Accesses of ordinary memory that are ordered before something. `fenced` is the part that a proxy fence links to the
/// async proxy (PTX ISA 8.9.5, "Proxy-preserved base causality order").
struct Before {
  Clock seen, fenced;
  Clock foreign; // per releaser: its last release to global memory that happened before (GlobalShadow.h)
  // Entries about warps of which some lanes have released more than others (Lanes.h). `seen` has the latest epoch of
  // such a warp, and the entries say which lanes reached which epoch. A warp without an entry has released the same for
  // all lanes.
  std::vector<KnownLanes> apart;

  /// The lanes of a warp whose uses in `epoch`, which `seen` covers, happened before.
  uint32_t lanesBefore(Agent agent, Epoch epoch) const { return emulator::lanesBefore(apart, agent, epoch); }
  /// The entries about the lanes of one warp.
  LaneList lanesOf(Agent agent) const;
  /// Replaces the entries about a warp's lanes. Some of its lanes have released up to `most`.
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
  /// Makes this empty, but keeps its memory.
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
  /// True if `other`, whose entries about the warp are `theirs`, adds nothing about the warp's lanes.
  bool coversLanes(Agent agent, std::span<const KnownLanes> mine, const Before &other,
                   std::span<const KnownLanes> theirs) const;
  /// The entries of `apart` about the warp. They are adjacent.
  std::span<const KnownLanes> apartOf(Agent agent) const;
};

/// The accesses that happened before an owner's next one. The owner is a warp or a synchronisation object.
struct View : Before {
  /// Per scope, or empty: the accesses that happened before a fence of that scope or a wider one. A relaxed operation
  /// publishes these (PTX ISA, "Release and acquire patterns": a fence, then a strong write).
  std::vector<Before> fences;
  /// Per scope, or empty: what relaxed operations have observed, which the next fence of that scope acquires.
  std::vector<Before> observed;
  Clock inits; // per warp: its initialised mbarriers that `fence.mbarrier_init` has published
  // `narrow`: the order if all scopes were wide enough. `weak`: the order if relaxed operations ordered, too.
  Clock narrow, weak;
  // Operations of tcgen05, by the agents of TensorRaces.h: those that are done before the owner's next ones, and those
  // in flight that fences order before them.
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
  /// Makes this empty, but keeps its memory.
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
  /// The accesses that came before a fence of that scope; null if there was no fence.
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
