#include "core/gpu/emulator/record/FlightRecorder.h"

#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/tensor/WgmmaVariant.h"
#include "core/gpu/kernel/RegionFlights.h"
#include "core/profiler/Slices.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace lanescope::core::emulator {

namespace {

const char *nameOf(const BulkLoad &) { return "bulk load"; }
const char *nameOf(const TensorLoad &) { return "TMA load"; }
const char *nameOf(const BulkStore &) { return "bulk store"; }
const char *nameOf(const TensorStore &) { return "TMA store"; }
const char *nameOf(const CpAsync &) { return "cp.async"; }
const char *nameOf(const SharedCopy &) { return "copy to another block"; }
const char *nameOf(const RemoteStore &) { return "store to another block"; }
const char *nameOf(const LaunchAnswer &) { return "cluster launch control"; }
const char *nameOf(const CpArrive &) { return ""; }      // not a copy
const char *nameOf(const Tcgen05Commit &) { return ""; } // not a copy

constexpr const char *kWaits[] = {"mbarrier wait", "copy group wait", "wgmma wait", "tensor memory wait"};
constexpr uint64_t kSameWait = 64; // cycles between two checks of one wait
constexpr size_t kLanesApart = 16; // how many earlier flights are searched for other lanes of the same instruction

std::string lineAt(const Warp &warp, const Split &split) {
  const Grid &grid = *warp.block->grid;
  return grid.lineOf(grid.program->code[split.pc]);
}

double ns(uint64_t cycle) { return static_cast<double>(cost::kFirstNanosecond + cycle); }

} // namespace

uint64_t FlightRecorder::numberOf(const Block &block) const { return block.grid->device * blocks_ + block.linear; }

FlightRecorder::Log &FlightRecorder::log(const Block &block) {
  Log &out = logs_[numberOf(block)];
  if (!out.used) {
    out.used = true;
    out.id = block.id;
    out.sm = block.sm;
  }
  return out;
}

FlightRecorder::Log *FlightRecorder::signalledLog(Block &block, const AsyncOp &op) {
  const Signal *signal = signalOf(op);
  bool other = signal && signal->rank != block.clusterRank && signal->rank < block.cluster->blocks.size();
  return other ? &log(*block.cluster->blocks[signal->rank]) : nullptr;
}

void FlightRecorder::completing(Block &block, const AsyncOp &op) {
  bool commit = std::holds_alternative<Tcgen05Commit>(op.what);
  Issue issue =
      commit ? committed(block, op) : Issue{numberOf(block), op.issued, op.warp, block.grid->lineOf(*op.instr)};
  Source source{numberOf(block), op.time, commit ? kTensorCore : kUnit, true, "", std::move(issue)};
  log(block).source = source;
  if (Log *other = signalledLog(block, op))
    other->source = source;
}

FlightRecorder::Issue FlightRecorder::committed(Block &block, const AsyncOp &op) {
  // The work of a pair is in the log of the even block.
  uint32_t even = block.clusterRank & ~1u;
  for (const Block *leader :
       {static_cast<const Block *>(&block), static_cast<const Block *>(block.cluster->blocks[even].get())}) {
    const std::vector<Flight> &flights = logs_[numberOf(*leader)].flights;
    for (size_t n = flights.size(); n-- > 0;)
      if (flights[n].tensorOps && flights[n].end + cost::kTensorCommit == op.time)
        return flights[n].issue;
  }
  // No operation was left, so only the commit itself took until then.
  Issue issue{numberOf(block), op.issued, op.warp, block.grid->lineOf(*op.instr)};
  Log &out = log(block);
  if (out.flights.size() == kMostEntries)
    ++out.dropped;
  else
    out.flights.push_back({"tcgen05.commit", issue.line, op.issued, op.time, 0, 1, issue});
  return issue;
}

