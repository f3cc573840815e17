#include "core/gpu/emulator/check/Releasers.h"

#include <algorithm>

namespace lanescope::core::emulator {

Agent Releasers::of(uint32_t cluster, uint32_t warp, bool system) {
  constexpr uint32_t kOthers = UINT32_MAX >> 1; // the warps of a cluster that have none of their own
  auto key = [&](uint32_t number) { return uint64_t(cluster) << 32 | uint64_t(number) << 1 | (system ? 1u : 0u); };
  auto known = numbers_.find(key(warp));
  if (known != numbers_.end())
    return known->second;
  bool own = releasers_.size() < kMost;
  auto [number, fresh] = numbers_.try_emplace(key(own ? warp : kOthers), static_cast<Agent>(releasers_.size()));
  if (fresh) {
    releasers_.emplace_back().many = !own;
    ofCluster_[cluster].push_back(number->second);
  }
  return number->second;
}

uint32_t Releasers::release(Agent who, const Clock &known, uint32_t pc, uint32_t warp, uint32_t &releases) {
  Releaser &releaser = releasers_[who];
  if (!releaser.last.empty() && releaser.last.back().known.covers(known)) // what a warp knows grows
    return releaser.last.back().stamp;
  Clock all = known;
  if (releaser.many && !releaser.last.empty())
    all.join(releaser.last.back().known);
  releaser.last.push_back({++releases, pc, warp, std::move(all)});
  if (releaser.last.size() > kKept) {
    releaser.last.pop_front();
    releaser.forgot = true;
  }
  return releases;
}

bool Releasers::publishes(const Releaser &releaser, uint32_t acquired, const Done &use) {
  auto after = std::ranges::upper_bound(releaser.last, acquired, {}, &Release::stamp);
  if (after != releaser.last.begin())
    return std::prev(after)->known.covers(use.agent, use.epoch);
  return releaser.forgot && acquired > use.stamp;
}

bool Releasers::publish(const Clock &acquired, uint32_t cluster, const Done &use) const {
  auto found = ofCluster_.find(cluster);
  return found != ofCluster_.end() && std::ranges::any_of(found->second, [&](Agent who) {
           return acquired[who] != 0 && publishes(releasers_[who], acquired[who], use);
         });
}

uint32_t Releasers::lastOf(const Clock &acquired, uint32_t cluster) const {
  uint32_t last = 0;
  if (auto found = ofCluster_.find(cluster); found != ofCluster_.end())
    for (Agent who : found->second)
      last = std::max(last, acquired[who]);
  return last;
}

const Releasers::Release *Releasers::shortOf(uint32_t cluster, const Done &use) const {
  auto found = ofCluster_.find(cluster);
  if (found == ofCluster_.end())
    return nullptr;
  for (Agent who : found->second)
    for (const Release &release : releasers_[who].last)
      if (release.stamp > use.stamp && !release.known.covers(use.agent, use.epoch))
        return &release;
  return nullptr;
}

size_t Releasers::memoryBytes() const {
  size_t bytes = 0;
  for (const Releaser &releaser : releasers_)
    for (const Release &release : releaser.last)
      bytes += sizeof release + release.known.memoryBytes();
  return bytes;
}

} // namespace lanescope::core::emulator
