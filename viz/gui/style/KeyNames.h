// The names and numbers of keys. The numbers are those of GLFW, which Dear ImGui 1.86 uses unchanged.
//
//   keyNamed("Ctrl+A")  ->  {65, control}
#pragma once

#include <optional>
#include <string_view>

namespace lanescope::viz {

constexpr int kKeySpace = 32, kKeyComma = 44, kKeyMinus = 45, kKeyPeriod = 46, kKeySlash = 47, kKeyEqual = 61;
constexpr int kKeyEscape = 256, kKeyEnter = 257, kKeyTab = 258, kKeyBackspace = 259, kKeyDelete = 261;
constexpr int kKeyRight = 262, kKeyLeft = 263, kKeyDown = 264, kKeyUp = 265;
constexpr int kKeyPageUp = 266, kKeyPageDown = 267, kKeyHome = 268, kKeyEnd = 269, kKeyF1 = 290;
constexpr int kKeyF5 = 294, kKeyF9 = 298, kKeyF10 = 299, kKeyF11 = 300, kKeyF12 = 301;
constexpr int kKeyKeypadSubtract = 333, kKeyKeypadAdd = 334, kKeyKeypadEnter = 335;
constexpr int kKeyLeftShift = 340, kKeyLeftControl = 341, kKeyLeftAlt = 342;

struct KeyPress {
  int key = 0;
  bool control = false, shift = false, alt = false;
  bool operator==(const KeyPress &) const = default;
};

/// Parses `A`, `7`, `Enter`, `PageUp` or `Ctrl+Shift+Left`. Upper and lower case are the same.
std::optional<KeyPress> keyNamed(std::string_view name);

} // namespace lanescope::viz