void FlightRecorder::completed(Block &block, const AsyncOp &op) {
  Log &out = log(block);
  out.source = {};
  if (Log *other = signalledLog(block, op))
    other->source = {};
  if (std::holds_alternative<CpArrive>(op.what) || std::holds_alternative<Tcgen05Commit>(op.what))
    return;
  std::string what = block.grid->lineOf(*op.instr);
  // All lanes of one cp.async are one copy, and so are all words of one st.async.
  bool byLane = std::holds_alternative<CpAsync>(op.what) || std::holds_alternative<RemoteStore>(op.what);
  size_t back = byLane ? std::min(out.flights.size(), kLanesApart) : 0;
  for (size_t n = 0; n < back; ++n) {
    Flight &earlier = out.flights[out.flights.size() - 1 - n];
    if (earlier.issue.warp == op.warp && earlier.begin == op.issued && earlier.what == what) {
      earlier.end = std::max(earlier.end, op.time);
      earlier.bytes += op.bytes;
      return;
    }
  }
  if (out.flights.size() == kMostEntries)
    ++out.dropped;
  else
    out.flights.push_back({std::visit([](const auto &kind) { return nameOf(kind); }, op.what),
                           what,
                           op.issued,
                           op.time,
                           op.bytes,
                           0,
                           {numberOf(block), op.issued, op.warp, what}});
}

void FlightRecorder::arrives(Block &target, const Warp &warp) {
  log(target).source = {numberOf(*warp.block), warp.time, warp.id, true, lineAt(warp, warp.splits[warp.current]), {}};
}

void FlightRecorder::woken(Warp &warp, const Split &split, Wait what, uint64_t end) {
  if (end <= warp.time)
    return;
  Log &out = log(*warp.block);
  // Only a copy can end a wait for a group. If `out.source` is a warp's arrival, it is from earlier and not the cause.
  bool known = what == Wait::Mbarrier || (what == Wait::Group && out.source.warp == kUnit);
  Source by = known ? out.source : Source{};
  for (size_t n = out.waits.size(); n-- > 0;)
    if (Waited &last = out.waits[n]; last.warp == warp.id) {
      if (last.what == what && warp.time <= last.end + kSameWait && what == Wait::Group) {
        last.end = end, last.by = by;
        return;
      }
      break;
    }
  if (out.waits.size() == kMostEntries)
    ++out.dropped;
  else
    out.waits.push_back({what, warp.id, warp.time, end, by, lineAt(warp, split)});
}

void FlightRecorder::multiplied(Warp &warp, const std::vector<WgmmaOp> &ops, size_t count, uint64_t begin) {
  Log &out = log(*warp.block);
  if (warp.id % 4 == 0)
    for (size_t n = 0; n < count;) {
      size_t last = n;
      while (last + 1 < count && ops[last + 1].group == ops[n].group)
        ++last;
      WgmmaVariant variant = WgmmaVariant::unpack(ops[n].instr->imm);
      uint64_t cycles = variant.columns / cost::kWgmmaColumns;
      uint64_t from = ops[n].ready - std::min(ops[n].ready, cycles);
      std::string line = warp.block->grid->lineOf(*ops[n].instr);
      if (out.flights.size() == kMostEntries)
        ++out.dropped;
      else
        out.flights.push_back({"wgmma",
                               text(last - n + 1, " x m64n", variant.columns, "k", variant.depth(), ", warpgroup ",
                                    warp.id / 4, ", ", line),
                               from,
                               ops[last].ready,
                               0,
                               0,
                               {numberOf(*warp.block), ops[n].issued, warp.id, line}});
      n = last + 1;
    }
  if (warp.time <= begin)
    return;
  size_t first = count - 1; // index of the last group's flight: each flight is a group
  while (first > 0 && ops[first - 1].group == ops[count - 1].group)
    --first;
  Issue lastGroup{numberOf(*warp.block), ops[first].issued, warp.id, warp.block->grid->lineOf(*ops[first].instr)};
  if (out.waits.size() == kMostEntries)
    ++out.dropped;
  else
    // The wait is one cycle longer, so that it includes what ends it. After the wait, the warp needs more than a cycle
    // to go on.
    out.waits.push_back({Wait::Wgmma,
                         warp.id,
                         begin,
                         warp.time + 1,
                         {numberOf(*warp.block), ops[count - 1].ready, kUnit, true, "", lastGroup},
                         lineAt(warp, warp.splits[warp.current])});
}

