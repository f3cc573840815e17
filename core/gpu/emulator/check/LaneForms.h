// Records which lane of a warp accesses which bytes of an array in global memory in one instruction. The checker needs
// this when another lane of the warp accesses the bytes later.
//
// Most instructions access a row, or a tile of rows. Such an access has a *form*: a function from the offset in the
// array to the lane. If two uses of one form overlap, the same lane made both at that place, and the checker need not
// compare lanes. All other accesses are *scattered*: LaneMarks stores the lane of each granule (GlobalShadow.h).
//
//   LaneForms forms;
//   uint32_t row = LaneForms::row(4, 256);   // lane l accesses 4 bytes at 256 + 4 * l
//   forms.lanesAt(row, 264).lanes;           // 1 << 2
#pragma once

#include "core/data/Bytes.h"
#include "core/gpu/emulator/machine/Warp.h"

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace lanescope::core::emulator {

/// The lanes that access a place. `several`: at least two of `lanes` access it, and it is not known which ones.
struct LaneSet {
  uint32_t lanes = 0;
  bool several = false;
};

class LaneForms {
public:
  static constexpr uint32_t kUnknown = 0;

  LaneForms();
  /// The form in which lane l accesses `bytes` (a power of two, at most 32) at `offset` + l * `bytes`.
  static uint32_t row(uint32_t bytes, uint64_t offset) {
    auto shift = static_cast<uint32_t>(std::countr_zero(bytes));
    return 1 + shift * 32 + (static_cast<uint32_t>(offset >> shift) & 31);
  }
  /// The form in which each group of 2^groupShift lanes accesses a row. The rows are `stride` apart, and the first one
  /// is at `offset`. Returns kUnknown if a row crosses a multiple of the stride.
  uint32_t tile(uint32_t together, uint32_t bytes, uint32_t groupShift, uint64_t stride, uint64_t offset);
  /// The form in which all of `lanes` access the same bytes.
  uint32_t same(uint32_t together, uint32_t lanes) {
    return intern({.kind = Kind::Same, .together = together, .lanes = lanes});
  }
  /// The form for places that at least two lanes of `together` have accessed, by several instructions.
  uint32_t several(uint32_t together) { return intern({.kind = Kind::Several, .together = together}); }
  /// The form of an access by the lanes `mask`; kUnknown if it is scattered. `together` are the lanes that execute the
  /// instruction.
  uint32_t of(uint32_t together, uint32_t mask, const uint64_t *addresses, uint32_t bytes);
  /// The form of an access by all lanes of a warp in which each group of four lanes accesses a row. `places` has the
  /// offsets of the rows. Returns kUnknown if there is no form.
  uint32_t ofFours(uint32_t warp, std::span<const uint64_t, 8> places, uint32_t bytes);
  /// A number for a scattered access, whose lanes LaneMarks stores.
  uint32_t scattered(uint32_t together);
  static bool isScattered(uint32_t form) { return form >> 31; }

  /// The lanes at an offset. The form must not be scattered.
  LaneSet lanesAt(uint32_t form, uint64_t offset) const;
  bool isSeveral(uint32_t form) const { return !isScattered(form) && forms_[form].kind == Kind::Several; }
  /// The lanes that executed the instruction together.
  uint32_t together(uint32_t form) const {
    return isScattered(form) ? scattered_[form & ~kScattered] : forms_[form].together;
  }
  size_t memoryBytes() const { return forms_.size() * sizeof(Form) + scattered_.size() * sizeof(uint32_t); }

private:
  static constexpr uint32_t kScattered = 1u << 31;
  static constexpr size_t kMostForms = 1 << 14, kMostScattered = 1u << 24; // above these limits, lanes count as ordered
  enum class Kind : uint8_t { Unknown, Tile, Same, Several };
  struct Form {
    Kind kind = Kind::Unknown;
    uint8_t bytesShift = 0, groupShift = 0;
    uint32_t together = 0;
    uint32_t lanes = 0;           // Same: all lanes that access the place
    uint32_t row = 0, column = 0; // Tile: the position of lane 0, modulo the rows of a tile and the bytes of a row
    uint64_t stride = 0;
    auto operator<=>(const Form &) const = default;
  };
  uint32_t intern(const Form &form);
  uint32_t tileOf(uint32_t together, uint32_t mask, const uint64_t *addresses, uint32_t bytes);

  std::vector<Form> forms_;
  std::map<Form, uint32_t> numbers_;
  std::vector<uint32_t> scattered_; // by number: the lanes that ran together
  std::array<uint32_t, 64> last_{}; // the last results of intern(), by a hash of the form
  /// The last tile that ofFours() found for a warp, and the tile's forms by the column of the first row.
  struct Fours {
    uint64_t stride = 0, rowBegin = 0;
    uint32_t bytes = 0;
    std::array<uint32_t, 4> forms{};
  };
  std::array<Fours, 8> fours_; // by the last bits of the warp's number, because warps alternate
};

/// The lanes of the last scattered accesses to the granules of a page. For each granule, it stores the number of the
/// use and the lane.
template <uint32_t N> struct LaneMarks : PagedPiece {
  static constexpr uint8_t kSeveral = 32;
  std::array<uint32_t, N> form{};
  std::array<uint8_t, N> lane{};

  /// `merges`: if another lane has accessed the granule by the same form, both lanes count.
  void set(uint32_t n, uint32_t by, uint8_t l, bool merges) {
    lane[n] = merges && form[n] == by && lane[n] != l ? kSeveral : l;
    form[n] = by;
  }
  LaneSet at(uint32_t n, uint32_t by, uint32_t together) const {
    if (form[n] != by)
      return {};
    return lane[n] == kSeveral ? LaneSet{together, true} : LaneSet{1u << lane[n], false};
  }
};

} // namespace lanescope::core::emulator
