#include "layouts/cost/Relayout.h"

#include "layouts/cost/AccessGroups.h"
#include "layouts/cost/RelayoutPlan.h"
#include "layouts/cost/SmemAccess.h"
#include "layouts/Placement.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>

namespace lanescope::layouts {

namespace {

constexpr int64_t kMaxValues = int64_t(1) << 22;
/// Padding between the rows of the scratch buffer, in bytes, so that neighbouring rows begin in different banks. 16:
/// for accesses of 16 bytes per lane. 32: for fragments, in which four lanes store 8 bytes each of a row.
constexpr std::array<int64_t, 3> kPadBytes = {16, 32, 0};

const WGSplatFragLayout *splatOf(const Layout &layout) {
  const auto *registers = std::get_if<RegisterLayout>(&layout);
  return registers ? std::get_if<WGSplatFragLayout>(registers) : nullptr;
}

/// The owner of a value that is nearest to a place: the same slot, or else another slot of the same thread, a lane of
/// the same warp with a nearby number, or any owner.
int32_t nearest(std::span<const int32_t> owners, const ElementMap &from, int thread, int32_t value) {
  int32_t best = owners.front();
  int bestDistance = 1 << 30;
  for (int32_t slot : owners) {
    int other = slot / from.values();
    int distance = other == thread                                   ? (slot % from.values() == value ? 0 : 1)
                   : other / kLanesPerWarp == thread / kLanesPerWarp ? 1 + ((other ^ thread) & (kLanesPerWarp - 1))
                                                                     : 1 << 20;
    if (distance < bestDistance) {
      best = slot;
      bestDistance = distance;
    }
  }
  return best;
}

/// Finds the slot that each value of the result comes from.
Result<std::vector<Source>> sourcesOf(const ElementMap &from, const ElementMap &to) {
  std::span<const int32_t> elements = to.elements(), sole = from.soleSlots();
  std::vector<Source> out(elements.size(), Source{-1, 0});
  const int32_t values = from.values();
  size_t slot = 0;
  for (int thread = 0; thread < to.threads(); ++thread)
    for (int32_t value = 0; value < to.values(); ++value, ++slot) {
      if (elements[slot] < 0)
        continue;
      int32_t owner;
      if (!sole.empty()) {
        owner = sole[elements[slot]];
      } else {
        std::span<const int32_t> owners = from.slots(elements[slot]);
        if (owners.empty())
          return error("no-owner", Message("element {coordinates} is held by no thread of the first layout",
                                           tupleText(unravelIndex(elements[slot], from.shape()))));
        owner = owners.size() == 1 ? owners.front() : nearest(owners, from, thread, value);
      }
      int32_t source = owner / values;
      out[slot] = {source, owner - source * values};
    }
  return out;
}

void classify(RelayoutReport &report, const ElementMap &from, const ElementMap &to, const WordMap &fromWords,
              const WordMap &toWords, const std::vector<Source> &sources) {
  report.moves.reserve(sources.size());
  size_t slot = 0;
  for (int thread = 0; thread < to.threads(); ++thread)
    for (int32_t value = 0; value < to.values(); ++value, ++slot) {
      auto [other, sourceValue] = sources[slot];
      if (other < 0)
        continue;
      MoveKind kind = MoveKind::OtherWarp;
      if (other == thread)
        kind =
            fromWords.word(sourceValue, 0) == toWords.word(value, 0) && fromWords.bit(sourceValue) == toWords.bit(value)
                ? MoveKind::Stays
                : MoveKind::SameThread;
      else if (other / kLanesPerWarp == thread / kLanesPerWarp)
        kind = MoveKind::SameWarp;
      ++report.values[static_cast<size_t>(kind)];
      report.moves.push_back({other * from.values() + sourceValue, static_cast<int32_t>(slot), kind});
    }
}

/// Row-major offsets with `pad` elements after each row.
std::vector<int32_t> paddedOffsets(const Shape &shape, int64_t pad) {
  int64_t columns = shape.empty() ? 1 : shape.back();
  std::vector<int32_t> out(static_cast<size_t>(elementCount(shape)));
  int32_t offset = 0;
  for (size_t i = 0; i < out.size(); offset += static_cast<int32_t>(pad))
    for (int64_t column = 0; column < columns; ++column)
      out[i++] = offset++;
  return out;
}

/// Counts the wavefronts of all warps.
SmemCount countAll(const SmemOp &op, const ElementMap &map, const AccessGroups &groups,
                   const std::vector<int32_t> &offsets, int bitwidth) {
  SmemCount out;
  std::array<int32_t, kLanesPerWarp> addresses;
  for (int i = 0; i < groups.instructions(); ++i)
    for (int first = 0; first < map.threads(); first += kLanesPerWarp) {
      for (int lane = 0; lane < kLanesPerWarp; ++lane) {
        int32_t element = -1;
        if (first + lane < map.threads())
          element = map.elements()[static_cast<size_t>(first + lane) * map.values() + groups.first(i)];
        addresses[lane] = element < 0 ? kNoAddress : static_cast<int32_t>(int64_t(offsets[element]) * bitwidth / 8);
      }
      SmemCount one = smemWavefronts(op, addresses);
      out.wavefronts += one.wavefronts;
      out.phases += one.phases;
    }
  return out;
}

std::optional<SharedMemoryTrip> tripOf(const ElementMap &from, const ElementMap &to, int bitwidth) {
  std::optional<SharedMemoryTrip> best;
  for (int64_t padBytes : kPadBytes) {
    if (padBytes != 0 && to.shape().size() < 2)
      continue;
    if (best && best->conflicts == 0)
      break; // the access has no conflicts left
    std::vector<int32_t> offsets = paddedOffsets(to.shape(), padBytes * 8 / bitwidth);
    std::span<const int32_t> view(offsets);
    auto stores = widestGroups(from, view, bitwidth), loads = widestGroups(to, view, bitwidth);
    if (!stores || !loads)
      continue;
    SmemOp store{.kind = SmemOp::Kind::Store, .bytes = stores->bytes}, load{.bytes = loads->bytes};
    SmemCount stored = countAll(store, from, *stores, offsets, bitwidth);
    SmemCount loaded = countAll(load, to, *loads, offsets, bitwidth);
    SharedMemoryTrip trip{
        .scratch = padBytes == 0 ? "row-major" : text("row-major, rows padded by ", padBytes, " bytes"),
        .bytes = offsets.empty() ? 0 : (int64_t(offsets.back()) + 1) * bitwidth / 8,
        .storeBytes = stores->bytes,
        .loadBytes = loads->bytes,
        .stores = stores->instructions(),
        .loads = loads->instructions(),
        .storeWavefronts = stored.wavefronts,
        .loadWavefronts = loaded.wavefronts,
        .conflicts = stored.conflicts() + loaded.conflicts(),
    };
    if (!best || trip.storeWavefronts + trip.loadWavefronts < best->storeWavefronts + best->loadWavefronts)
      best = std::move(trip);
  }
  return best;
}

/// True if shuffling takes no longer than the round trip. For each warp, a shuffle occupies the pipe of shared memory
/// as long as a wavefront does, and a select or permute takes half as long (CUDA C++ Programming Guide, "Throughput of
/// Native Arithmetic Instructions": 32 and 64 results per clock).
bool shufflesWin(const RelayoutCounts &counts, const SharedMemoryTrip &trip, int warps) {
  int64_t shuffling = 2 * counts.shuffles + counts.selects + counts.prmt;
  return shuffling * warps <= 2 * (trip.storeWavefronts + trip.loadWavefronts);
}

void raise(RelayoutCounts &most, const RelayoutCounts &counts) {
  most.registersMoved = std::max(most.registersMoved, counts.registersMoved);
  most.prmt = std::max(most.prmt, counts.prmt);
  most.shuffles = std::max(most.shuffles, counts.shuffles);
  most.selects = std::max(most.selects, counts.selects);
}

/// Sets the plan's mechanism and counts for a conversion in which every value stays in its warp.
void planWarps(RelayoutReport &report, const ElementMap &from, const ElementMap &to, const WordMap &fromWords,
               const WordMap &toWords, const std::vector<Source> &sources) {
  size_t perWarp = static_cast<size_t>(kLanesPerWarp) * to.values();
  for (int warp = 0; warp * kLanesPerWarp < to.threads(); ++warp) {
    auto mine = std::span(sources).subspan(warp * perWarp);
    WarpPlan plan = planWarp(from, to, fromWords, toWords, warp, mine.first(std::min(perWarp, mine.size())));
    raise(report.counts, plan.counts);
    report.shufflesAtLeast = std::max(report.shufflesAtLeast, plan.shufflesAtLeast);
  }
}

/// True if every value stays in place, and the registers have the same numbers and lengths. For layouts of other
/// languages only the values count, because they name no registers.
bool isIdentity(const RelayoutReport &report, const ElementMap &from, const ElementMap &to) {
  bool named = !std::holds_alternative<Foreign>(from.layout()) && !std::holds_alternative<Foreign>(to.layout());
  if (named && (from.registers() != to.registers() || from.vector() != to.vector()))
    return false;
  return std::all_of(report.moves.begin(), report.moves.end(),
                     [](const RelayoutMove &move) { return move.kind == MoveKind::Stays; });
}

/// The cost of shuffles, in wavefronts, as shufflesWin() compares it.
std::string shuffleCost(const RelayoutCounts &plan, const SharedMemoryTrip &trip, int warps) {
  std::string more = plan.selects > 0 ? text(" and ", plan.selects, " selects") : "";
  if (plan.prmt > 0)
    more += text(" and ", plan.prmt, " byte permutes");
  auto halves = [](int64_t twice) { return text(twice / 2, twice % 2 != 0 ? ".5" : ""); };
  int64_t wavefronts = trip.storeWavefronts + trip.loadWavefronts;
  return text(plan.shuffles, " shuffles", more, " per thread keep a warp as long as ",
              halves(2 * plan.shuffles + plan.selects + plan.prmt), " wavefronts; the ", trip.stores, " stores and ",
              trip.loads, " loads of the round trip take ", halves(2 * wavefronts / std::max(warps, 1)));
}

/// `plan`: the counts of the shuffles.
std::string describe(const RelayoutReport &report, const RelayoutCounts &plan, int warps) {
  switch (report.mechanism) {
  case RelayoutMechanism::Nothing: return "both layouts hold the same elements in the same registers";
  case RelayoutMechanism::Renaming: return "whole registers only change their numbers";
  case RelayoutMechanism::BytePermutes: return "every value stays in its thread; parts of registers are joined anew";
  case RelayoutMechanism::Shuffles:
    return text("every value stays in its warp; a plan of ", report.counts.shuffles, " shuffles per thread",
                report.counts.shuffles == report.shufflesAtLeast ? ", the fewest possible"
                                                                 : text(", at least ", report.shufflesAtLeast));
  case RelayoutMechanism::SharedMemory:
    if (report.values[static_cast<size_t>(MoveKind::OtherWarp)] > 0)
      return "values change warps";
    return text("every value stays in its warp, but shuffles would take longer: ",
                shuffleCost(plan, *report.shared, warps));
  }
  return {};
}

Result<RelayoutReport> fromSplat(const WGSplatFragLayout &splat, const Layout &to, const Shape &shape, int bitwidth) {
  if (!splat.canBroadcastTo(shape))
    return error("shape-mismatch",
                 Message("`{layout}` cannot be broadcast to shape {shape}", jaxText(splat), tupleText(shape)));
  RelayoutReport report;
  report.bitwidth = bitwidth;
  report.basis = RelayoutBasis::Lowering;
  report.lowered = true;
  report.threads = kThreadsPerWarpgroup;
  if (splatOf(to)) {
    report.how = "a constant stays one";
    return report;
  }
  auto map = elementMapOf(to, shape);
  if (!map)
    return std::unexpected(std::move(map.error()));
  report.threads = map->threads();
  report.mechanism = RelayoutMechanism::Renaming;
  report.how = "every register of the result is the constant";
  return report;
}

} // namespace

std::string_view name(RelayoutMechanism mechanism) {
  switch (mechanism) {
  case RelayoutMechanism::Nothing: return "nothing";
  case RelayoutMechanism::Renaming: return "renaming registers";
  case RelayoutMechanism::BytePermutes: return "byte permutes";
  case RelayoutMechanism::Shuffles: return "shuffles";
  case RelayoutMechanism::SharedMemory: return "shared memory";
  }
  return "";
}

std::string_view name(MoveKind kind) {
  switch (kind) {
  case MoveKind::Stays: return "same register";
  case MoveKind::SameThread: return "same thread";
  case MoveKind::SameWarp: return "same warp";
  case MoveKind::OtherWarp: return "other warp";
  }
  return "";
}

Result<RelayoutReport> relayout(const ElementMap &from, const ElementMap &to, int bitwidth) {
  if (from.shape() != to.shape())
    return error("shape-mismatch", Message("the layouts hold arrays of shapes {shape} and {other_shape}",
                                           tupleText(from.shape()), tupleText(to.shape())));
  if (from.threads() != to.threads())
    return error("thread-count",
                 Message("the first layout is of {threads} threads, the second of {}; a relayout keeps the threads",
                         from.threads(), to.threads()));
  for (const ElementMap *map : {&from, &to})
    if (Result<void> warps = checkNvidiaWarps(*map, "the instructions of a relayout are counted for"); !warps)
      return std::unexpected(std::move(warps.error()));
  if (bitwidth != 1 && bitwidth != 4 && bitwidth != 8 && bitwidth != 16 && bitwidth != 32 && bitwidth != 64)
    return error("bitwidth", Message("elements of {bits} bits are not supported", bitwidth));
  if (int64_t most = std::max(from.elements().size(), to.elements().size()); most > kMaxValues)
    return error("too-large", Message("the layouts have {values} values; costs of up to {limit} are counted, and those "
                                      "of larger arrays are multiples",
                                      most, kMaxValues));
  auto sources = sourcesOf(from, to);
  if (!sources)
    return std::unexpected(std::move(sources.error()));
  RelayoutReport report;
  report.bitwidth = bitwidth;
  report.threads = to.threads();
  WordMap fromWords(from, bitwidth), toWords(to, bitwidth);
  classify(report, from, to, fromWords, toWords, *sources);
  bool crosses = report.values[static_cast<size_t>(MoveKind::OtherWarp)] > 0;
  if (!crosses)
    planWarps(report, from, to, fromWords, toWords, *sources);
  else
    report.counts.registersMoved = toWords.words();
  if (crosses || report.counts.shuffles > 0)
    report.shared = tripOf(from, to, bitwidth);

  int warps = (to.threads() + kLanesPerWarp - 1) / kLanesPerWarp;
  const RelayoutCounts plan = report.counts;
  if (crosses || (report.counts.shuffles > 0 && report.shared && !shufflesWin(report.counts, *report.shared, warps))) {
    report.mechanism = RelayoutMechanism::SharedMemory;
    report.counts = {.registersMoved = toWords.words()};
  } else if (report.counts.shuffles > 0) {
    report.mechanism = RelayoutMechanism::Shuffles;
  } else if (report.counts.prmt + report.counts.selects > 0) {
    report.mechanism = RelayoutMechanism::BytePermutes;
  } else if (!isIdentity(report, from, to)) {
    report.mechanism = RelayoutMechanism::Renaming;
  }
  report.how = describe(report, plan, warps);
  return report;
}

Result<RelayoutReport> relayout(const Layout &from, const Layout &to, const Shape &shape, int bitwidth) {
  if (const auto *splat = splatOf(from))
    return fromSplat(*splat, to, shape, bitwidth);
  if (splatOf(to))
    return error("layout-splat", "only a constant has the splat layout; an array in other layouts cannot become one");
  auto fromMap = elementMapOf(from, shape), toMap = elementMapOf(to, shape);
  if (!fromMap)
    return std::unexpected(std::move(fromMap.error()));
  if (!toMap)
    return std::unexpected(std::move(toMap.error()));
  auto report = relayout(*fromMap, *toMap, bitwidth);
  if (!report)
    return report;
  if (from == to) {
    report->basis = RelayoutBasis::Lowering;
    report->lowered = true;
    return report;
  }
  int64_t words = int64_t(toMap->values()) * bitwidth / kLanesPerWarp;
  auto known = knownRelayout(from, to, shape, bitwidth, words);
  if (!known)
    return report;
  report->lowered = true;
  report->basis = RelayoutBasis::Lowering;
  report->how = std::move(known->how);
  if (known->counts) {
    report->mechanism = RelayoutMechanism::Shuffles;
    int64_t moved = report->counts.registersMoved;
    report->counts = *known->counts;
    report->counts.registersMoved = moved;
  }
  return report;
}

} // namespace lanescope::layouts
