// Format specifications of f-strings: [[fill]align][sign][#][0][width][,|_][.precision][type].
#include "repl/lang/evaluate/Interpreter.h"

#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lanescope::repl {
namespace {

constexpr int64_t kMaxWidth = 10'000;

struct Spec {
  std::string fill = " ";
  char align = 0; // '<', '>', '^', '='; 0: the type decides
  char sign = '-';
  bool alternate = false;
  int64_t width = 0;
  char group = 0;
  int64_t precision = -1;
  char type = 0;
};

std::unexpected<Diagnostics> bad(std::string_view spec, std::string_view why) {
  return error("format", Message("`{format}` is not a format: {}", spec.substr(0, 40), why));
}

Result<Spec> parseSpec(std::string_view whole) {
  Spec out;
  bool filled = false;
  std::string_view rest = whole;
  auto isAlign = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
  // The fill may be any character, including one of several bytes.
  size_t fill = rest.empty() ? 0 : characterEnd(rest, 0);
  if (fill > 0 && fill < rest.size() && isAlign(rest[fill])) {
    out.fill = std::string(rest.substr(0, fill));
    out.align = rest[fill];
    filled = true;
    rest.remove_prefix(fill + 1);
  } else if (!rest.empty() && isAlign(rest[0])) {
    out.align = rest[0];
    rest.remove_prefix(1);
  }
  auto take = [&](std::string_view any) -> char {
    if (rest.empty() || any.find(rest[0]) == std::string_view::npos)
      return 0;
    char c = rest[0];
    rest.remove_prefix(1);
    return c;
  };
  auto number = [&]() -> Result<int64_t> {
    size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    auto value = parseInteger<int64_t>(rest.substr(0, digits));
    if (!value || *value > kMaxWidth)
      return bad(whole, text("a width or precision is a number of at most ", kMaxWidth));
    rest.remove_prefix(digits);
    return *value;
  };
  if (char sign = take("+- "))
    out.sign = sign;
  out.alternate = take("#") != 0;
  if (!rest.empty() && rest[0] == '0') {
    if (!filled)
      out.fill = "0";
    if (!out.align)
      out.align = '=';
    rest.remove_prefix(1);
  }
  if (!rest.empty() && rest[0] >= '0' && rest[0] <= '9')
    out.width = LANESCOPE_TRY(number());
  out.group = take(",_");
  if (take("."))
    out.precision = LANESCOPE_TRY(number());
  out.type = take("bcdeEfFgGnosxX%");
  if (!rest.empty())
    return bad(whole, text("`", rest.substr(0, 10), "` is not understood"));
  return out;
}

size_t characters(std::string_view s) { return static_cast<size_t>(characterCount(s)); }

/// Pads the text. With '=', `head` (sign and prefix) stays in front of the padding.
std::string padded(const Spec &spec, const std::string &head, const std::string &body, char natural) {
  size_t length = characters(head) + characters(body);
  auto width = static_cast<size_t>(spec.width);
  if (length >= width)
    return head + body;
  size_t gap = width - length;
  auto fill = [&](size_t n) {
    std::string out;
    for (size_t i = 0; i < n; ++i)
      out += spec.fill;
    return out;
  };
  switch (spec.align ? spec.align : natural) {
  case '<': return head + body + fill(gap);
  case '^': return fill(gap / 2) + head + body + fill(gap - gap / 2);
  case '=': return head + fill(gap) + body;
  default: return fill(gap) + head + body;
  }
}

std::string grouped(std::string digits, char separator, size_t every) {
  for (size_t at = digits.size(); at > every;) {
    at -= every;
    digits.insert(at, 1, separator);
  }
  return digits;
}

std::string signOf(const Spec &spec, bool negative) {
  return negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
}

std::string formatInteger(const Spec &spec, int64_t value) {
  uint64_t magnitude = value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  char kind = spec.type;
  int base = kind == 'b' ? 2 : kind == 'o' ? 8 : kind == 'x' || kind == 'X' ? 16 : 10;
  char buffer[80];
  auto [end, problem] = std::to_chars(buffer, buffer + sizeof buffer, magnitude, base);
  std::string digits(buffer, end);
  if (kind == 'X')
    std::ranges::transform(digits, digits.begin(),
                           [](char c) { return c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c; });
  if (spec.group)
    digits = grouped(std::move(digits), spec.group, base == 10 ? 3 : 4);
  std::string head = signOf(spec, value < 0);
  if (spec.alternate && base != 10)
    (head += '0') += kind;
  return padded(spec, head, digits, '>');
}

std::string formatFloat(const Spec &spec, double value) {
  std::string head = signOf(spec, std::signbit(value) && !std::isnan(value));
  double magnitude = std::abs(value);
  std::string suffix;
  char kind = spec.type;
  if (kind == '%') {
    magnitude *= 100;
    suffix = "%";
    kind = 'f';
  }
  std::string digits;
  if (!std::isfinite(magnitude)) {
    digits = std::isnan(magnitude) ? "nan" : "inf";
  } else if (kind == 0 && spec.precision < 0) {
    digits = floatText(magnitude);
  } else {
    std::string buffer(static_cast<size_t>(kMaxWidth) + 400, '\0');
    char lower = kind == 0 || kind == 'n' ? 'g' : static_cast<char>(kind | 0x20);
    auto how = lower == 'e'   ? std::chars_format::scientific
               : lower == 'f' ? std::chars_format::fixed
                              : std::chars_format::general;
    int precision = spec.precision < 0 ? 6 : static_cast<int>(spec.precision);
    auto [end, problem] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude, how,
                                        lower == 'g' ? std::max(precision, 1) : precision);
    digits = problem == std::errc() ? std::string(buffer.data(), end) : floatText(magnitude);
    if (kind == 0 && digits.find_first_of(".e") == std::string::npos)
      digits += ".0";
  }
  if (kind == 'E' || kind == 'G' || kind == 'F')
    std::ranges::transform(digits, digits.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  if (spec.group) {
    size_t point = std::min(digits.find_first_of(".eE"), digits.size());
    digits = grouped(digits.substr(0, point), spec.group, 3) + digits.substr(point);
  }
  return padded(spec, head, digits + suffix, '>');
}

} // namespace

