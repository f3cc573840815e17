#include "layouts/cost/Verdicts.h"

#include "layouts/Catalogue.h"
#include "layouts/Placement.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <array>
#include <charconv>
#include <vector>

namespace lanescope::layouts {

namespace {

/// Counts in words: "3 stores, 2 loads and 1 select"; counts of 0 are left out.
std::string listedCounts(std::initializer_list<std::pair<int64_t, std::string_view>> counts) {
  std::vector<std::string> parts;
  for (auto [count, one] : counts)
    if (count)
      parts.push_back(counted(count, one));
  std::string out;
  for (size_t n = 0; n < parts.size(); ++n)
    out += text(n == 0 ? "" : n + 1 == parts.size() ? " and " : ", ", parts[n]);
  return out;
}

/// A factor in words, with two digits: "4 times", "1.5 times".
std::string timesText(double factor) {
  char room[32];
  auto end = std::to_chars(room, room + sizeof room, factor, std::chars_format::general, factor < 10 ? 2 : 3).ptr;
  return text(std::string_view(room, end), " times");
}

std::string keepWords(const Layout &from) {
  std::optional<std::string> name = catalogueName(from);
  return text("keep the array in ", name ? text("`", *name, "`") : std::string("the layout that it has"),
              " and it is free");
}

} // namespace

Verdict verdictOn(const RelayoutReport &report, const Layout &from) {
  const RelayoutCounts &counts = report.counts;
  switch (report.mechanism) {
  case RelayoutMechanism::Nothing: return {true, "free: every value stays where it is"};
  case RelayoutMechanism::Renaming: return {true, "free: values stay in their threads, and registers get other names"};
  case RelayoutMechanism::BytePermutes:
    return {true, text("cheap: ", listedCounts({{counts.prmt, "byte permute"}, {counts.selects, "select"}}),
                       " a warp, and no value leaves its thread")};
  case RelayoutMechanism::Shuffles: {
    std::string bound;
    if (report.shufflesAtLeast > 0)
      bound = counts.shuffles == report.shufflesAtLeast
                  ? ", and no plan needs fewer shuffles"
                  : text(", where no plan needs fewer than ", report.shufflesAtLeast);
    return {false, text("costs ",
                        listedCounts(
                            {{counts.shuffles, "shuffle"}, {counts.prmt, "byte permute"}, {counts.selects, "select"}}),
                        " a warp", bound, "; ", keepWords(from))};
  }
  case RelayoutMechanism::SharedMemory: break;
  }
  if (!report.shared)
    return {false, text("takes a round trip through shared memory; ", keepWords(from))};
  const SharedMemoryTrip &trip = *report.shared;
  return {false, text("costs a round trip through shared memory: ",
                      listedCounts({{trip.stores, "store"}, {trip.loads, "load"}}), " a warp, ",
                      counted(trip.storeWavefronts + trip.loadWavefronts, "wavefront"), " in all and ", trip.bytes,
                      " bytes of scratch; ", keepWords(from))};
}

std::optional<SwizzleAdvice> swizzleAdvice(const SmemOp &op, const ElementMap &map, const SmemMap &memory,
                                           const ConflictReport &report) {
  if (report.conflicts() == 0 || memory.tiling().empty())
    return std::nullopt;
  SwizzleAdvice best{.swizzle = std::nullopt, .wavefronts = report.wavefronts};
  for (int swizzle : {16, 32, 64, 128}) {
    if (memory.swizzle().value_or(16) == swizzle)
      continue;
    auto other = SmemMap::of(memory.shape(), memory.bitwidth(), memory.tiling(), swizzle, memory.transpose());
    if (!other)
      continue; // the tiles' rows are not as long as this swizzle
    auto counted = conflicts(op, map, AddressMap::of(*other));
    if (counted && counted->wavefronts < best.wavefronts)
      best = {swizzle, counted->wavefronts};
  }
  return best;
}

Verdict verdictOn(const ConflictReport &report, const std::optional<SwizzleAdvice> &advice) {
  if (report.conflicts() == 0)
    return {true, text("no bank conflicts: ", counted(report.wavefronts, "wavefront"), ", as few as the bytes need")};
  std::string what;
  if (advice && !advice->swizzle)
    what = "; no other swizzle of these tiles takes fewer";
  else if (advice) {
    std::string name = *advice->swizzle == 16 ? "no swizzle" : text("a ", *advice->swizzle, "-byte swizzle");
    what =
        text("; ", name, advice->wavefronts == report.ideal ? " removes them" : text(" leaves ", advice->wavefronts));
  }
  double factor = static_cast<double>(report.wavefronts) / static_cast<double>(report.ideal);
  return {false, text(timesText(factor), " as many wavefronts as without bank conflicts: ", report.wavefronts,
                      " where ", report.ideal, " would do", what)};
}

Verdict verdictOn(const CoalescingReport &report, const ElementMap &map, const Shape &strides, int bitwidth) {
  if (report.sectors == report.idealSectors)
    return {true, text("good: every sector of ", kSectorBytes, " bytes that is moved is used in full")};
  std::string what;
  if (auto strided = WGStridedFragLayout::fromShapedType(map.shape(), bitwidth))
    if (auto other = elementMapOf(Layout(RegisterLayout(*strided)), map.shape()))
      if (auto counted = coalescing(*other, strides, bitwidth); counted && counted->sectors < report.sectors)
        what = text("; in `", jaxText(*strided), "` it takes ", counted->sectors);
  double factor = static_cast<double>(report.sectors) / static_cast<double>(std::max<int64_t>(report.idealSectors, 1));
  return {false, text(timesText(factor), " as many sectors of ", kSectorBytes,
                      " bytes as the data fill: ", report.sectors, " where ", report.idealSectors, " would do", what)};
}

} // namespace lanescope::layouts
