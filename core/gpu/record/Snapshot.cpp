#include "core/gpu/record/Snapshot.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core::record {

namespace {

constexpr int kPageShift = 9; // allocations begin at multiples of 512
constexpr size_t kMostQuestions = 4096, kMostPointers = 1 << 16, kMostPieces = 1024;
constexpr uint64_t kWindowAlign = 4096;

uint64_t wordAt(std::span<const std::byte> bytes, size_t at) {
  uint64_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

} // namespace

const Snapshot::Allocation *Snapshot::allocationOf(uint64_t address) {
  constexpr int kRangeStart = 11, kRangeSize = 12; // CU_POINTER_ATTRIBUTE_…
  if (!mayBeAddress(address))
    return nullptr;
  auto known = pages_.find(address >> kPageShift);
  if (known == pages_.end()) {
    if (asked_++ >= kMostQuestions)
      return nullptr;
    Allocation found;
    const RealDriver &driver = real();
    bool there = driver.pointerGetAttribute &&
                 driver.pointerGetAttribute(&found.begin, kRangeStart, address) == kSuccess && found.begin &&
                 driver.pointerGetAttribute(&found.bytes, kRangeSize, address) == kSuccess;
    if (!there &&
        (!driver.memGetAddressRange || driver.memGetAddressRange(&found.begin, &found.bytes, address) != kSuccess))
      found = {};
    known = pages_.emplace(address >> kPageShift, found).first;
  }
  const Allocation &one = known->second;
  return address - one.begin < one.bytes ? &one : nullptr;
}

std::optional<Place> Snapshot::find(uint64_t address) const {
  auto next = byAddress_.upper_bound(address);
  if (next == byAddress_.begin())
    return std::nullopt;
  size_t piece = std::prev(next)->second;
  uint64_t at = address - pieces_[piece].address;
  return at < pieces_[piece].bytes ? std::optional(Place{piece, at}) : std::nullopt;
}

void Snapshot::reachAddress(uint64_t address) {
  if (find(address))
    return;
  const Allocation *one = allocationOf(address);
  if (!one || reached_ >= kMostPieces)
    return;
  ++reached_;
  Piece piece{.address = one->begin, .bytes = one->bytes, .allocation = one->begin, .allocationBytes = one->bytes};
  uint64_t room = maxBytes_ - std::min(maxBytes_, taken_);
  if (piece.bytes > room) { // keep only the part from the pointer on, which the kernel most likely uses
    uint64_t from = (address - one->begin) / kWindowAlign * kWindowAlign;
    piece.address = one->begin + from;
    piece.bytes = std::min<uint64_t>(one->bytes - from, room / 4 / kWindowAlign * kWindowAlign);
    if (auto next = byAddress_.upper_bound(piece.address); next != byAddress_.end())
      piece.bytes = std::min<uint64_t>(piece.bytes, next->first - piece.address);
  }
  if (piece.bytes == 0)
    return;
  taken_ += piece.bytes;
  byAddress_[piece.address] = pieces_.size();
  pieces_.push_back(std::move(piece));
}

Place Snapshot::add(DevicePointer address, size_t bytes) {
  taken_ += bytes;
  byAddress_[address] = pieces_.size();
  pieces_.push_back({.address = address, .bytes = bytes, .allocation = address, .allocationBytes = bytes});
  return {pieces_.size() - 1, 0};
}

void Snapshot::reach(std::span<const std::byte> bytes) {
  for (size_t at = 0; at + 8 <= bytes.size(); at += 8)
    reachAddress(wordAt(bytes, at));
}

/// Finds pointers in memory: words that are addresses of allocations. Other data rarely have such values, because these
/// addresses are large.
void Snapshot::scan(size_t piece) {
  for (size_t at = 0; at + 8 <= pieces_[piece].before.size(); at += 8) {
    uint64_t word = wordAt(pieces_[piece].before, at);
    if (!mayBeAddress(word) || word % 4 != 0)
      continue;
    reachAddress(word);
    if (pointers_.size() < kMostPointers)
      if (auto target = find(word))
        pointers_.push_back({{piece, at}, *target});
  }
}

bool Snapshot::read(Piece &piece, std::vector<std::byte> &to) {
  to.resize(piece.bytes);
  if (Status status = real().memcpy(reinterpret_cast<DevicePointer>(to.data()), piece.address, piece.bytes)) {
    problem_ = text("its memory cannot be read: error ", status, " for ", piece.bytes, " bytes");
    return false;
  }
  return true;
}

bool Snapshot::readBefore(bool contents) {
  for (size_t n = 0; contents && n < pieces_.size(); ++n) { // this loop adds pieces while it runs
    std::vector<std::byte> bytes;
    if (!read(pieces_[n], bytes))
      return false;
    pieces_[n].before = std::move(bytes);
    scan(n);
  }
  return true;
}

bool Snapshot::readAfter() {
  for (Piece &piece : pieces_) {
    if (!read(piece, piece.after))
      return false;
    piece.changed = piece.after != piece.before;
    if (!piece.changed)
      piece.after = {};
  }
  return true;
}

} // namespace lanescope::core::record
