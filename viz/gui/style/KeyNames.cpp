#include "viz/gui/style/KeyNames.h"

#include "layouts/support/Words.h"

#include <string>

namespace lanescope::viz {

namespace {
struct Named {
  const char *name;
  int key;
};
constexpr Named kNamed[] = {
    {"space", kKeySpace},
    {"comma", kKeyComma},
    {",", kKeyComma},
    {"period", kKeyPeriod},
    {".", kKeyPeriod},
    {"slash", kKeySlash},
    {"/", kKeySlash},
    {"plus", kKeyEqual},
    {"=", kKeyEqual},
    {"minus", kKeyMinus},
    {"-", kKeyMinus},
    {"escape", kKeyEscape},
    {"esc", kKeyEscape},
    {"enter", kKeyEnter},
    {"return", kKeyEnter},
    {"tab", kKeyTab},
    {"backspace", kKeyBackspace},
    {"delete", kKeyDelete},
    {"right", kKeyRight},
    {"left", kKeyLeft},
    {"down", kKeyDown},
    {"up", kKeyUp},
    {"pageup", kKeyPageUp},
    {"pagedown", kKeyPageDown},
    {"home", kKeyHome},
    {"end", kKeyEnd},
    {"f1", kKeyF1},
    {"f5", kKeyF5},
    {"f9", kKeyF9},
    {"f10", kKeyF10},
    {"f11", kKeyF11},
    {"f12", kKeyF12},
};
} // namespace

std::optional<KeyPress> keyNamed(std::string_view name) {
  KeyPress press;
  if (name == "?")
    return KeyPress{kKeySlash, false, true, false};
  std::string lower = lowerCase(name);
  std::string_view rest = lower;
  for (size_t plus = rest.find('+'); plus != std::string_view::npos; plus = rest.find('+')) {
    std::string_view modifier = rest.substr(0, plus);
    if (modifier == "ctrl" || modifier == "control")
      press.control = true;
    else if (modifier == "shift")
      press.shift = true;
    else if (modifier == "alt")
      press.alt = true;
    else
      return std::nullopt;
    rest.remove_prefix(plus + 1);
  }
  if (rest.size() == 1 && ((rest[0] >= 'a' && rest[0] <= 'z') || (rest[0] >= '0' && rest[0] <= '9'))) {
    press.key = rest[0] >= 'a' ? rest[0] - 'a' + 'A' : rest[0];
    return press;
  }
  for (const Named &named : kNamed)
    if (rest == named.name) {
      press.key = named.key;
      return press;
    }
  return std::nullopt;
}

} // namespace lanescope::viz
