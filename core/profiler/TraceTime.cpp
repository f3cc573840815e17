#include "core/profiler/TraceTime.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lanescope::core {

namespace {

constexpr Picoseconds kMost = static_cast<Picoseconds>(INT64_MAX) * kPicosecondsPerMicrosecond;
constexpr int kDecimals = 6; // digits of picoseconds in a microsecond
constexpr int64_t kNsPerUs = 1000;

bool isDigit(char c) { return c >= '0' && c <= '9'; }

std::string digits(__int128 value) {
  std::string out;
  for (; value > 0 || out.empty(); value /= 10)
    out.insert(out.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
  return out;
}

} // namespace

std::optional<Picoseconds> picoseconds(std::string_view number) {
  size_t at = 0;
  bool negative = at < number.size() && number[at] == '-';
  if (at < number.size() && (negative || number[at] == '+'))
    ++at;
  // The digits without the point, and the number of decimals among them. Digits far after the sixth decimal are
  // dropped.
  constexpr Picoseconds kFull = static_cast<Picoseconds>(INT64_MAX) * INT64_MAX / 10;
  Picoseconds value = 0;
  int decimals = 0;
  bool any = false, pointed = false;
  for (; at < number.size() && (isDigit(number[at]) || (number[at] == '.' && !pointed)); ++at) {
    if (number[at] == '.') {
      pointed = true;
      continue;
    }
    any = true;
    if (value > kFull) {
      if (!pointed)
        return std::nullopt;
      continue;
    }
    value = value * 10 + (number[at] - '0');
    decimals += pointed;
  }
  if (!any)
    return std::nullopt;
  if (at < number.size() && (number[at] == 'e' || number[at] == 'E')) {
    const char *from = number.data() + at + 1, *end = number.data() + number.size();
    if (from < end && *from == '+')
      ++from;
    int exponent = 0;
    auto [after, problem] = std::from_chars(from, end, exponent);
    if (problem == std::errc::result_out_of_range)
      exponent = *from == '-' ? -1000 : 1000;
    else if (problem != std::errc())
      return std::nullopt;
    decimals -= std::clamp(exponent, -1000, 1000);
    at = static_cast<size_t>(after - number.data());
  }
  if (at != number.size())
    return std::nullopt;
  for (; decimals < kDecimals && value != 0; ++decimals) {
    if (value > kMost / 10)
      return std::nullopt;
    value *= 10;
  }
  int rounded = 0;
  for (; decimals > kDecimals && value != 0; --decimals) {
    rounded = static_cast<int>(value % 10);
    value /= 10;
  }
  if (decimals == kDecimals && rounded >= 5)
    ++value;
  if (value > kMost)
    return std::nullopt;
  return negative ? -value : value;
}

double nanoseconds(Picoseconds at, int64_t originUs) {
  constexpr int kPsPerNs = 1000;
  constexpr Picoseconds kExact = static_cast<Picoseconds>(1) << 53; // the integers that a double holds exactly
  at -= static_cast<Picoseconds>(originUs) * kPicosecondsPerMicrosecond;
  if (at > -kExact && at < kExact)
    return static_cast<double>(at) / kPsPerNs;
  Picoseconds whole = at / kPsPerNs;
  return static_cast<double>(whole) + static_cast<double>(at % kPsPerNs) / kPsPerNs;
}

std::string microsecondsText(double ns, int64_t originUs) {
  constexpr double kLargest = 9e18;
  __int128 whole = std::llround(std::clamp(ns, -kLargest, kLargest));
  whole += static_cast<__int128>(originUs) * kNsPerUs;
  __int128 magnitude = whole < 0 ? -whole : whole;
  std::string decimals = digits(magnitude % kNsPerUs);
  return text(whole < 0 ? "-" : "", digits(magnitude / kNsPerUs), ".", std::string(3 - decimals.size(), '0'), decimals);
}

std::string nanosecondsText(double ns, int64_t originUs) {
  constexpr double kExact = 9e15; // thousandths of larger values are not exact in a double
  if (originUs == 0 || std::fabs(ns) > kExact) {
    char buffer[64];
    double all = ns + static_cast<double>(originUs) * kNsPerUs;
    // The shortest text that reads back as the same number.
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, all).ptr);
  }
  __int128 ps =
      static_cast<__int128>(std::llround(ns * 1000)) + static_cast<__int128>(originUs) * kPicosecondsPerMicrosecond;
  __int128 magnitude = ps < 0 ? -ps : ps;
  std::string out = text(ps < 0 ? "-" : "", digits(magnitude / 1000)), decimals = digits(magnitude % 1000);
  decimals.insert(0, 3 - decimals.size(), '0');
  while (!decimals.empty() && decimals.back() == '0')
    decimals.pop_back();
  return decimals.empty() ? out : text(out, ".", decimals);
}

} // namespace lanescope::core
