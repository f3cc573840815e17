#include "repl/lang/evaluate/TextFormats.h"

#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Utf8.h"
#include "repl/lang/evaluate/Interpreter.h"
#include "repl/lang/evaluate/Methods.h"

#include <algorithm>
#include <cmath>

namespace lanescope::repl {
namespace {

std::unexpected<Diagnostics> bad(std::string why) { return error("format", std::move(why)); }

/// The fields of one call of `str.format`, from left to right.
class FieldFiller {
public:
  FieldFiller(Context &context, const BoundArguments &args) : context_(context), args_(args) {}

  Result<std::string> fill(std::string_view format, bool inSpec = false) {
    std::string out;
    for (;;) {
      size_t at = format.find_first_of("{}");
      out += format.substr(0, at);
      if (at == std::string_view::npos)
        return out;
      char brace = format[at];
      format.remove_prefix(at + 1);
      if (format.starts_with(brace)) {
        out += brace;
        format.remove_prefix(1);
        continue;
      }
      if (brace == '}')
        return bad("a single `}` in the format; a brace as text is written `}}`");
      size_t end = closing(format);
      if (end == std::string_view::npos)
        return bad("a `{` of the format is never closed; a brace as text is written `{{`");
      if (inSpec && format.substr(0, end).find('{') != std::string_view::npos)
        return bad("the fields of a format nest too deep: one may be in another's specification");
      std::string shown = LANESCOPE_TRY(field(format.substr(0, end)));
      LANESCOPE_CHECK(context_.evaluator.reserveString(static_cast<int64_t>(out.size() + shown.size()), args_.call));
      out += shown;
      format.remove_prefix(end + 1);
    }
  }

private:
  static size_t closing(std::string_view format) {
    int open = 1;
    for (size_t at = 0; at < format.size(); ++at) {
      open += format[at] == '{' ? 1 : format[at] == '}' ? -1 : 0;
      if (open == 0)
        return at;
    }
    return std::string_view::npos;
  }

  /// What stands between the braces: `path!conversion:specification`.
  Result<std::string> field(std::string_view inside) {
    size_t end = 0;
    for (bool key = false; end < inside.size(); ++end) {
      key = inside[end] == '[' || (key && inside[end] != ']');
      if (!key && (inside[end] == ':' || inside[end] == '!'))
        break;
    }
    Value value = LANESCOPE_TRY(valueAt(inside.substr(0, end)));
    std::string_view rest = inside.substr(end);
    if (rest.starts_with('!')) {
      char conversion = rest.size() > 1 ? rest[1] : ' ';
      if (std::string_view("sra").find(conversion) == std::string_view::npos || (rest.size() > 2 && rest[2] != ':'))
        return bad(text("`{", inside, "}` of the format converts with `!s`, `!r` or `!a`"));
      value = Value(conversion == 's' ? str(value) : repr(value));
      rest.remove_prefix(2);
    }
    if (rest.empty())
      return formatValue(value, "");
    return formatValue(value, LANESCOPE_TRY(fill(rest.substr(1), true)));
  }

  Result<Value> valueAt(std::string_view path) {
    size_t end = std::min(path.find_first_of(".["), path.size());
    Value value = LANESCOPE_TRY(argument(std::string(path.substr(0, end))));
    path.remove_prefix(end);
    Evaluator &evaluator = context_.evaluator;
    while (!path.empty()) {
      if (path[0] == '.') {
        end = std::min(path.find_first_of(".[", 1), path.size());
        value = LANESCOPE_TRY(evaluator.attribute(value, std::string(path.substr(1, end - 1)), args_.call));
      } else {
        end = path[0] == '[' ? path.find(']') : std::string_view::npos;
        if (end == std::string_view::npos)
          return bad(text("`", path, "` of the format is neither `.name` nor `[key]`"));
        std::string_view key = path.substr(1, end++ - 1);
        auto number = parseInteger<int64_t>(key);
        Value index = number ? Value(*number) : Value(std::string(key));
        value = LANESCOPE_TRY(evaluator.getItem({value, args_.call}, {index, args_.call}, args_.call));
      }
      path.remove_prefix(end);
    }
    return value;
  }

