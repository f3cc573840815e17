#include "layouts/cute/AtomNames.h"

#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <array>

namespace lanescope::layouts::cute {

namespace {

/// The text between the outermost brackets, cut at the commas of that level.
std::vector<std::string> argumentsIn(std::string_view inside) {
  std::vector<std::string> out;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= inside.size(); ++i) {
    char c = i < inside.size() ? inside[i] : ',';
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if (c != ',' || (depth > 0 && i < inside.size()))
      continue;
    if (std::string_view one = trimmed(inside.substr(begin, i - begin)); !one.empty())
      out.emplace_back(one);
    begin = i + 1;
  }
  return out;
}

} // namespace

AtomName atomName(std::string_view text) {
  constexpr std::array<std::string_view, 4> kWrappers = {"MMA_Atom", "MMA_Traits", "Copy_Traits", "make_mma_atom"};
  for (int depth = 0; depth < 4; ++depth) {
    text = trimmed(text);
    while (text.ends_with("{}") || text.ends_with("()"))
      text = trimmed(text.substr(0, text.size() - 2));
    size_t open = text.find_first_of("<("); // template arguments in C++, call arguments in Python
    std::string_view name = trimmed(text.substr(0, open));
    std::string_view inside;
    if (open != std::string_view::npos && text.back() == (text[open] == '<' ? '>' : ')'))
      inside = text.substr(open + 1, text.size() - open - 2);
    bool ofSm90 =
        name.find("GMMA::MMA_") != std::string_view::npos || name.find("SM90::MMA_") != std::string_view::npos;
    if (size_t last = name.find_last_of(":."); last != std::string_view::npos)
      name.remove_prefix(last + 1);
    if (std::ranges::find(kWrappers, name) != kWrappers.end() && !inside.empty()) {
      std::vector<std::string> arguments = argumentsIn(inside);
      text = trimmed(inside).substr(0, arguments.empty() ? 0 : arguments[0].size());
      continue;
    }
    std::string plain(name);
    if (ofSm90 && plain.starts_with("MMA_"))
      plain = "SM90_" + plain.substr(4); // CuTe's `using` declarations give the instruction this name
    if (plain.starts_with("GMMA_"))
      plain = "SM90_SPARSE_" + plain.substr(5);
    return {std::move(plain), argumentsIn(inside)};
  }
  return {std::string(text), {}};
}

std::vector<std::string_view> wordsOf(std::string_view words) {
  std::vector<std::string_view> out;
  while (!words.empty()) {
    size_t end = std::min(words.find(' '), words.size());
    if (end > 0)
      out.push_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return out;
}

namespace {

/// CUDA's vector types of one to four elements, as `float4`; nothing for others.
std::optional<int> bitsOfVector(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, int>, 12> kElements = {{{"char", 8},
                                                                           {"uchar", 8},
                                                                           {"short", 16},
                                                                           {"ushort", 16},
                                                                           {"int", 32},
                                                                           {"uint", 32},
                                                                           {"long", 64},
                                                                           {"ulong", 64},
                                                                           {"longlong", 64},
                                                                           {"ulonglong", 64},
                                                                           {"float", 32},
                                                                           {"double", 64}}};
  char count = type.empty() ? '0' : type.back();
  if (count < '1' || count > '4')
    return std::nullopt;
  for (auto [name, bits] : kElements)
    if (type.substr(0, type.size() - 1) == name)
      return bits * (count - '0');
  return std::nullopt;
}

} // namespace

std::optional<int> bitsOfType(std::string_view type) {
  type = trimmed(type);
  if (type.ends_with('>')) // cutlass::complex<float>
    if (size_t open = type.find('<'); open != std::string_view::npos) {
      std::optional<int> part = bitsOfType(type.substr(open + 1, type.size() - open - 2));
      return part && type.substr(0, open).ends_with("complex") ? std::optional(2 * *part) : std::nullopt;
    }
  if (size_t last = type.find_last_of(":."); last != std::string_view::npos)
    type.remove_prefix(last + 1);
  constexpr std::array<std::pair<std::string_view, int>, 29> kNamed = {
      {{"half_t", 16},       {"bfloat16_t", 16},  {"tfloat32_t", 32},     {"float", 32},        {"double", 64},
       {"float_e4m3_t", 8},  {"float_e5m2_t", 8}, {"float_ue4m3_t", 8},   {"float_ue8m0_t", 8}, {"float_e2m1_t", 4},
       {"float_e3m2_t", 6},  {"float_e2m3_t", 6}, {"half", 16},           {"__half", 16},       {"__nv_bfloat16", 16},
       {"half2", 32},        {"__half2", 32},     {"__nv_bfloat162", 32}, {"int", 32},          {"unsigned", 32},
       {"unsigned int", 32}, {"long long", 64},   {"short", 16},          {"char", 8},          {"bool", 8},
       {"Boolean", 8},       {"int4b_t", 4},      {"uint4b_t", 4},        {"uint1b_t", 1}}};
  for (auto [name, bits] : kNamed)
    if (type == name)
      return bits;
  if (std::optional<int> bits = bitsOfVector(type))
    return bits;
  std::string lower; // CuTe DSL's are Float32, Int8, …
  if (!type.empty() && type[0] >= 'A' && type[0] <= 'Z')
    type = lower = lowerCase(type);
  size_t digit = type.find_first_of("0123456789");
  if (digit == std::string_view::npos)
    return std::nullopt;
  size_t end = std::min(type.find_first_not_of("0123456789", digit), type.size());
  std::string_view letters = type.substr(0, digit), rest = type.substr(end);
  constexpr std::array<std::string_view, 12> kKinds = {"int", "uint", "f",  "bf",    "i",      "u",
                                                       "b",   "s",    "tf", "float", "bfloat", "tfloat"};
  bool known = std::ranges::find(kKinds, letters) != kKinds.end();
  std::optional<int> bits = parseInteger<int>(type.substr(digit, end - digit)), times = 1;
  if (rest.starts_with('x')) // PTX' packed types: f16x2
    times = parseInteger<int>(rest.substr(1));
  else
    known = known && (rest.empty() || rest == "_t" || rest == "b_t" || rest.starts_with("E") || rest.starts_with("e"));
  constexpr int kMost = 1024;
  return known && bits && times && *bits > 0 && *times > 0 && *bits <= kMost && *times <= kMost / *bits
             ? std::optional(*bits * *times)
             : std::nullopt;
}

std::string nearestAtom(std::string_view name, const std::vector<std::string> &names) {
  std::string_view near = nearest(name, names);
  return layouts::didYouMean(near);
}

} // namespace lanescope::layouts::cute
