// Small text helpers that C++23 with libstdc++ 12 lacks (no <format>).
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace lanescope {

/// A part of a text: characters, or an integer, whose digits are made when the parts are put together.
class TextPart {
public:
  TextPart(std::string_view s) : characters_(s.data()), value_(s.size()) {}
  TextPart(const char *s) : TextPart(std::string_view(s)) {}
  template <std::convertible_to<std::string_view> T> TextPart(const T &s) : TextPart(std::string_view(s)) {}
  TextPart(char c) : kind_(Kind::Character), value_(static_cast<unsigned char>(c)) {}
  TextPart(std::same_as<bool> auto b) : TextPart(b ? std::string_view("True") : std::string_view("False")) {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  TextPart(T n) : kind_(std::is_signed_v<T> ? Kind::Signed : Kind::Unsigned), value_(static_cast<uint64_t>(n)) {}

  /// The integer, if the part is one and fits.
  std::optional<int64_t> integer() const {
    bool fits = kind_ == Kind::Signed || (kind_ == Kind::Unsigned && std::in_range<int64_t>(value_));
    return fits ? std::optional(static_cast<int64_t>(value_)) : std::nullopt;
  }

private:
  friend std::string concatenation(std::span<const TextPart> parts);
  enum class Kind : uint8_t { Characters, Character, Signed, Unsigned };
  Kind kind_ = Kind::Characters;
  const char *characters_ = nullptr;
  uint64_t value_; // the number of characters, the character, or the integer
};

/// The parts one after another. text() calls it.
std::string concatenation(std::span<const TextPart> parts);

/// Concatenates texts and integers: `text("rank ", 2, " of ", name)`. Nearly each of the thousands of calls is an
/// instantiation of its own, because a literal's length is part of its type. So an instantiation only calls a function.
template <typename... Parts> [[gnu::always_inline]] inline std::string text(const Parts &...parts) {
  return concatenation(std::initializer_list<TextPart>{parts...});
}

/// The texts of the parts with `separator` between them: `joined({1, 2}, ", ")` is "1, 2".
template <typename Range> std::string joined(const Range &range, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto &part : range) {
    if (!first)
      out += separator;
    first = false;
    out += text(part);
  }
  return out;
}

/// The whole of `s` as a decimal integer; nothing if it is not one or does not fit.
template <std::integral T> std::optional<T> parseInteger(std::string_view s) {
  T value{};
  auto [end, problem] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (problem != std::errc() || end != s.data() + s.size())
    return std::nullopt;
  return value;
}

} // namespace lanescope
