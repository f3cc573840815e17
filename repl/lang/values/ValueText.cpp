// repr and str of values.
#include "repl/lang/values/ArrayOps.h"
#include "repl/lang/values/Builtin.h"
#include "repl/lang/values/DtypeNames.h"

#include "layouts/support/Text.h"

#include <charconv>
#include <cmath>

namespace lanescope::repl {

std::string floatText(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  // Takes the shortest digits, and then chooses between fixed and scientific notation as Python does.
  char buffer[64];
  auto [end, problem] = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  std::string_view scientific(buffer, static_cast<size_t>(end - buffer));
  size_t e = scientific.find('e');
  int exponent = 0;
  std::string_view exponentText = scientific.substr(e + 1);
  if (exponentText.starts_with('+'))
    exponentText.remove_prefix(1);
  std::from_chars(exponentText.data(), exponentText.data() + exponentText.size(), exponent);
  if (exponent < -4 || exponent >= 16)
    return std::string(scientific);
  auto [fixedEnd, fixedProblem] = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  std::string out(buffer, static_cast<size_t>(fixedEnd - buffer));
  if (out.find('.') == std::string::npos)
    out += ".0";
  return out;
}

namespace {

constexpr int kMaxTextDepth = 100;
constexpr size_t kMaxTextBytes = 16 << 20; // a structure with shared parts can represent exponentially much text

std::string quoted(const std::string &s) {
  char quote = s.find('\'') != std::string::npos && s.find('"') == std::string::npos ? '"' : '\'';
  std::string out(1, quote);
  for (char c : s) {
    auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\t')
      out += "\\t";
    else if (byte < 0x20 || byte == 0x7F)
      (out += "\\x") += {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
    else
      out += c;
  }
  return out += quote;
}

void writeText(const Value &value, int depth, std::string &out) {
  if (depth > kMaxTextDepth || out.size() > kMaxTextBytes) {
    out += "…";
    return;
  }
  auto sequence = [&](const std::vector<Value> &items) {
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0)
        out += ", ";
      if (out.size() > kMaxTextBytes) {
        out += "…";
        break;
      }
      writeText(items[i], depth + 1, out);
    }
  };
  if (value.isNone()) {
    out += "None";
  } else if (const bool *b = value.asBool()) {
    out += *b ? "True" : "False";
  } else if (const int64_t *n = value.asInt()) {
    out += text(*n);
  } else if (const double *x = value.asFloat()) {
    out += floatText(*x);
  } else if (value.isEllipsis()) {
    out += "Ellipsis";
  } else if (const auto *dtype = value.asDtype()) {
    if (value.arrayRules() == ArrayRules::Snippet)
      out += layouts::name(*dtype);
    else
      out += text("dtype(", quoted(std::string(numpyName(*dtype))), ")");
  } else if (const std::string *s = value.asStr()) {
    out += quoted(*s);
  } else if (const auto *tuple = value.asTuple()) {
    out += '(';
    sequence(*tuple);
    out += tuple->size() == 1 ? ",)" : ")";
  } else if (const ListData *list = value.asList()) {
    out += '[';
    sequence(list->items);
    out += ']';
  } else if (const DictData *dict = value.asDict()) {
    out += '{';
    bool first = true;
    for (const DictData::Item &item : dict->items()) {
      out += first ? "" : ", ";
      first = false;
      if (out.size() > kMaxTextBytes) {
        out += "…";
        break;
      }
      writeText(item.key, depth + 1, out);
      out += ": ";
      writeText(item.value, depth + 1, out);
    }
    out += '}';
  } else if (const SliceData *slice = value.asSlice()) {
    out += "slice(";
    sequence({slice->start, slice->stop, slice->step});
    out += ')';
  } else if (const RangeData *range = value.asRange()) {
    out += range->unrolled ? "static_range(" : "range(";
    auto step = range->step.integer();
    if (step && *step == 1)
      sequence({range->start, range->stop});
    else
      sequence({range->start, range->stop, range->step});
    out += range->atOnce > 1 ? text(", unroll=", range->atOnce, ")") : ")";
  } else if (const Layout *layout = value.asLayout()) {
    std::string written = layouts::layoutText(*layout);
    if (std::holds_alternative<layouts::Foreign>(*layout))
      out += "layout(" + repr(Value(written)) + ")";
    else
      out += written;
  } else if (const core::Array *array = value.asArray()) {
    out += arrayRepr(*array, value.arrayRules());
  } else if (const Function *function = value.asFunction()) {
    out += text("<function ", function->syntax->name, ">");
  } else if (const BuiltinValue *builtin = value.asBuiltin()) {
    out += !builtin->self && isTypeName(builtin->name) ? text("<class '", builtin->name, "'>")
                                                       : text("<builtin ", builtin->name, ">");
  } else if (const Object *object = value.asObject()) {
    out += object->repr();
  }
}

} // namespace

std::string repr(const Value &value) {
  std::string out;
  writeText(value, 0, out);
  return out;
}

std::string str(const Value &value) {
  if (const std::string *text = value.asStr())
    return *text;
  if (const Object *object = value.asObject())
    return object->str();
  if (const auto *dtype = value.asDtype(); dtype && value.arrayRules() != ArrayRules::Snippet)
    return std::string(numpyName(*dtype));
  if (const core::Array *array = value.asArray())
    return arrayStr(*array, value.arrayRules());
  return repr(value);
}

} // namespace lanescope::repl
