// Breakpoints and watchpoints, which stop a run.
#include "core/gpu/emulator/debug/DebuggerState.h"
#include "core/gpu/emulator/debug/StepGlance.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core {

using namespace emulator;

bool Debugger::State::watches() const {
  return std::ranges::any_of(watchpoints, [](const auto &one) { return one.second.enabled; });
}

Marks Debugger::State::breakMarks() const {
  if (watches())
    return everywhere();
  Marks marks;
  marks.pcs.resize(code.size() + 1);
  for (const auto &[number, pcs] : breakPcs)
    if (breakpoints.at(number).enabled)
      for (uint32_t pc : pcs)
        marks.pcs[pc] = 1;
  return marks;
}

std::vector<std::byte> Debugger::State::watchedBytes(const Watchpoint &w) const {
  std::vector<std::byte> out(w.bytes);
  if (w.what == Watchpoint::What::Global) {
    uint64_t each = grid().regions[machine->image().regionOfBuffer(w.buffer, 0)].bytes;
    auto device = static_cast<uint32_t>(w.address / each);
    const Region &region = machine->grid(device).regions[machine->image().regionOfBuffer(w.buffer, device)];
    std::copy_n(region.data + w.address % each, w.bytes, out.begin());
    return out;
  }
  Block *block = blockOf(w.block);
  if (!block)
    return {};
  if (w.what == Watchpoint::What::Shared) {
    std::copy_n(block->shared.begin() + static_cast<long>(w.address - kSharedBase), w.bytes, out.begin());
    return out;
  }
  for (const Mbarrier &barrier : block->mbarriers.all())
    if (barrier.address == w.address) {
      int64_t state[] = {static_cast<int64_t>(barrier.phase), barrier.pending, barrier.tx};
      auto bytes = std::as_bytes(std::span(state));
      return {bytes.begin(), bytes.end()};
    }
  return {};
}

void Debugger::State::lookAtWatched() {
  watched.clear();
  for (const auto &[number, watchpoint] : watchpoints)
    if (watchpoint.enabled)
      watched[number] = watchedBytes(watchpoint);
}

