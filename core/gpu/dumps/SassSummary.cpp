#include "core/gpu/dumps/SassSummary.h"

#include <algorithm>
#include <array>

namespace lanescope::core::dumps {

namespace {

constexpr std::array<std::string_view, 20> kSassFamilies{
    "HGMMA", "QGMMA", "IGMMA", "BGMMA", "HMMA", "IMMA", "UTCHMMA", "UTCQMMA", "LDTM", "STTM",
    "LDSM",  "STSM",  "LDS",   "STS",   "LDG",  "STG",  "LDL",     "STL",     "SHFL", "BAR",
};
constexpr std::array<std::string_view, 3> kPrefixes{"UTMA", "UBLKCP", "SYNCS"};

/// The opcode after the address comment `/*0010*/`, without a predicate; empty if the line has none.
std::string_view opcodeOf(std::string_view line) {
  size_t open = line.find("/*");
  while (open != std::string_view::npos) {
    size_t close = line.find("*/", open + 2);
    if (close == std::string_view::npos)
      return "";
    std::string_view address = line.substr(open + 2, close - open - 2);
    std::string_view rest = line.substr(close + 2);
    bool hexadecimal = address.size() >= 4 && address.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    size_t begin = rest.find_first_not_of(" \t");
    if (hexadecimal && begin != std::string_view::npos && rest.find(';') != std::string_view::npos) {
      rest.remove_prefix(begin);
      if (rest.front() == '@') {
        rest.remove_prefix(std::min(rest.find(' '), rest.size()));
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
      }
      return rest.substr(0, std::min(rest.find_first_of(" \t;"), rest.size()));
    }
    open = line.find("/*", close + 2);
  }
  return "";
}

} // namespace

SassSummary sassSummary(std::string_view text) {
  SassSummary out;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view opcode = opcodeOf(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (opcode.empty() || opcode.front() < 'A' || opcode.front() > 'Z')
      continue;
    ++out.total;
    std::string_view name = opcode.substr(0, std::min(opcode.find('.'), opcode.size()));
    if (std::ranges::find(kSassFamilies, name) != kSassFamilies.end() ||
        std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); }))
      ++out.instructions[std::string(name)];
  }
  return out;
}

} // namespace lanescope::core::dumps
