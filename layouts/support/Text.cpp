#include "layouts/support/Text.h"

#include <array>

namespace lanescope {

std::string concatenation(std::span<const TextPart> parts) {
  std::string out;
  for (const TextPart &part : parts) {
    std::array<char, 20> digits; // as many as the largest number has, with its sign
    auto number = [&](auto n) {
      char *end = std::to_chars(digits.data(), digits.data() + digits.size(), n).ptr;
      out.append(digits.data(), end);
    };
    switch (part.kind_) {
    case TextPart::Kind::Characters: out.append(part.characters_, part.value_); break;
    case TextPart::Kind::Character: out += static_cast<char>(part.value_); break;
    case TextPart::Kind::Signed: number(static_cast<int64_t>(part.value_)); break;
    case TextPart::Kind::Unsigned: number(part.value_); break;
    }
  }
  return out;
}

} // namespace lanescope
