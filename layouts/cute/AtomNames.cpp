#include "layouts/cute/AtomNames.h"

#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>

namespace lanescope::layouts::cute {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

/// What stands between the outermost brackets, cut at the commas that belong to them.
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
  constexpr std::array<std::string_view, 3> kWrappers = {"MMA_Atom", "MMA_Traits", "Copy_Traits"};
  for (int depth = 0; depth < 4; ++depth) {
    text = trimmed(text);
    if (text.ends_with("{}"))
      text = trimmed(text.substr(0, text.size() - 2));
    size_t open = text.find('<');
    std::string_view name = trimmed(text.substr(0, open));
    std::string_view inside;
    if (open != std::string_view::npos && text.back() == '>')
      inside = text.substr(open + 1, text.size() - open - 2);
    bool sparse = name.find("SPARSE::GMMA_") != std::string_view::npos;
    bool ofSm90 =
        name.find("GMMA::MMA_") != std::string_view::npos || name.find("SM90::MMA_") != std::string_view::npos;
    if (size_t last = name.rfind("::"); last != std::string_view::npos)
      name.remove_prefix(last + 2);
    if (std::ranges::find(kWrappers, name) != kWrappers.end() && !inside.empty()) {
      std::vector<std::string> arguments = argumentsIn(inside);
      text = trimmed(inside).substr(0, arguments.empty() ? 0 : arguments[0].size());
      continue;
    }
    std::string plain(name);
    if (ofSm90 && plain.starts_with("MMA_"))
      plain = "SM90_" + plain.substr(4); // the name that `using` gives it
    if (sparse || plain.starts_with("GMMA_"))
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

std::optional<int> bitsOfType(std::string_view type) {
  if (size_t last = type.rfind("::"); last != std::string_view::npos)
    type.remove_prefix(last + 2);
  constexpr std::array<std::pair<std::string_view, int>, 14> kNamed = {{{"half_t", 16},
                                                                        {"bfloat16_t", 16},
                                                                        {"tfloat32_t", 32},
                                                                        {"float", 32},
                                                                        {"double", 64},
                                                                        {"float_e4m3_t", 8},
                                                                        {"float_e5m2_t", 8},
                                                                        {"float_e2m1_t", 4},
                                                                        {"float_e3m2_t", 6},
                                                                        {"float_e2m3_t", 6},
                                                                        {"half", 16},
                                                                        {"int", 32},
                                                                        {"int4b_t", 4},
                                                                        {"uint1b_t", 1}}};
  for (auto [name, bits] : kNamed)
    if (type == name)
      return bits;
  size_t digit = type.find_first_of("0123456789");
  if (digit == std::string_view::npos)
    return std::nullopt;
  size_t end = std::min(type.find_first_not_of("0123456789", digit), type.size());
  std::string_view letters = type.substr(0, digit), rest = type.substr(end);
  constexpr std::array<std::string_view, 8> kKinds = {"int", "uint", "f", "bf", "i", "u", "tf", "float"};
  bool known = std::ranges::find(kKinds, letters) != kKinds.end() &&
               (rest.empty() || rest == "_t" || rest == "b_t" || rest.starts_with("E") || rest.starts_with("e"));
  std::optional<int> bits = parseInteger<int>(type.substr(digit, end - digit));
  return known && bits && *bits > 0 && *bits <= 1024 ? bits : std::nullopt;
}

std::string nearestAtom(std::string_view name, const std::vector<std::string> &names) {
  std::string_view near = nearest(name, names);
  return near.empty() ? std::string() : text("; did you mean `", near, "`?");
}

} // namespace lanescope::layouts::cute