  Result<Value> argument(const std::string &name) {
    auto number = parseInteger<size_t>(name);
    if (name.empty() || number) {
      Numbering numbering = number ? Numbering::Given : Numbering::Counted;
      if (numbering_ != Numbering::Open && numbering_ != numbering)
        return bad("the format mixes `{}` with numbered fields, as `{0}`");
      numbering_ = numbering;
      size_t index = number ? *number : next_++;
      if (index >= args_.rest().size())
        return bad(text("the format's field `{", index, "}` has no value: ", args_.rest().size(), " given"));
      return args_.rest()[index].value;
    }
    std::vector<std::string_view> names;
    for (const KeywordArg &keyword : args_.keywords()) {
      if (keyword.name == name)
        return keyword.value;
      names.push_back(keyword.name);
    }
    std::string near(layouts::nearest(name, names));
    return bad(text("the format's field `{", name, "}` has no value; give one, as `", name, "=…`",
                    near.empty() ? "" : text("; did you mean `", near, "`?")));
  }

  enum class Numbering : uint8_t { Open, Counted, Given };
  Context &context_;
  const BoundArguments &args_;
  Numbering numbering_ = Numbering::Open;
  size_t next_ = 0;
};

/// The values to the right of a `%`, taken from left to right or by name.
class PercentValues {
public:
  explicit PercentValues(const Value &values) : values_(values) {}

  Result<Value> next() {
    const auto *items = values_.asTuple();
    size_t count = items ? items->size() : 1;
    if (taken_ >= count)
      return bad(text("the format has more `%` than values: ", count, " given; a `%` as text is written `%%`"));
    Value value = items ? (*items)[taken_] : values_;
    ++taken_;
    return value;
  }
  Result<Value> named(std::string_view name) {
    if (!values_.asDict())
      return bad(text("`%(", name, ")` takes its value from a dict, not from `", values_.typeName(), "`"));
    return itemOf(values_, Value(std::string(name)));
  }
  /// As Python: what has keys may have more of them than the format names.
  bool allTaken() const {
    const auto *items = values_.asTuple();
    return items ? taken_ == items->size() : taken_ > 0 || values_.asDict() || values_.asList();
  }

private:
  const Value &values_;
  size_t taken_ = 0;
};

/// One `%[(name)][flags][width][.precision]type`.
struct Percent {
  bool left = false, zeros = false, alternate = false;
  char sign = 0, type = 0;
  std::string width, precision; // digits; empty: none