static std::string watchedWords(const Watchpoint &watchpoint, const std::vector<std::byte> &bytes) {
  if (watchpoint.what == Watchpoint::What::Mbarrier) {
    int64_t state[3];
    std::memcpy(state, bytes.data(), sizeof state);
    return text("phase ", state[0], ", ", state[1], " arrivals and ", state[2], " bytes missing");
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "0x";
  for (size_t n = bytes.size(); n-- > 0;)
    for (int shift : {4, 0})
      out += kDigits[static_cast<size_t>(bytes[n]) >> shift & 15];
  return out;
}

std::optional<Debugger::State::Found> Debugger::State::stopsAt(const Step &step, std::map<uint32_t, uint32_t> *passed) {
  Found found{.moment = machine->moment()};
  for (auto &[number, before] : watched) {
    const Watchpoint &watchpoint = watchpoints.at(number);
    std::vector<std::byte> now = watchedBytes(watchpoint);
    if (now == before)
      continue;
    if (!before.empty() && !now.empty()) {
      found.numbers.push_back(number);
      found.what += text(found.what.empty() ? "" : "; ", watchpoint.text, ": ", watchedWords(watchpoint, before), " → ",
                         watchedWords(watchpoint, now));
      found.watched = true;
    }
    before = std::move(now);
  }
  if (step.warp)
    for (const auto &[number, pcs] : breakPcs) {
      const Breakpoint &breakpoint = breakpoints.at(number);
      if (!breakpoint.enabled || !std::ranges::binary_search(pcs, step.pc) || step.mask == 0)
        continue;
      if (breakpoint.condition && !breakpoint.condition(StepGlance(*this, step)))
        continue;
      if (passed && (*passed)[number]++ < breakpoint.ignored)
        continue;
      found.numbers.push_back(number);
    }
  return found.numbers.empty() ? std::nullopt : std::optional(std::move(found));
}

// --- setting them ----------------------------------------------------------------------------------------------------

Result<uint32_t> Debugger::breakAt(Breakpoint breakpoint) {
  State &s = *state_;
  if (breakpoint.inSnippet && !s.code.hasSnippet())
    return error("breakpoint", "the kernel has no snippet, so that breakpoints stand in its PTX");
  std::vector<uint32_t> lines = s.code.lines(breakpoint.inSnippet);
  auto found = std::ranges::lower_bound(lines, breakpoint.line);
  if (found == lines.end())
    return error("breakpoint",
                 Message("line {} of the {} has no instructions, nor has any line after it{}", breakpoint.line,
                         breakpoint.inSnippet ? "snippet" : "PTX",
                         lines.empty() ? std::string() : text("; the last line with instructions is ", lines.back())));
  breakpoint.line = *found;
  uint32_t number = s.nextNumber++;
  s.breakPcs[number] = s.code.entries(breakpoint.line, breakpoint.inSnippet);
  s.breakpoints[number] = std::move(breakpoint);
  return number;
}

Result<uint32_t> Debugger::watch(Watchpoint watchpoint) {
  State &s = *state_;
  const Grid &grid = s.grid();
  constexpr uint32_t kMostBytes = 16;
  using What = Watchpoint::What;
  if (watchpoint.what != What::Mbarrier && (watchpoint.bytes == 0 || watchpoint.bytes > kMostBytes))
    return error("breakpoint",
                 Message("a watchpoint looks at 1 to {limit} bytes, not {bytes}", kMostBytes, watchpoint.bytes));
  if (watchpoint.what == What::Global) {
    const LaunchImage &image = s.machine->image();
    if (watchpoint.buffer >= image.bufferCount())
      return error("breakpoint",
                   Message("there is no buffer {}: the launch has {}", watchpoint.buffer, image.bufferCount()));
    uint64_t each = grid.regions[image.regionOfBuffer(watchpoint.buffer, 0)].bytes, bytes = each * grid.devices;
    if (watchpoint.address >= bytes || each - watchpoint.address % each < watchpoint.bytes)
      return error("breakpoint", Message("byte {byte} is outside of buffer {}, which has {bytes}", watchpoint.address,
                                         watchpoint.buffer, bytes));
  } else {
    uint64_t end = uint64_t{kSharedBase} + grid.program->dynamicBase + grid.dynamicSmem;
    uint64_t bytes = watchpoint.what == What::Mbarrier ? 8 : watchpoint.bytes;
    if (watchpoint.address < kSharedBase || watchpoint.address + bytes > end)
      return error("breakpoint", Message("shared address {} is outside of the block's shared memory, {} to {}",
                                         watchpoint.address, kSharedBase, end - 1));
    const Launch &launch = s.machine->launch();
    if (!blockNumberOf(launch, deviceBlockOf(launch, watchpoint.block)))
      return error("breakpoint", Message("there is no block {block}: the launch has {}", watchpoint.block,
                                         uint64_t{grid.size[0]} * grid.size[1] * grid.size[2] * grid.devices));
  }
  if (watchpoint.text.empty())
    watchpoint.text = watchpoint.what == What::Global
                          ? text("byte ", watchpoint.address, " of buffer ", watchpoint.buffer)
                          : text(watchpoint.what == What::Mbarrier ? "the mbarrier at " : "", "shared address ",
                                 watchpoint.address, " of ", s.blockWords(watchpoint.block));
  uint32_t number = s.nextNumber++;
  s.watchpoints[number] = std::move(watchpoint);
  return number;
}

bool Debugger::remove(uint32_t number) {
  state_->breakPcs.erase(number);
  return state_->breakpoints.erase(number) + state_->watchpoints.erase(number) > 0;
}

bool Debugger::enable(uint32_t number, bool enabled) {
  if (auto it = state_->breakpoints.find(number); it != state_->breakpoints.end())
    return it->second.enabled = enabled, true;
  if (auto it = state_->watchpoints.find(number); it != state_->watchpoints.end())
    return it->second.enabled = enabled, true;
  return false;
}

} // namespace lanescope::core