void FlightRecorder::computes(std::span<Block *const> blocks, const Tcgen05Op &op) {
  const Block &block = *blocks.front();
  const Grid &grid = *block.grid;
  for (const Block *each : blocks) {
    TmemUse &use = log(*each).tensorMemory;
    if (op.mma) {
      TmemMmaCells cells = op.mma->cells(op.operands);
      for (const CellBox &box : cells.d)
        use.written(box, tensorWrite(grid, *op.instr, TmemUse::Kind::Accumulator, box), !op.operands.accumulate,
                    op.begin, op.end);
      for (const std::vector<CellBox> *boxes : {&cells.a, &cells.metadata, &cells.scaleA, &cells.scaleB})
        for (const CellBox &box : *boxes)
          use.read(box, op.end);
    } else if (op.form->what == Tcgen05What::Copy) {
      for (const CellBox &box : op.form->copy.cells(op.operands.d))
        use.written(box, tensorWrite(grid, *op.instr, TmemUse::Kind::Copied, box), true, op.begin, op.end);
    }
  }
  const char *name = op.mma ? "tcgen05.mma" : op.form->what == Tcgen05What::Copy ? "tcgen05.cp" : "tcgen05.shift";
  std::string what = text(op.mma ? op.mma->name() + ", " : std::string(), grid.lineOf(*op.instr));
  Log &out = log(block);
  if (!out.flights.empty())
    if (Flight &last = out.flights.back(); last.tensorOps && last.end == op.begin && last.name == name &&
                                           last.what == what && last.issue.warp == op.warp) {
      last.end = op.end;
      ++last.tensorOps;
      return;
    }
  if (out.flights.size() == kMostEntries)
    ++out.dropped;
  else
    out.flights.push_back({name,
                           std::move(what),
                           op.begin,
                           op.end,
                           0,
                           1,
                           {numberOf(*blocks[op.rank % blocks.size()]), op.issued, op.warp, grid.lineOf(*op.instr)}});
}

void FlightRecorder::loads(const Warp &warp, std::span<const CellBox> cells, uint64_t end) {
  for (const CellBox &box : cells)
    log(*warp.block).tensorMemory.read(box, end);
}

void FlightRecorder::stores(const Warp &warp, const Instr &i, std::span<const CellBox> cells) {
  for (const CellBox &box : cells)
    log(*warp.block)
        .tensorMemory.written(box, tensorWrite(*warp.block->grid, i, TmemUse::Kind::Stored, box), true, warp.time,
                              warp.time);
}

TmemUse::What FlightRecorder::tensorWrite(const Grid &grid, const Instr &i, TmemUse::Kind kind,
                                          const CellBox &box) const {
  Span place = grid.spanOf(i);
  LineColumn at = place.source->lineColumn(place.begin);
  return {kind, arrayAt(arrays_, box.column, box.columns, place.source == grid.snippet ? at.line : 0),
          text(place.source->name(), ":", at.line)};
}

std::pair<std::string, std::string> FlightRecorder::tensorWords(const TmemUse::Period &period) const {
  constexpr const char *kWriters[] = {"accumulator", "stored", "copied"};
  std::string writer = kWriters[static_cast<size_t>(period.what.kind)];
  std::string columns = text("columns ", period.first, " to ", period.first + period.columns - 1, ", ");
  if (period.what.array < 0)
    return {"TMEM " + writer, columns + period.what.line};
  const layouts::TmemArray &array = arrays_[static_cast<size_t>(period.what.array)].array;
  return {"TMEM " + partName(array, period.first, period.columns),
          text(writer, ", ", columns, layouts::typeText(array), array.collective ? ", in both blocks of a pair" : "",
               ", ", period.what.line)};
}

class FlightRecorder::Adder {
public:
  Adder(const FlightRecorder &recorder, Trace &trace, const ProfileSpec &spec, const std::array<uint32_t, 3> &grid)
      : recorder_(recorder), trace_(trace), spec_(spec), grid_(grid), warps_(spec.threadsPerTrace / 32) {
    for (size_t i = 0; i < trace.tracks.size(); ++i)
      tracks_[trace.tracks[i].tid] = i;
  }