Result<std::string> formatValue(const Value &given, std::string_view specification) {
  if (specification.empty()) {
    const core::Array *array = given.asArray();
    const bool number = array && array->shape.empty() && given.arrayRules() != ArrayRules::Snippet &&
                        (array->dtype == layouts::Dtype::F16 || array->dtype == layouts::Dtype::F32);
    // An array's number is written as Python writes a float, as in NumPy.
    return number ? floatText(array->number(0)) : str(given);
  }
  Value value = given.plain();
  Spec spec = LANESCOPE_TRY(parseSpec(specification));
  auto integer = value.integer();
  bool wantsFloat = spec.type && std::string_view("eEfFgGn%").find(spec.type) != std::string_view::npos;
  if (integer && !(value.asBool() && spec.type == 0)) {
    if (wantsFloat)
      return formatFloat(spec, static_cast<double>(*integer));
    if (spec.type == 's' || spec.type == 'c')
      return bad(specification, text("`", spec.type, "` does not apply to an int"));
    if (spec.precision >= 0)
      return bad(specification, "an int has no precision; use `.2f` for decimals");
    return formatInteger(spec, *integer);
  }
  if (const double *x = value.asFloat()) {
    if (spec.type && !wantsFloat)
      return bad(specification, text("`", spec.type, "` does not apply to a float"));
    return formatFloat(spec, *x);
  }
  if (spec.type && spec.type != 's')
    return bad(specification, text("`", spec.type, "` does not apply to `", value.typeName(), "`"));
  if (spec.align == '=')
    return bad(specification, text("a sign-aware padding does not apply to `", value.typeName(), "`"));
  std::string body = str(value);
  if (spec.precision >= 0)
    body.resize(firstCharacters(body, spec.precision).size());
  return padded(spec, "", body, '<');
}

} // namespace lanescope::repl
