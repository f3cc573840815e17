#include "core/gpu/emulator/machine/Names.h"

#include "layouts/Shape.h"
#include "layouts/support/Text.h"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace lanescope::core::emulator {

std::string warpList(const std::vector<uint32_t> &warps) {
  std::string out = warps.size() == 1 ? "warp " : "warps ";
  for (size_t n = 0; n < warps.size();) {
    size_t last = n;
    while (last + 1 < warps.size() && warps[last + 1] == warps[last] + 1)
      ++last;
    out += text(n ? ", " : "", warps[n]);
    if (last > n)
      out += text(last == n + 1 ? ", " : "-", warps[last]);
    n = last + 1;
  }
  return out;
}

/// Returns the name that a static variable has in the source. For `_ZZ6kernelPfE4tile`, which is
/// `kernel(float*)::tile`, it is the last part.
static std::string sourceName(std::string_view name) {
  if (!name.starts_with("_Z")) // without the prefix, the demangler takes `b` for the type `bool`
    return std::string(name);
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> whole(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0)
    return std::string(name);
  std::string_view words = whole.get();
  size_t scope = words.rfind("::");
  return std::string(scope == std::string_view::npos ? words : words.substr(scope + 2));
}

std::string describeShared(const Block &block, uint32_t address, uint32_t bytes) {
  uint32_t dynamic = kSharedBase + block.grid->program->dynamicBase;
  if (address >= dynamic && block.grid->dynamicSmem > 0) {
    std::string elements = elementsAt(block.grid->sharedArrays, address - dynamic, bytes, dynamic);
    return text(elements, elements.empty() ? "" : ", ", "shared address ", address, " (byte ", address - dynamic,
                " of the dynamic shared memory)");
  }
  for (const SharedVariable &variable : block.grid->program->sharedVariables)
    if (address >= variable.address && address - variable.address < variable.bytes)
      return text("byte ", address - variable.address, " of `", sourceName(variable.name), "`, shared address ",
                  address);
  return text("shared address ", address);
}

std::string elementsOf(const Region &region, uint64_t offset, uint64_t bytes) {
  if (region.array.empty() || region.shape.empty() || bytes == 0 || layouts::elementCount(region.shape) == 0)
    return {};
  uint64_t bits = layouts::bitwidth(region.dtype) == 1 ? 8 : static_cast<uint64_t>(layouts::bitwidth(region.dtype));
  uint64_t first = offset * 8 / bits, last = ((offset + bytes) * 8 - 1) / bits;
  auto row = static_cast<uint64_t>(region.shape.back());
  auto named = [&](uint64_t element, uint64_t count) {
    uint64_t rest = element / row;
    std::string index = text(element % row);
    if (region.shape.size() == 1) { // the one index may lie past the array's end
      index = text(element);
    } else {
      for (size_t n = region.shape.size() - 1; n-- > 0;) {
        auto size = n ? static_cast<uint64_t>(region.shape[n]) : UINT64_MAX;
        index = text(rest % size, ", ", index);
        rest /= size;
      }
    }
    std::string end = count > 1 ? text(":", (region.shape.size() == 1 ? element : element % row) + count) : "";
    return text("`", region.array, "[", index, end, "]`");
  };
  bool together = region.shape.size() == 1 || first / row == last / row;
  return together ? named(first, last - first + 1) : text(named(first, 1), " to ", named(last, 1));
}

std::string describeGlobal(const Region &region, uint64_t offset, uint64_t bytes) {
  std::string elements = elementsOf(region, offset, bytes);
  return text(elements, elements.empty() ? "" : ", ", "byte ", offset, " of ", region.name);
}

bool countsWarpgroups(const Block &block, const Mbarrier &barrier) {
  std::string_view name = block.grid->noteOf(block.grid->program->code[barrier.initialised]);
  return barrier.expected % 128 == 0 && !name.empty() && !name.ends_with("of the cluster)");
}

std::string describeMbarrier(const Block &block, uint32_t address) {
  std::string name;
  for (const Mbarrier &barrier : block.mbarriers.all())
    if (barrier.address == address)
      name = block.grid->noteOf(block.grid->program->code[barrier.initialised]);
  return text("the mbarrier ", name, name.empty() ? "" : " ", "at ", describeShared(block, address));
}

std::string describeTmem(uint32_t address) {
  TensorAddress at(address);
  return text("lane ", at.lane, ", column ", at.column);
}

std::string allocatedColumns(const Block &block) {
  std::vector<std::string> parts;
  for (const TmemAllocation &allocation : block.tmem.allocations)
    if (!allocation.freed)
      parts.push_back(text("columns ", allocation.first, " to ", allocation.first + allocation.columns - 1));
  return parts.empty() ? "none" : joined(parts, ", ");
}

} // namespace lanescope::core::emulator