  void add(uint32_t device) {
    uint64_t dropped = 0;
    for (const Log &log : std::span(recorder_.logs_).subspan(device * recorder_.blocks_, recorder_.blocks_))
      if (log.used) {
        addLog(log);
        dropped += log.dropped + (log.tensorMemory.size() > kMostEntries ? log.tensorMemory.size() - kMostEntries : 0);
      }
    for (auto [track, slices] : added_) {
      std::vector<TraceSlice> &into = trace_.tracks[track].slices;
      into.insert(into.end(), slices.begin(), slices.end());
      nestSlices(into);
    }
    sortFlights();
    std::ranges::stable_sort(trace_.flows, {}, [](const TraceFlow &flow) { return flow.from.ns; });
    if (dropped > 0)
      trace_.warnings.push_back(
          {Severity::Warning,
           "trace-flights",
           {},
           text(dropped, " copies, wgmmas and waits are left out: a block's trace holds ", kMostEntries, " of each"),
           {}});
  }

private:
  uint64_t blockIndex(const std::array<uint32_t, 3> &id) const { // row-major, in the order of the profiler
    return (uint64_t{id[0]} * grid_[1] + id[1]) * grid_[2] + id[2];
  }

  size_t track(const Log &log, int64_t tid, std::string name) {
    auto [at, isNew] = tracks_.try_emplace(tid, trace_.tracks.size());
    if (isNew)
      trace_.tracks.push_back({1 + int64_t{log.sm}, tid, text("SM ", log.sm), std::move(name), {}});
    return at->second;
  }
  size_t unitTrack(const Log &log) {
    uint64_t block = blockIndex(log.id);
    return track(log, flightTid(spec_, grid_, block), text(traceBlockName(grid_, block), " in flight"));
  }
  size_t tensorTrack(const Log &log) {
    uint64_t block = blockIndex(log.id), blocks = uint64_t{grid_[0]} * grid_[1] * grid_[2];
    return track(log, flightTid(spec_, grid_, blocks + block), text(traceBlockName(grid_, block), " tensor core"));
  }
  size_t tensorMemoryTrack(const Log &log) {
    uint64_t block = blockIndex(log.id), blocks = uint64_t{grid_[0]} * grid_[1] * grid_[2];
    return track(log, flightTid(spec_, grid_, 2 * blocks + block),
                 text(traceBlockName(grid_, block), " tensor memory"));
  }
  /// The track of the traced group that has this warp as its first one. Nothing for the group's other warps.
  std::optional<size_t> groupTrack(const Log &log, uint32_t warp) {
    if (warp % warps_ != 0 || warp / warps_ >= spec_.tracesPerBlock)
      return std::nullopt;
    uint64_t index = blockIndex(log.id) * spec_.tracesPerBlock + warp / warps_;
    return track(log, static_cast<int64_t>(1 + index), traceGroupName(spec_, grid_, index));
  }

  uint32_t place(const std::string &line) {
    auto [at, isNew] = places_.try_emplace(line, static_cast<uint32_t>(trace_.places.size()));
    if (isNew)
      trace_.places.push_back(line);
    return at->second;
  }

