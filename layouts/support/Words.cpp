#include "layouts/support/Words.h"

#include <algorithm>
#include <array>
#include <ranges>

namespace lanescope {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

std::string lowerCase(std::string_view text) {
  std::string out(text);
  for (char &c : out)
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

std::string upperCase(std::string_view text) {
  std::string out(text);
  for (char &c : out)
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

std::string hexText(uint64_t number) {
  std::array<char, 16> digits{};
  char *end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  return text("0x", std::string_view(digits.data(), end));
}

std::string hexDigits(uint64_t number, int digits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out(static_cast<size_t>(digits), '0');
  for (char &digit : std::views::reverse(out)) {
    digit = kDigits[number & 15];
    number >>= 4;
  }
  return out;
}

} // namespace lanescope
