// Vector clocks (core/order/Clock.h) that record which accesses happened before a warp's next access.
//
// An *agent* is anything that performs accesses in an order of its own. A warp is an agent. Its cp.async copies, the
// reads of its bulk stores and the reads of its warpgroup's wgmmas are further agents. Each mbarrier is an agent for
// the copies that signal it. An access is a pair (agent, epoch). A clock holds, for each agent, the last epoch that is
// ordered before the clock's owner.
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

/// An entry of Before::apart: the accesses up to `epoch` by `lanes` of a warp happened before. `pc` is the arrival by
/// which these lanes released them.
struct KnownLanes {
  Agent agent;
  uint32_t lanes;
  Epoch epoch;
  uint32_t pc;

  /// True if this entry implies `other`, an entry about the same warp.
  bool covers(const KnownLanes &other) const { return (other.lanes & ~lanes) == 0 && other.epoch <= epoch; }
  bool operator==(const KnownLanes &) const = default;
};

/// A short list of entries that needs no heap memory: atomics by some lanes of a warp build such lists very often.
class LaneList {
public:
  static constexpr size_t kMost = 96; // more than the entries of WarpLanes and Before for one warp together

  void push_back(const KnownLanes &one) { items_[size_++] = one; }
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

/// The lanes of a warp whose uses in `epoch` happened before, according to the entries in `apart`. If the warp has no
/// entry, all of its lanes have released the same.
uint32_t lanesBefore(const std::vector<KnownLanes> &apart, Agent agent, Epoch epoch);

/// Accesses that are ordered before an operation. `fenced` has those that a proxy fence also orders before accesses of
/// the async proxy (PTX ISA 8.9.5, "Proxy-preserved base causality order").
struct Before {
  Clock seen, fenced;
  Clock foreign; // per releaser: its last release to global memory that happened before (GlobalShadow.h)
  // Entries about warps of which some lanes have released more than others (Lanes.h). `seen` has the latest epoch of
  // such a warp, and its entries say which lanes reached which epoch. They are in the order of the warps' numbers.
  std::vector<KnownLanes> apart;

  /// The lanes of a warp whose uses in `epoch` happened before. `seen` covers that epoch.
  uint32_t lanesBefore(Agent agent, Epoch epoch) const { return emulator::lanesBefore(apart, agent, epoch); }
  /// The entries about the lanes of one warp.
  LaneList lanesOf(Agent agent) const;
  /// Replaces the entries about a warp's lanes. `most` is the latest epoch that any of the lanes has released.
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
  /// Empties this, but keeps the allocated memory.
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
  /// True if `other` adds nothing about the warp's lanes. `theirs` has the entries of `other` about the warp.
  bool coversLanes(Agent agent, std::span<const KnownLanes> mine, const Before &other,
                   std::span<const KnownLanes> theirs) const;
  /// The entries of `apart` about the warp. The first one is about all lanes.
  std::span<const KnownLanes> apartOf(Agent agent) const;
};

/// The accesses that happened before an owner's next one. The owner is a warp or a synchronisation object.
struct View : Before {
  /// For each scope, the accesses that happened before a fence of that scope or a wider one; empty without fences. A
  /// relaxed operation publishes these (PTX ISA, "Release and acquire patterns": a fence, then a strong write).
  std::vector<Before> fences;
  /// For each scope, what relaxed operations have observed; empty without such operations. The next fence of that scope
  /// acquires it.
  std::vector<Before> observed;
  Clock inits; // per warp: its initialised mbarriers that `fence.mbarrier_init` has published
  // `narrow`: the order that there would be if all scopes were wide enough. `weak`: the order that there would be if
  // relaxed operations ordered, too.
  Clock narrow, weak;
  // Operations of tcgen05, by the agents of TensorRaces.h. `tensor`: those that are done before the owner's next
  // operations. `tensorIssued`: those in flight that fences order before the owner's next operations.
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
  /// Joins the parts that every synchronisation carries, whatever its scope and semantics are.
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
  /// Empties this, but keeps the allocated memory.
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
  /// The accesses that came before a fence of that scope; null if there was no such fence.
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