  /// Sorts the flights by their begin, and sets for each wait the flight that ended it. If one issue has several
  /// flights, the flight that ended at that time is chosen.
  void sortFlights() {
    std::vector<uint32_t> order(trace_.flights.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](uint32_t f) { return trace_.flights[f].beginNs; });
    std::vector<TraceFlight> sorted;
    std::vector<uint32_t> now(order.size());
    for (uint32_t f : order) {
      now[f] = static_cast<uint32_t>(sorted.size());
      sorted.push_back(std::move(trace_.flights[f]));
    }
    trace_.flights = std::move(sorted);
    for (const auto &[flow, source] : ended_) {
      auto found = issues_.find(source->issue);
      if (found == issues_.end())
        continue;
      const std::vector<uint32_t> &flights = found->second;
      auto over =
          std::ranges::find(flights, ns(source->time), [&](uint32_t f) { return trace_.flights[now[f]].endNs; });
      trace_.flows[flow].flight = now[over == flights.end() ? flights[0] : *over];
    }
  }

  TracePoint point(size_t track, double at) const { return {trace_.tracks[track].pid, trace_.tracks[track].tid, at}; }

  /// Adds a slice for what released a waiting warp, so that an arrow can begin there. Adds it only once.
  TracePoint arrival(const Source &source) {
    const Log &log = recorder_.logs_[source.block];
    // An arrival by a warp other than the group's first is shown as one cycle. Such a slice fits between any two slices
    // of the first warp.
    std::optional<size_t> own;
    bool unit = source.warp >= kTensorCore, first = source.warp % warps_ == 0;
    if (!unit)
      own = groupTrack(log, source.warp - source.warp % warps_);
    size_t at = own ? *own : source.warp == kTensorCore ? tensorTrack(log) : unitTrack(log);
    if (arrivals_.emplace(at, source.time).second)
      added_[at].push_back({traceName(trace_, "arrive"), 0, ns(source.time),
                            ns(source.time + (unit || first ? cost::kMbarrier : 1)),
                            source.line.empty() ? 0 : place(source.line)});
    return point(at, ns(source.time));
  }

  /// The point in the track of the traced group that issued a flight, if that group has a track.
  std::optional<TracePoint> issuer(const Issue &issue) const {
    const Log &log = recorder_.logs_[issue.block];
    uint64_t index = blockIndex(log.id) * spec_.tracesPerBlock + issue.warp / warps_;
    return TracePoint{1 + int64_t{log.sm}, static_cast<int64_t>(1 + index), ns(issue.cycle)};
  }

  void addLog(const Log &log) {
    for (const Flight &flight : log.flights) {
      const TraceTrack &unit = trace_.tracks[flight.tensorOps ? tensorTrack(log) : unitTrack(log)];
      std::string detail = flight.bytes           ? text(flight.bytes, " bytes, ", flight.what)
                           : flight.tensorOps > 1 ? text(flight.tensorOps, " x ", flight.what)
                                                  : flight.what;
      issues_[flight.issue].push_back(static_cast<uint32_t>(trace_.flights.size()));
      trace_.flights.push_back({traceName(trace_, flight.name), unit.pid, unit.tid, ns(flight.begin), ns(flight.end),
                                std::move(detail), issuer(flight.issue), place(flight.issue.line)});
    }
    size_t periods = 0;
    for (const TmemUse::Period &period : log.tensorMemory.periods()) {
      if (++periods > kMostEntries)
        break;
      const TraceTrack &memory = trace_.tracks[tensorMemoryTrack(log)];
      auto [name, what] = recorder_.tensorWords(period);
      trace_.flights.push_back(
          {traceName(trace_, name), memory.pid, memory.tid, ns(period.begin), ns(period.end), std::move(what)});
    }
    for (const Waited &wait : log.waits) {
      std::optional<size_t> at = groupTrack(log, wait.warp);
      if (!at)
        continue;
      uint32_t name = traceName(trace_, kWaits[static_cast<size_t>(wait.what)]);
      added_[*at].push_back({name, 0, ns(wait.begin), ns(wait.end), place(wait.line)});
      if (!wait.by.some)
        continue;
      if (wait.by.warp >= kTensorCore)
        ended_.emplace_back(trace_.flows.size(), &wait.by);
      trace_.flows.push_back({name, arrival(wait.by), point(*at, ns(wait.end - 1))});
    }
  }

  const FlightRecorder &recorder_;
  Trace &trace_;
  const ProfileSpec &spec_;
  const std::array<uint32_t, 3> &grid_;
  uint32_t warps_; // warps of a traced group
  std::map<int64_t, size_t> tracks_;
  std::map<size_t, std::vector<TraceSlice>> added_; // by track
  std::set<std::pair<size_t, uint64_t>> arrivals_;  // by track and cycle
  std::map<std::string, uint32_t> places_;
  std::map<Issue, std::vector<uint32_t>> issues_; // the flights of each issue, in the order in which they were added
  std::vector<std::pair<size_t, const Source *>> ended_; // flows that begin at a flight
};

void FlightRecorder::addTo(Trace &trace, const ProfileSpec &spec, const std::array<uint32_t, 3> &grid,
                           uint32_t device) const {
  if (spec.tracesPerBlock == 0 || spec.threadsPerTrace < 32)
    return;
  Adder(*this, trace, spec, grid).add(device);
}

} // namespace lanescope::core::emulator
