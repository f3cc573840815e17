#include "repl/debug/DebugWords.h"

#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <array>
#include <map>

namespace lanescope::repl {

using core::CodePlace;
using core::Flight;
using core::Stop;
using core::StopReason;
using core::WarpRef;

namespace {

/// A text such as "warps 0-2, 5".
std::string warpsWords(const std::vector<uint32_t> &warps) {
  std::string out = warps.size() == 1 ? "warp " : "warps ";
  for (size_t n = 0; n < warps.size();) {
    size_t last = n;
    while (last + 1 < warps.size() && warps[last + 1] == warps[last] + 1)
      ++last;
    out += text(n ? ", " : "", warps[n]);
    if (last > n)
      out += text("-", warps[last]);
    n = last + 1;
  }
  return out;
}

/// A text for several warps, grouped by block.
std::string groupWords(const DebugTarget &target, const std::vector<WarpRef> &warps) {
  std::map<uint32_t, std::vector<uint32_t>> byBlock;
  for (WarpRef warp : warps)
    byBlock[warp.block].push_back(warp.warp);
  std::string out;
  for (const auto &[block, numbers] : byBlock)
    out += text(out.empty() ? "" : "; ", warpsWords(numbers), " of ", core::blockWords(target.launch, block));
  return out;
}

std::string trimmedLine(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return std::string(line);
}

std::string lineText(const Span &span) {
  if (!span.source)
    return {};
  LineColumn place = span.source->lineColumn(span.begin);
  return trimmedLine(shownLine(span.source->lineText(place.line), place.column - 1));
}

} // namespace

std::string warpWords(const DebugTarget &target, WarpRef warp) {
  return text("warp ", warp.warp, " of ", core::blockWords(target.launch, warp.block));
}

std::string placeWords(const CodePlace &place) {
  return place.snippetLine ? text("line ", place.snippetLine) : text("PTX line ", place.ptxLine);
}

std::string stopWords(const DebugTarget &target, const Stop &stop) {
  std::string out;
  switch (stop.reason) {
  case StopReason::Start: out = "at the start: "; break;
  case StopReason::Step: break;
  case StopReason::Breakpoint:
    if (!stop.breakpoints.empty())
      out = text("breakpoint ", joined(stop.breakpoints, ", "), ": ");
    break;
  case StopReason::Watchpoint: out = text("watchpoint ", joined(stop.breakpoints, ", "), ": "); break;
  case StopReason::Fault: out = "at the moment before a fault: "; break;
  case StopReason::End: return text("the run has ended, at moment ", stop.moment, ", cycle ", stop.cycle, "\n");
  case StopReason::Limit: out = "stopped before it came there: "; break;
  }
  if (!stop.place && stop.fault)
    out = "no warp can go on: ";
  out += warpWords(target, stop.warp);
  if (stop.landing)
    out += ", copies land next";
  if (stop.place)
    out += text(" at ", placeWords(*stop.place));
  out += text(", moment ", stop.moment, ", cycle ", stop.cycle, "\n");
  if (!stop.what.empty())
    out += text("  ", stop.what, "\n");
  if (stop.place && stop.place->snippetLine)
    out += text("  ", stop.place->snippetLine, "  ", lineText(stop.place->snippet), "\n");
  if (stop.place)
    out += text("  PTX ", stop.place->ptxLine, "  ", lineText(stop.place->ptx), "\n");
  if (stop.fault)
    out += render(*stop.fault);
  return out;
}

std::string whereWords(const DebugTarget &target, const std::vector<core::WarpPlace> &warps, WarpRef focus) {
  struct Group {
    std::vector<WarpRef> warps;
    CodePlace place;
    bool focused = false;
  };
  std::vector<Group> groups;
  std::vector<WarpRef> ended;
  for (const core::WarpPlace &warp : warps) {
    if (warp.places.empty())
      ended.push_back(warp.warp);
    for (const CodePlace &place : warp.places) {
      auto same = [&](const Group &group) {
        return group.warps.front().block == warp.warp.block && group.place.pc == place.pc &&
               group.place.lanes == place.lanes && group.place.waitsFor == place.waitsFor;
      };
      auto found = std::ranges::find_if(groups, same);
      if (found == groups.end())
        found = groups.insert(groups.end(), Group{{}, place, false});
      found->warps.push_back(warp.warp);
      found->focused |= warp.warp == focus;
    }
  }
  std::string out;
  for (const Group &group : groups) {
    const CodePlace &place = group.place;
    out += text(group.focused ? "* " : "  ", groupWords(target, group.warps), ": ", placeWords(place), ", `",
                place.opcode, "`");
    if (place.lanes != UINT32_MAX)
      out += text(", lanes 0x", hexDigits(place.lanes, 8));
    out += place.waitsFor.empty() ? "\n" : text(", waits for ", place.waitsFor, "\n");
  }
  if (!ended.empty())
    out += text("  ", groupWords(target, ended), ended.size() == 1 ? ": has ended\n" : ": have ended\n");
  return out.empty() ? "no block runs\n" : out;
}

std::string barrierWords(const DebugTarget &target, const std::vector<core::BarrierState> &barriers) {
  std::string out;
  for (const core::BarrierState &barrier : barriers) {
    out += barrier.named ? text("barrier ", barrier.address) : text("mbarrier at ", barrier.address);
    if (!barrier.name.empty())
      out += text(" (", barrier.name, ")");
    bool idle = barrier.named && barrier.pending == barrier.expected;
    out += text(": phase ", barrier.phase, ", ");
    out += idle ? text("no arrival yet")
                : text(barrier.pending, " of ", barrier.expected,
                       barrier.named ? " threads missing" : " arrivals missing");
    if (!barrier.named)
      out += text(", ", barrier.bytes, " bytes to land");
    out += barrier.waiting.empty() ? "\n" : text("; ", groupWords(target, barrier.waiting), " wait\n");
  }
  return out.empty() ? "no barrier is in use\n" : out;
}

static std::string flightLine(const DebugTarget &target, const Flight &flight) {
  std::string what = flight.kind == Flight::Kind::Copy ? text(flight.bytes, " bytes") : std::string("product");
  if (!flight.from.empty() && !flight.to.empty())
    what += text(" from ", flight.from, " to ", flight.to);
  else if (!flight.from.empty())
    what += text(", ", flight.from);
  return text(what, ", `", flight.place.opcode, "` of ", warpWords(target, flight.warp), ", ", placeWords(flight.place),
              flight.landed ? ", has landed"
              : flight.due  ? text(", due at cycle ", flight.due)
                            : std::string(),
              flight.signals.empty() ? std::string() : text(", tells ", flight.signals));
}

std::string flightWords(const DebugTarget &target, const std::vector<Flight> &flights) {
  std::string out;
  for (size_t n = 0; n < flights.size(); ++n)
    out += text("#", n, "  ", flightLine(target, flights[n]), "\n");
  return out.empty() ? "nothing is in flight\n" : out;
}

std::string waitWords(const DebugTarget &target, const std::vector<core::WaitEdge> &waits,
                      const std::vector<Flight> &flights) {
  struct Group {
    std::vector<WarpRef> from;
    const core::WaitEdge *edge;
  };
  std::vector<Group> groups;
  for (const core::WaitEdge &edge : waits) {
    auto found = std::ranges::find_if(groups, [&](const Group &group) {
      return group.edge->what == edge.what && group.edge->from.block == edge.from.block;
    });
    if (found == groups.end())
      found = groups.insert(groups.end(), {{}, &edge});
    if (std::ranges::find(found->from, edge.from) == found->from.end())
      found->from.push_back(edge.from);
  }
  std::string out;
  for (const Group &group : groups) {
    out += text(groupWords(target, group.from), group.from.size() == 1 ? " waits for " : " wait for ", group.edge->what,
                "\n");
    if (!group.edge->on.empty())
      out += text("  comes next: ", groupWords(target, group.edge->on), "\n");
    for (uint32_t flight : group.edge->flights)
      out += text("  in flight: ", flightLine(target, flights[flight]), "\n");
  }
  return out.empty() ? "no warp waits\n" : out;
}

std::string sharedWords(const core::SharedMemory &shared, const std::vector<Flight> &flights) {
  if (shared.bytes.empty())
    return "the block has no shared memory there, or does not run\n";
  constexpr size_t kRow = 16, kMostRows = 32;
  std::string out;
  for (size_t at = 0; at < shared.bytes.size(); at += kRow) {
    if (at / kRow == kMostRows) {
      out += text("(", shared.bytes.size() - at, " bytes more: `smem ADDRESS BYTES`)\n");
      break;
    }
    out += text(shared.address + at, ":");
    for (size_t n = at; n < std::min(at + kRow, shared.bytes.size()); ++n)
      out += text(n % 4 ? "" : " ", hexDigits(static_cast<uint64_t>(shared.bytes[n]), 2));
    out += "\n";
  }
  constexpr size_t kMostWriters = 16;
  for (size_t n = 0; n < shared.writers.size(); ++n) {
    const core::SharedWriter &writer = shared.writers[n];
    if (n == kMostWriters) {
      out += text("(", shared.writers.size() - n, " more writers)\n");
      break;
    }
    out += text(writer.address, " to ", writer.address + writer.bytes - 1, ": ",
                writer.who.empty()
                    ? "not written"
                    : text("written by ", writer.who, ", ", placeWords(writer.place), ", `", writer.place.opcode, "`"),
                "\n");
  }
  for (uint32_t n : shared.flights)
    out += text("in flight over it: #", n, ", ", flights[n].bytes, " bytes from ", flights[n].from, " to ",
                flights[n].to, "\n");
  return out;
}

std::string registerWords(const std::vector<core::RegisterValue> &registers) {
  std::string out;
  for (const core::RegisterValue &one : registers) {
    int digits = one.bits <= 8 ? 1 : static_cast<int>(std::min(one.bits, 64u) / 4);
    bool same = std::ranges::all_of(one.lanes, [&](uint64_t value) { return value == one.lanes[0]; });
    out += text(one.name, " = ");
    for (size_t lane = 0; lane < (same ? 1 : one.lanes.size()); ++lane)
      out += text(lane ? " " : "", one.bits == 1 ? text(one.lanes[lane]) : "0x" + hexDigits(one.lanes[lane], digits));
    out += same ? " in all lanes\n" : "\n";
  }
  return out.empty() ? "no such register, or the block does not run\n" : out;
}

std::string tileWords(const viz::DebugTile &tile) {
  int64_t first = tile.map.extent();
  for (int32_t offset : tile.map.offsets())
    first = std::min<int64_t>(first, offset);
  return text("shared memory from address ", tile.address + first * tile.map.bitwidth() / 8, " on, ", tile.map.title());
}

std::string tensorArrayWords(const layouts::TmemArray &array) {
  auto columns = layouts::columnsOf(array);
  return text("tensor memory, ", layouts::typeText(array),
              columns ? text(", columns ", array.column, " to ", array.column + *columns - 1) : std::string());
}

std::string tensorMemoryWords(const core::TensorMemoryState &memory) {
  std::string out;
  for (const auto &one : memory.allocations)
    out += text("columns ", one.column, " to ", one.column + one.columns - 1, one.freed ? ", given back\n" : "\n");
  if (out.empty())
    return "no tensor memory is allocated\n";
  constexpr size_t kLanesShown = 4, kColumnsShown = 8;
  for (size_t lane = 0; lane < kLanesShown; ++lane) {
    out += text("lane ", lane, ":");
    for (size_t column = 0; column < kColumnsShown; ++column)
      out += " " + hexDigits(memory.cells[lane * memory.columns + column], 8);
    out += " …\n";
  }
  return out;
}

std::string listWords(const SourceRef &source, uint32_t line) {
  constexpr uint32_t kAround = 4;
  std::string out;
  auto last = source->lineColumn(static_cast<uint32_t>(source->text().size())).line;
  for (uint32_t n = line > kAround ? line - kAround : 1; n <= std::min(line + kAround, last); ++n)
    out += text(n == line ? "→ " : "  ", n, "  ", shownLine(source->lineText(n)), "\n");
  return out;
}

} // namespace lanescope::repl
