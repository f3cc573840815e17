#include "core/gpu/emulator/replay/Counters.h"

#include "core/gpu/emulator/replay/GlobalPlaces.h"
#include "core/gpu/emulator/replay/UnusedResults.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace lanescope::core::emulator {

namespace {

constexpr size_t kMostPlaces = 1 << 16; // further bytes count as results

/// Calls visit(place) for each byte at the address that lies in an array of the launch.
template <class Visit> void forPlaces(const Grid &grid, uint64_t address, uint32_t bytes, Visit visit) {
  uint64_t offset = 0;
  const Region *region = regionOf(grid, address, offset);
  if (!region || grid.devices != 1)
    return;
  auto number = static_cast<size_t>(region - grid.regions.data());
  if (number < grid.firstCopy || number - grid.firstCopy >= grid.copies)
    return;
  for (uint32_t n = 0; n < bytes; ++n)
    visit(std::pair(number - grid.firstCopy, offset + n));
}

} // namespace

std::vector<bool> atomicsThatTakeNumbers(const Program &program) {
  static constexpr std::array<std::string_view, 3> kOperations{".add", ".inc", ".dec"}, kTypes{".u32", ".s32", ".u64"};
  std::vector<bool> takes = atomicsWithUnusedResults(program);
  for (uint32_t pc = 0; pc < takes.size(); ++pc) {
    std::string_view opcode = program.function->instructions[program.code[pc].source].opcode;
    auto has = [&](std::string_view part) { return opcode.find(part) != std::string_view::npos; };
    takes[pc] = !takes[pc] && globalAccessOf(program, pc) == GlobalAccess::Write && opcode.starts_with("atom.") &&
                std::ranges::any_of(kOperations, has) &&
                std::ranges::any_of(kTypes, [&](std::string_view type) { return opcode.ends_with(type); });
  }
  return takes;
}

void Counters::add(const Grid &grid, uint64_t address, uint32_t bytes) {
  if (places_.size() < kMostPlaces)
    forPlaces(grid, address, bytes, [&](auto place) { places_.insert(place); });
}

void Counters::remove(const Grid &grid, uint64_t address, uint32_t bytes) {
  if (!places_.empty())
    forPlaces(grid, address, bytes, [&](auto place) { places_.erase(place); });
}

void Counters::hide(const RunResult &first, RunResult &other) const {
  for (auto [array, byte] : places_)
    if (array < first.outputs.size() && array < other.outputs.size() && byte < first.outputs[array].bytes.size() &&
        byte < other.outputs[array].bytes.size())
      other.outputs[array].bytes[byte] = first.outputs[array].bytes[byte];
}

} // namespace lanescope::core::emulator
