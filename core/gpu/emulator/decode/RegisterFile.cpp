#include "core/gpu/emulator/decode/RegisterFile.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kMaxRegisterFile = 256u << 20;

} // namespace

uint32_t RegisterFile::allocate(uint32_t bits) {
  uint32_t bytes = slotBytes(bits);
  uint32_t align = std::min<uint32_t>(bytes, 64);
  bytes_ = (bytes_ + align - 1) / align * align;
  uint32_t slot = bytes_;
  if (bytes_ > kMaxRegisterFile) {
    full_ = true;
    return 0;
  }
  bytes_ += bytes;
  slots_.push_back({slot, bytes});
  return slot;
}

uint32_t RegisterFile::constant(uint64_t bits, uint32_t width) {
  if (width < 64)
    bits &= (1ull << width) - 1;
  auto [it, added] = constants_[widthIndex(width)].try_emplace(bits, 0u);
  if (added)
    it->second = allocate(width);
  return it->second;
}

std::pair<uint32_t, bool> RegisterFile::sharedAddress(uint64_t address, uint32_t width) {
  auto [it, added] = sharedAddresses_.try_emplace(address << 1 | (width == 64), 0u);
  if (added)
    it->second = allocate(width);
  return {it->second, added};
}

std::optional<uint32_t> RegisterFile::special(std::string_view name, uint32_t bits) const {
  const auto &known = specials_[widthIndex(bits)];
  auto it = known.find(name);
  return it == known.end() ? std::nullopt : std::optional(it->second);
}

uint32_t RegisterFile::addSpecial(std::string_view name, uint32_t bits) {
  return specials_[widthIndex(bits)].emplace(name, allocate(bits)).first->second;
}

std::unordered_set<uint32_t> RegisterFile::constantSlots() const {
  std::unordered_set<uint32_t> out;
  for (const Constants &ofWidth : constants_)
    for (const auto &[bits, slot] : ofWidth)
      out.insert(slot);
  for (const auto &[key, slot] : sharedAddresses_)
    out.insert(slot);
  return out;
}

std::vector<std::byte> RegisterFile::image() const {
  std::vector<std::byte> out((bytes_ + 63) / 64 * 64, std::byte{0});
  for (int width = 0; width < 4; ++width)
    for (const auto &[bits, slot] : constants_[width])
      for (int lane = 0; lane < (width == 3 ? 1 : 32); ++lane) {
        size_t bytes = width == 0 ? 2 : width == 2 ? 8 : 4;
        std::memcpy(out.data() + slot + lane * bytes, &bits, bytes);
      }
  for (const auto &[key, slot] : sharedAddresses_)
    for (size_t lane = 0, bytes = key & 1 ? 8 : 4; lane < 32; ++lane) {
      uint64_t address = key >> 1;
      std::memcpy(out.data() + slot + lane * bytes, &address, bytes);
    }
  return out;
}

} // namespace lanescope::core::emulator