  /// In the words of f-strings.
  std::string spec(std::string_view kind, bool number) const {
    bool filled = number && zeros && !left;
    std::string out = left ? "<" : filled ? "" : ">";
    if (number && sign)
      out += sign;
    if (number && alternate)
      out += '#';
    if (filled && !width.empty())
      out += '0';
    out += width;
    if (!precision.empty() && kind != "d" && kind != "x" && kind != "X" && kind != "o")
      (out += '.') += precision;
    return out += kind;
  }
};

Result<std::string> formatPercentInteger(const Percent &percent, const Value &value) {
  std::string kind(1, percent.type == 'i' || percent.type == 'u' ? 'd' : percent.type);
  auto integer = value.integer();
  if (const double *x = value.asFloat(); x && kind == "d") {
    if (!(std::abs(*x) < 9.2e18))
      return bad(text("`%d` of ", repr(value), " does not fit in 64 bits"));
    integer = static_cast<int64_t>(*x);
  }
  if (!integer)
    return bad(
        text("`%", percent.type, "` takes an int", kind == "d" ? " or a float" : "", ", not `", value.typeName(), "`"));
  if (percent.precision.empty())
    return formatValue(Value(*integer), percent.spec(kind, true));
  // A precision is the least number of digits; the sign and the prefix do not count.
  Percent digits{.zeros = true, .alternate = percent.alternate, .sign = percent.sign, .width = percent.precision};
  if (auto least = parseInteger<int64_t>(percent.precision); least && *least < INT32_MAX)
    digits.width = std::to_string(*least + (*integer < 0 || percent.sign) + (percent.alternate && kind != "d" ? 2 : 0));
  std::string body = LANESCOPE_TRY(formatValue(Value(*integer), digits.spec(kind, true)));
  return formatValue(Value(std::move(body)), Percent{.left = percent.left, .width = percent.width}.spec("s", false));
}

Result<std::string> formatPercent(const Percent &percent, const Value &given) {
  Value value = given.plain();
  switch (percent.type) {
  case 's': return formatValue(Value(str(value)), percent.spec("s", false));
  case 'r':
  case 'a': return formatValue(Value(repr(value)), percent.spec("s", false));
  case 'c': {
    auto code = value.integer();
    if (code ? *code < 0 || *code > 127 : !value.asStr() || characterCount(*value.asStr()) != 1)
      return bad("`%c` takes one character, or the code of an ASCII one");
    return formatValue(code ? Value(std::string(1, static_cast<char>(*code))) : value, percent.spec("s", false));
  }
  case 'd':
  case 'i':
  case 'u':
  case 'x':
  case 'X':
  case 'o': return formatPercentInteger(percent, value);
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G': {
    auto number = value.number();
    if (!number)
      return bad(text("`%", percent.type, "` takes a number, not `", value.typeName(), "`"));
    return formatValue(Value(*number), percent.spec(std::string(1, percent.type), true));
  }
  default:
    return bad(text("`%", percent.type,
                    "` is not a format; there are %s %r %d %x %o %e %f %g %c, and a `%` as text is written `%%`"));
  }
}

/// Reads the directive behind a `%` off the front of `rest`, and formats its value.
Result<std::string> directive(std::string_view &rest, PercentValues &values) {
  Percent percent;
  std::optional<std::string_view> name;
  if (rest.starts_with('(')) {
    size_t end = rest.find(')');
    if (end == std::string_view::npos)
      return bad("the `(` of a `%(name)` is never closed");
    name = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
  }
  for (; !rest.empty() && std::string_view("#0- +").find(rest[0]) != std::string_view::npos; rest.remove_prefix(1)) {
    percent.left |= rest[0] == '-';
    percent.zeros |= rest[0] == '0';
    percent.alternate |= rest[0] == '#';
    if (rest[0] == '+' || (rest[0] == ' ' && !percent.sign))
      percent.sign = rest[0];
  }
  auto count = [&]() -> Result<std::string> {
    if (!rest.starts_with('*')) {
      size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
      std::string out(rest.substr(0, digits));
      rest.remove_prefix(digits);
      return out;
    }
    rest.remove_prefix(1);
    Value value = LANESCOPE_TRY(values.next());
    auto number = value.plain().integer();
    if (!number)
      return bad(text("a `*` of the format takes an int, not `", value.typeName(), "`"));
    return std::to_string(*number);
  };
  percent.width = LANESCOPE_TRY(count());
  if (percent.width.starts_with('-')) {
    percent.left = true;
    percent.width.erase(0, 1);
  }
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    percent.precision = LANESCOPE_TRY(count());
    if (percent.precision.empty() || percent.precision.starts_with('-'))
      percent.precision = "0";
  }
  while (!rest.empty() && std::string_view("hlL").find(rest[0]) != std::string_view::npos)
    rest.remove_prefix(1);
  if (rest.empty())
    return bad("the format ends within a `%`; a `%` as text is written `%%`");
  percent.type = rest[0];
  rest.remove_prefix(characterEnd(rest, 0));
  if (percent.type == '%')
    return std::string("%");
  return formatPercent(percent, LANESCOPE_TRY(name ? values.named(*name) : values.next()));
}

} // namespace

Result<std::string> fillFields(Context &context, std::string_view format, const BoundArguments &args) {
  return FieldFiller(context, args).fill(format);
}

Result<std::string> fillPercents(Evaluator &evaluator, std::string_view format, const Value &values, const Span &span) {
  PercentValues taken(values);
  std::string out;
  for (;;) {
    size_t at = format.find('%');
    out += format.substr(0, at);
    if (at == std::string_view::npos)
      break;
    format.remove_prefix(at + 1);
    std::string shown = LANESCOPE_TRY(directive(format, taken));
    LANESCOPE_CHECK(evaluator.reserveString(static_cast<int64_t>(out.size() + shown.size()), span));
    out += shown;
  }
  if (!taken.allTaken())
    return bad("the format has fewer `%` than there are values");
  return out;
}

} // namespace lanescope::repl
