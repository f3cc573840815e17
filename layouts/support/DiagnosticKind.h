// The kind of a diagnostic: one of the names that have a row in layouts/support/kinds/ (or, for the checker's rules, in
// core/gpu/emulator/check/Rules.h).
//
//   machine.fail("check-failed", place, "…");   // compiles: there is such a row
//   machine.fail("chek-failed", place, "…");    // does not compile
//
// A kind that arrives as text, from another process or from a user, goes through `named`.
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope {

namespace detail {

// Sorted by their bytes, for the search below. The first name is empty; it stands for no kind.
inline constexpr auto kKindNames = std::to_array<std::string_view>({
    "",
#include "layouts/support/KindNames.inc"
});

/// The index in kKindNames; the size of the array if the name is not in it.
constexpr size_t kindIndex(std::string_view name) {
  size_t begin = 0, end = kKindNames.size();
  while (begin < end) {
    size_t middle = (begin + end) / 2;
    std::string_view there = kKindNames[middle];
    // the comparison of std::string_view takes a compiler several times as long
    int order = __builtin_memcmp(there.data(), name.data(), there.size() < name.size() ? there.size() : name.size());
    if (order == 0 && there.size() == name.size())
      return middle;
    if (order < 0 || (order == 0 && there.size() < name.size()))
      begin = middle + 1;
    else
      end = middle;
  }
  return kKindNames.size();
}

/// This function is not constexpr. A call of it during constant evaluation makes the compiler show its name.
void thisKindHasNoRowInLayoutsSupportKinds();

} // namespace detail

class DiagnosticKind {
public:
  /// The kind that stands for no kind; its name is empty.
  constexpr DiagnosticKind() = default;
  /// Does not compile for a name without a row.
  consteval DiagnosticKind(const char *name) : index_(static_cast<uint16_t>(detail::kindIndex(name))) {
    if (index_ == detail::kKindNames.size())
      detail::thisKindHasNoRowInLayoutsSupportKinds();
  }
  /// Returns nothing if there is no such kind.
  static constexpr std::optional<DiagnosticKind> named(std::string_view name) {
    size_t index = detail::kindIndex(name);
    if (index == 0 || index == detail::kKindNames.size())
      return std::nullopt;
    DiagnosticKind kind;
    kind.index_ = static_cast<uint16_t>(index);
    return kind;
  }

  constexpr std::string_view name() const { return detail::kKindNames[index_]; }
  constexpr operator std::string_view() const { return name(); }
  operator std::string() const { return std::string(name()); }

  /// The order of the names.
  friend constexpr auto operator<=>(DiagnosticKind, DiagnosticKind) = default;
  /// Compares a kind with a text that is known only at run time.
  template <typename Text>
    requires std::same_as<Text, std::string> || std::same_as<Text, std::string_view>
  friend constexpr bool operator==(DiagnosticKind kind, const Text &name) {
    return kind.name() == name;
  }

private:
  uint16_t index_ = 0;
};

} // namespace lanescope
