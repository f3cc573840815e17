// Small text helpers that C++23 with libstdc++ 12 lacks (no <format>).
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope {

inline std::string toText(std::string_view s) { return std::string(s); }
inline std::string toText(const char *s) { return s; }
inline std::string toText(char c) { return std::string(1, c); }
inline std::string toText(bool b) { return b ? "True" : "False"; }
template <std::integral T> std::string toText(T n) { return std::to_string(n); }

/// Concatenates texts and integers: `text("rank ", 2, " of ", name)`.
template <typename... Parts> std::string text(const Parts &...parts) {
  std::string out;
  (out.append(toText(parts)), ...);
  return out;
}

/// The texts of the parts with `separator` between them: `joined({1, 2}, ", ")` is "1, 2".
template <typename Range> std::string joined(const Range &range, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto &part : range) {
    if (!first)
      out += separator;
    first = false;
    out += toText(part);
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
