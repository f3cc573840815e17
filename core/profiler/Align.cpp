#include "core/profiler/Align.h"

#include "core/profiler/TraceAnalysis.h"
#include "layouts/support/Text.h"

#include <map>
#include <unordered_map>

namespace lanescope::core {

std::vector<std::string> trackKeys(const Trace &trace) {
  std::map<std::string, size_t> seen;
  std::vector<std::string> out;
  for (const TraceTrack &track : trace.tracks) {
    std::string name = threadName(track);
    size_t number = seen[name]++;
    out.push_back(number == 0 ? name : text(name, " #", number));
  }
  return out;
}

TraceAlignment alignTraces(const Trace &before, const Trace &after) {
  std::unordered_map<std::string, int32_t> trackOf, nameOf;
  const std::vector<std::string> old = trackKeys(before), now = trackKeys(after);
  for (size_t t = 0; t < old.size(); ++t)
    trackOf.emplace(old[t], static_cast<int32_t>(t));
  for (size_t n = 0; n < before.names.size(); ++n)
    nameOf.emplace(before.names[n], static_cast<int32_t>(n));
  TraceAlignment out;
  for (size_t t = 0; t < now.size(); ++t) {
    auto track = trackOf.find(now[t]);
    out.tracks.push_back(track == trackOf.end() ? -1 : track->second);
    std::vector<int32_t> &slices = out.slices.emplace_back(after.tracks[t].slices.size(), -1);
    if (track == trackOf.end())
      continue;
    std::unordered_map<uint32_t, std::vector<int32_t>> occurrences; // places of each name in the earlier trace's track
    const std::vector<TraceSlice> &there = before.tracks[static_cast<size_t>(track->second)].slices;
    for (size_t s = 0; s < there.size(); ++s)
      occurrences[there[s].name].push_back(static_cast<int32_t>(s));
    std::unordered_map<uint32_t, size_t> count;
    for (size_t s = 0; s < slices.size(); ++s) {
      uint32_t name = after.tracks[t].slices[s].name;
      size_t number = count[name]++;
      auto same = nameOf.find(after.names[name]);
      if (same == nameOf.end())
        continue;
      const std::vector<int32_t> &of = occurrences[static_cast<uint32_t>(same->second)];
      if (number < of.size())
        slices[s] = of[number];
    }
  }
  return out;
}

} // namespace lanescope::core
