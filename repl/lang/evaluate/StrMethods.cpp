// Methods of str.
#include "repl/lang/evaluate/Methods.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Utf8.h"

#include <algorithm>

namespace lanescope::repl {
namespace {

const std::string &selfText(const BoundArguments &args) { return *args.self->asStr(); }
constexpr std::string_view kBlanks = " \t\n\r\f\v";

bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool isLower(char c) { return c >= 'a' && c <= 'z'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
char upper(char c) { return isLower(c) ? static_cast<char>(c - 32) : c; }
char lower(char c) { return isUpper(c) ? static_cast<char>(c + 32) : c; }

std::string mapped(std::string s, char (*function)(char)) {
  std::ranges::transform(s, s.begin(), function);
  return s;
}

enum class Ends : uint8_t { Start, End, Both };

Result<Value> strip(const BoundArguments &args, Ends ends) {
  std::string chars(kBlanks);
  if (args.has(0) && !args[0].value.isNone())
    chars = LANESCOPE_TRY(args.text(0));
  std::string_view s = selfText(args);
  size_t begin = ends != Ends::End ? std::min(s.find_first_not_of(chars), s.size()) : 0;
  size_t end = ends != Ends::Start ? s.find_last_not_of(chars) + 1 : s.size();
  return Value(begin < end ? s.substr(begin, end - begin) : std::string_view());
}

Result<Value> split(const BoundArguments &args) {
  std::string_view s = selfText(args);
  int64_t limit = LANESCOPE_TRY(args.integerOr(1, -1));
  std::vector<Value> out;
  if (!args.has(0) || args[0].value.isNone()) {
    size_t at = 0;
    for (;;) {
      at = s.find_first_not_of(kBlanks, at);
      if (at == std::string_view::npos)
        break;
      if (limit >= 0 && static_cast<int64_t>(out.size()) == limit) {
        out.emplace_back(s.substr(at, s.find_last_not_of(kBlanks) + 1 - at));
        break;
      }
      size_t end = std::min(s.find_first_of(kBlanks, at), s.size());
      out.emplace_back(s.substr(at, end - at));
      at = end;
    }
    return Value::list(std::move(out));
  }
  std::string separator = LANESCOPE_TRY(args.text(0));
  if (separator.empty())
    return args.wrongValue(0, "it is empty");
  for (;;) {
    size_t end = limit >= 0 && static_cast<int64_t>(out.size()) == limit ? std::string_view::npos : s.find(separator);
    out.emplace_back(s.substr(0, end));
    if (end == std::string_view::npos)
      return Value::list(std::move(out));
    s.remove_prefix(end + separator.size());
  }
}

Result<Value> rsplit(const BoundArguments &args) {
  std::string_view s = selfText(args);
  int64_t limit = LANESCOPE_TRY(args.integerOr(1, -1));
  const bool words = !args.has(0) || args[0].value.isNone();
  std::string separator = words ? std::string() : LANESCOPE_TRY(args.text(0));
  if (!words && separator.empty())
    return args.wrongValue(0, "it is empty");
  constexpr std::string_view kBlanks = " \t\n\r\f\v";
  std::vector<Value> out; // collects the parts from the last one to the first
  auto trim = [&] {
    while (words && !s.empty() && kBlanks.find(s.back()) != std::string_view::npos)
      s.remove_suffix(1);
  };
  for (trim(); !words || !s.empty(); trim()) {
    size_t at = limit >= 0 && static_cast<int64_t>(out.size()) == limit ? std::string_view::npos
                : words                                                 ? s.find_last_of(kBlanks)
                                                                        : s.rfind(separator);
    if (at == std::string_view::npos) {
      out.emplace_back(s);
      break;
    }
    out.emplace_back(s.substr(at + (words ? 1 : separator.size())));
    s = s.substr(0, at);
  }
  std::ranges::reverse(out);
  return Value::list(std::move(out));
}

Result<Value> join(Context &context, const BoundArguments &args) {
  std::vector<Value> parts = LANESCOPE_TRY(context.evaluator.iterate(args[0].value, args[0].span));
  int64_t bytes = 0;
  for (const Value &part : parts) {
    if (!part.asStr())
      return args.wrongValue(0,
                             Message("every part must be a str, not {type}; convert with `str(…)`", part.typeName()));
    bytes += static_cast<int64_t>(part.asStr()->size() + selfText(args).size());
  }
  LANESCOPE_CHECK(context.evaluator.reserveString(bytes, args.call));
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i)
    out.append(i > 0 ? selfText(args) : std::string()).append(*parts[i].asStr());
  return Value(std::move(out));
}

Result<Value> replace(Context &context, const BoundArguments &args) {
  std::string from = LANESCOPE_TRY(args.text(0)), to = LANESCOPE_TRY(args.text(1));
  int64_t limit = LANESCOPE_TRY(args.integerOr(2, -1));
  if (from.empty())
    return args.wrongValue(0, "it is empty");
  std::string_view s = selfText(args);
  int64_t hits = 0;
  for (size_t at = s.find(from); at != std::string_view::npos; at = s.find(from, at + from.size()))
    ++hits;
  LANESCOPE_CHECK(context.evaluator.reserveString(
      static_cast<int64_t>(s.size()) + hits * static_cast<int64_t>(to.size()), args.call));
  std::string out;
  for (; limit != 0; --limit) {
    size_t at = s.find(from);
    if (at == std::string_view::npos)
      break;
    out.append(s.substr(0, at)).append(to);
    s.remove_prefix(at + from.size());
  }
  return Value(out.append(s));
}

Result<bool> matches(const BoundArguments &args, bool front) {
  auto one = [&](const std::string &part) {
    return front ? selfText(args).starts_with(part) : selfText(args).ends_with(part);
  };
  if (const auto *options = args[0].value.asTuple()) {
    for (const Value &option : *options)
      if (option.asStr() && one(*option.asStr()))
        return true;
    return false;
  }
  return one(LANESCOPE_TRY(args.text(0)));
}

/// The position in characters for a position in bytes; -1 for npos.
int64_t characterIndex(std::string_view s, size_t at) {
  if (at == std::string_view::npos)
    return -1;
  return characterCount(s.substr(0, at));
}

Result<Value> justified(Context &context, const BoundArguments &args, char align) {
  int64_t width = LANESCOPE_TRY(args.integer(0));
  std::string fill = " ";
  if (args.has(1))
    fill = LANESCOPE_TRY(args.text(1));
  if (fill.size() != 1)
    return args.wrongValue(1, "it must be one character");
  LANESCOPE_CHECK(context.evaluator.reserveString(width, args.call));
  int64_t length = characterIndex(selfText(args), selfText(args).size());
  std::string gap(static_cast<size_t>(std::max<int64_t>(width - length, 0)), fill[0]);
  if (align == '<')
    return Value(selfText(args) + gap);
  if (align == '>')
    return Value(gap + selfText(args));
  return Value(gap.substr(0, gap.size() / 2) + selfText(args) + gap.substr(gap.size() / 2));
}

Value every(const BoundArguments &args, bool (*holds)(char)) {
  return !selfText(args).empty() && std::ranges::all_of(selfText(args), holds);
}

} // namespace

const Builtins &strMethods() {
  using C = Context;
  using A = BoundArguments;
  using R = Result<Value>;
  static const Builtins kMethods = {
      {"upper", "upper()", "The text in capitals (ASCII letters).",
       [](C &, const A &args) -> R { return Value(mapped(selfText(args), upper)); }},
      {"lower", "lower()", "The text in small letters (ASCII letters).",
       [](C &, const A &args) -> R { return Value(mapped(selfText(args), lower)); }},
      {"strip", "strip(chars=None)", "The text without the blanks (or `chars`) at both ends.",
       [](C &, const A &args) { return strip(args, Ends::Both); }},
      {"lstrip", "lstrip(chars=None)", "The text without the blanks (or `chars`) at its start.",
       [](C &, const A &args) { return strip(args, Ends::Start); }},
      {"rstrip", "rstrip(chars=None)", "The text without the blanks (or `chars`) at its end.",
       [](C &, const A &args) { return strip(args, Ends::End); }},
      {"split", "split(sep=None, maxsplit=-1)", "The list of parts between `sep`; without it, of the words.",
       [](C &, const A &args) { return split(args); }},
      {"rsplit", "rsplit(sep=None, maxsplit=-1)", "As split, counting from the end.",
       [](C &, const A &args) { return rsplit(args); }},
      {"splitlines", "splitlines()", "The list of lines, without their breaks.",
       [](C &, const A &args) -> R {
         std::vector<Value> out;
         std::string_view s = selfText(args);
         while (!s.empty()) {
           size_t end = std::min(s.find('\n'), s.size());
           std::string_view line = s.substr(0, end);
           if (line.ends_with('\r'))
             line.remove_suffix(1);
           out.emplace_back(line);
           s.remove_prefix(std::min(end + 1, s.size()));
         }
         return Value::list(std::move(out));
       }},
      {"join", "join(parts)", "The parts with this text between them.", join},
      {"replace", "replace(old, new, count=-1)", "The text with `old` replaced by `new`.", replace},
      {"startswith", "startswith(prefix)", "True if the text begins with `prefix`; a tuple gives several to try.",
       [](C &, const A &args) -> R { return Value(LANESCOPE_TRY(matches(args, true))); }},
      {"endswith", "endswith(suffix)", "True if the text ends with `suffix`; a tuple gives several to try.",
       [](C &, const A &args) -> R { return Value(LANESCOPE_TRY(matches(args, false))); }},
      {"removeprefix", "removeprefix(prefix)", "The text without `prefix` at its start.",
       [](C &, const A &args) -> R {
         std::string prefix = LANESCOPE_TRY(args.text(0));
         return Value(selfText(args).starts_with(prefix) ? selfText(args).substr(prefix.size()) : selfText(args));
       }},
      {"removesuffix", "removesuffix(suffix)", "The text without `suffix` at its end.",
       [](C &, const A &args) -> R {
         std::string suffix = LANESCOPE_TRY(args.text(0));
         return Value(selfText(args).ends_with(suffix) ? selfText(args).substr(0, selfText(args).size() - suffix.size())
                                                       : selfText(args));
       }},
      {"find", "find(part)", "Position of the first `part`, -1 without one.",
       [](C &, const A &args) -> R {
         return Value(characterIndex(selfText(args), selfText(args).find(LANESCOPE_TRY(args.text(0)))));
       }},
      {"rfind", "rfind(part)", "Position of the last `part`, -1 without one.",
       [](C &, const A &args) -> R {
         return Value(characterIndex(selfText(args), selfText(args).rfind(LANESCOPE_TRY(args.text(0)))));
       }},
      {"index", "index(part)", "Position of the first `part`; an error without one.",
       [](C &, const A &args) -> R {
         size_t at = selfText(args).find(LANESCOPE_TRY(args.text(0)));
         if (at == std::string::npos)
           return args.wrongValue(0, "the text does not contain it");
         return Value(characterIndex(selfText(args), at));
       }},
      {"count", "count(part)", "How often `part` occurs, without overlaps.",
       [](C &, const A &args) -> R {
         std::string part = LANESCOPE_TRY(args.text(0));
         if (part.empty())
           return args.wrongValue(0, "it is empty");
         int64_t hits = 0;
         for (size_t at = selfText(args).find(part); at != std::string::npos;
              at = selfText(args).find(part, at + part.size()))
           ++hits;
         return Value(hits);
       }},
      {"partition", "partition(sep)", "(before, sep, after) at the first `sep`.",
       [](C &, const A &args) -> R {
         std::string separator = LANESCOPE_TRY(args.text(0));
         size_t at = selfText(args).find(separator);
         if (separator.empty() || at == std::string::npos)
           return Value::tuple({Value(selfText(args)), Value(""), Value("")});
         return Value::tuple({Value(selfText(args).substr(0, at)), Value(separator),
                              Value(selfText(args).substr(at + separator.size()))});
       }},
      {"ljust", "ljust(width, fill=\" \")", "The text padded on its right.",
       [](C &c, const A &args) { return justified(c, args, '<'); }},
      {"rjust", "rjust(width, fill=\" \")", "The text padded on its left.",
       [](C &c, const A &args) { return justified(c, args, '>'); }},
      {"center", "center(width, fill=\" \")", "The text padded on both sides.",
       [](C &c, const A &args) { return justified(c, args, '^'); }},
      {"zfill", "zfill(width)", "The text padded with zeros on its left.",
       [](C &c, const A &args) -> R {
         int64_t width = LANESCOPE_TRY(args.integer(0));
         LANESCOPE_CHECK(c.evaluator.reserveString(width, args.call));
         bool sign = selfText(args).starts_with('-') || selfText(args).starts_with('+');
         std::string zeros(
             static_cast<size_t>(std::max<int64_t>(width - static_cast<int64_t>(selfText(args).size()), 0)), '0');
         return Value(selfText(args).substr(0, sign) + zeros + selfText(args).substr(sign));
       }},
      {"isdigit", "isdigit()", "True if the text is digits only.",
       [](C &, const A &args) -> R { return every(args, isDigit); }},
      {"isalpha", "isalpha()", "True if the text is ASCII letters only.",
       [](C &, const A &args) -> R { return every(args, [](char c) { return isUpper(c) || isLower(c); }); }},
  };
  return kMethods;
}

} // namespace lanescope::repl
