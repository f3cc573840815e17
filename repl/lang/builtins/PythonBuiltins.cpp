// Python's harmless builtins.
#include "layouts/support/Try.h"
#include "repl/lang/builtins/Builtins.h"
#include "repl/lang/evaluate/Methods.h"
#include "repl/lang/evaluate/Operators.h"
#include "repl/lang/evaluate/Sorting.h"
#include "repl/lang/values/ArrayOps.h"

#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace lanescope::repl {

namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

/// Prints the values. The value of `file=` must have a method `write`, like `sys.stdout` and `sys.stderr`.
R print(C &context, const A &args) {
  std::string separator = args.has(1) && !args[1].value.isNone() ? LANESCOPE_TRY(args.text(1)) : " ";
  std::string end = args.has(2) && !args[2].value.isNone() ? LANESCOPE_TRY(args.text(2)) : "\n";
  std::string out;
  for (size_t i = 0; i < args.rest().size(); ++i) {
    if (i > 0)
      out += separator;
    out += str(args.rest()[i].value);
  }
  if (args.has(4) && !args[4].value.isNone()) {
    Value write = LANESCOPE_TRY(context.evaluator.attribute(args[4].value, "write", args[4].span));
    Arguments all;
    all.positional = {{Value(out + end), args.call}};
    LANESCOPE_CHECK(context.evaluator.call(write, all, args.call));
    return Value();
  }
  context.evaluator.print(out + end);
  return Value();
}

R length(C &context, const A &args) {
  const Value &value = args[0].value;
  if (const std::string *s = value.asStr())
    return Value(characterCount(*s));
  if (const ListData *list = value.asList())
    return Value(list->items.size());
  if (const auto *tuple = value.asTuple())
    return Value(tuple->size());
  if (const DictData *dict = value.asDict())
    return Value(dict->size());
  if (const RangeData *range = value.asRange(); range && range->count())
    return Value(*range->count());
  if (const core::Array *array = value.asArray(); array && !array->shape.empty())
    return Value(array->shape[0]);
  if (Object *object = value.asObject())
    return Value(LANESCOPE_TRY(object->length(context)));
  return args.wrongType(0, "a str, list, tuple, dict, range or array");
}

R makeRange(C &context, const A &args, bool unrolled) {
  const auto &given = args.rest();
  if (given.empty() || given.size() > 3)
    return error(
        "arguments",
        Message("`{function}` takes one to three bounds: (stop), (start, stop) or (start, stop, step)", args.function));
  for (const Arg &bound : given) {
    bool traced = context.evaluator.staging() && context.evaluator.staging()->isTraced(bound.value);
    if (traced && unrolled)
      return error("staging", bound.span,
                   "`static_range` needs bounds that are known while the kernel is traced; `range` takes others");
    if (!traced && !bound.value.plain().asInt())
      return error(
          "type", bound.span,
          Message("a bound of `{function}` must be an int, not {type}", args.function, bound.value.typeName()));
  }
  Value start = given.size() > 1 ? given[0].value.plain() : Value(0);
  Value stop = given.size() > 1 ? given[1].value.plain() : given[0].value.plain();
  Value step = given.size() > 2 ? given[2].value.plain() : Value(1);
  if (step.integer() == 0)
    return error("value", given[2].span, "the step of a range must not be 0");
  int64_t atOnce = unrolled ? 1 : LANESCOPE_TRY(args.integerOr(1, 1));
  if (atOnce < 1)
    return args.wrongValue(1, Message("a round of the loop takes one step or more, not {}", atOnce));
  return Value::range(std::move(start), std::move(stop), std::move(step), unrolled, atOnce);
}

R toInt(C &context, const A &args) {
  const Value value = args[0].value.asObject() ? args[0].value.plain() : args[0].value;
  if (auto n = value.integer())
    return Value(*n);
  if (const double *x = value.asFloat()) {
    if (!(std::abs(*x) < 9.2233720368547748e18))
      return args.wrongValue(0, Message("{} does not fit in 64 bits", floatText(*x)));
    return Value(static_cast<int64_t>(*x));
  }
  if (const core::Array *array = value.asArray(); array && array->size() == 1) {
    if (scalarOf(*array, 0).asArray())
      return args.wrongValue(0, Message("{} does not fit in 64 bits with a sign; keep it as an array", repr(value)));
    return elementOf(*array, 0).asFloat() ? Value(static_cast<int64_t>(array->number(0))) : Value(array->integer(0));
  }
  if (const std::string *s = value.asStr()) {
    int64_t base = LANESCOPE_TRY(args.integerOr(1, 10));
    if (base < 2 || base > 36)
      return args.wrongValue(1, "a base lies between 2 and 36");
    std::string digits(trimmed(*s));
    std::erase(digits, '_');
    std::string_view rest = digits;
    if (rest.starts_with('+'))
      rest.remove_prefix(1);
    bool negative = rest.starts_with('-');
    std::string_view body = rest.substr(negative);
    std::string_view prefix = base == 16 ? "0x" : base == 8 ? "0o" : base == 2 ? "0b" : "";
    if (!prefix.empty() && body.starts_with(prefix))
      body.remove_prefix(2);
    std::string number = (negative ? "-" : "") + std::string(body);
    int64_t out = 0;
    auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), out, static_cast<int>(base));
    if (problem == std::errc::result_out_of_range)
      return args.wrongValue(0, "it does not fit in 64 bits");
    if (problem != std::errc() || end != number.data() + number.size() || body.starts_with('-'))
      return args.wrongValue(0, Message("'{}' is not an integer", std::string_view(*s).substr(0, 40)));
    return Value(out);
  }
  return args.wrongType(0, "a number or a str");
}

R toFloat(C &, const A &args) {
  const Value &value = args[0].value;
  if (auto x = value.number())
    return Value(*x);
  if (const core::Array *array = value.asArray(); array && array->size() == 1)
    return Value(array->number(0));
  if (const std::string *s = value.asStr()) {
    std::string_view text = trimmed(*s);
    if (text.starts_with('+'))
      text.remove_prefix(1);
    double out = 0;
    auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (problem == std::errc() && end == text.data() + text.size())
      return Value(out);
    return args.wrongValue(0, Message("'{}' is not a number", std::string_view(*s).substr(0, 40)));
  }
  return args.wrongType(0, "a number or a str");
}

Result<std::vector<Value>> itemsOr(C &context, const A &args) {
  if (!args.has(0))
    return std::vector<Value>{};
  return context.evaluator.iterate(args[0].value, args[0].span);
}

R toDict(C &context, const A &args) {
  DictData out;
  if (args.has(0)) {
    if (const DictData *other = args[0].value.asDict()) {
      for (const DictData::Item &item : other->items())
        out.set(item.key, item.value);
    } else {
      for (const Value &pair : LANESCOPE_TRY(context.evaluator.iterate(args[0].value, args[0].span))) {
        std::vector<Value> parts = LANESCOPE_TRY(context.evaluator.iterate(pair, args[0].span));
        if (parts.size() != 2)
          return args.wrongValue(
              0, Message("every part must be a (key, value) pair, not of length {count}", parts.size()));
        if (!out.set(parts[0], parts[1]))
          return args.wrongValue(0, Message("`{type}` cannot be a dict's key", parts[0].typeName()));
      }
    }
  }
  for (const KeywordArg &keyword : args.keywords())
    out.set(Value(keyword.name), keyword.value);
  return Value::dict(std::move(out));
}

R powerModulo(const A &args) {
  __extension__ using Wide = __int128;
  int64_t base = LANESCOPE_TRY(args.integer(0)), exponent = LANESCOPE_TRY(args.integer(1));
  const int64_t modulus = LANESCOPE_TRY(args.integer(2));
  if (modulus == 0)
    return args.wrongValue(2, "there is no remainder by 0");
  if (exponent < 0)
    return args.wrongValue(1, "with a modulus, the exponent is not negative here");
  auto reduced = [&](Wide x) {
    auto rest = static_cast<int64_t>(x % modulus);
    return rest != 0 && (rest < 0) != (modulus < 0) ? rest + modulus : rest;
  };
  int64_t out = reduced(1);
  for (base = reduced(base); exponent > 0; exponent >>= 1) {
    if (exponent & 1)
      out = reduced(static_cast<Wide>(out) * base);
    base = reduced(static_cast<Wide>(base) * base);
  }
  return Value(out);
}

R inBase(const A &args, int base, std::string_view prefix) {
  const int64_t n = LANESCOPE_TRY(args.integer(0));
  char digits[65];
  const uint64_t magnitude = n < 0 ? ~static_cast<uint64_t>(n) + 1 : static_cast<uint64_t>(n);
  auto [end, problem] = std::to_chars(digits, digits + sizeof digits, magnitude, base);
  return Value(text(n < 0 ? "-" : "", prefix, std::string_view(digits, end)));
}

R character(C &, const A &args) {
  const int64_t code = LANESCOPE_TRY(args.integer(0));
  if (code < 0 || code > 0x10FFFF)
    return args.wrongValue(0, "a code point lies between 0 and 0x10ffff");
  std::string out;
  appendCharacter(out, static_cast<char32_t>(code));
  return Value(std::move(out));
}

std::vector<uint32_t> codePoints(std::string_view s) {
  std::vector<uint32_t> out;
  while (!s.empty()) {
    char32_t code = 0;
    size_t length = characterLength(s, &code);
    out.push_back(length == 0 ? static_cast<unsigned char>(s.front()) : code);
    s.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

R codePoint(C &, const A &args) {
  std::vector<uint32_t> points = codePoints(LANESCOPE_TRY(args.text(0)));
  if (points.size() != 1)
    return args.wrongValue(0, Message("one character is needed, not {count}", points.size()));
  return Value(static_cast<int64_t>(points[0]));
}

} // namespace

Builtins pythonBuiltins() {
  Builtins out = {
      {"print", "print(*values, sep=\" \", end=\"\\n\", flush=False, file=None)",
       "Prints the values, with `sep` between them and `end` after them.", print},
      {"len", "len(x)", "Number of items, of characters, or of rows of an array.", length},
      {"range", "range(*bounds, unroll=1)",
       "range(stop), range(start, stop) or range(start, stop, step): the ints from start up to stop, stop not "
       "included.\n\nIn a kernel, `for i in range(…)` becomes a loop on the device; its bounds may be traced. "
       "With `unroll=n` each of its rounds takes n steps, with bounds that are known; static_range unrolls altogether.",
       [](C &c, const A &args) { return makeRange(c, args, false); }},
      {"static_range", "static_range(*bounds)",
       "As range, but a kernel's `for` over it is unrolled while the kernel is traced.",
       [](C &c, const A &args) { return makeRange(c, args, true); }},
      {"int", "int(x=0, base=10)", "A number without its fraction, or the integer that a str spells.",
       [](C &c, const A &args) { return args.has(0) ? toInt(c, args) : R(Value(0)); }},
      {"float", "float(x=0)", "The number as a float, or the float that a str spells.",
       [](C &c, const A &args) { return args.has(0) ? toFloat(c, args) : R(Value(0.0)); }},
      {"bool", "bool(x=False)", "True if the value counts as true in a condition.",
       [](C &c, const A &args) -> R {
         return args.has(0) ? Value(LANESCOPE_TRY(c.evaluator.truth(args[0].value, args[0].span))) : Value(false);
       }},
      {"str", "str(x=\"\")", "The value as text.",
       [](C &, const A &args) -> R { return args.has(0) ? Value(str(args[0].value)) : Value(""); }},
      {"repr", "repr(x)", "The value as text that reads back, where there is one.",
       [](C &, const A &args) -> R { return Value(repr(args[0].value)); }},
      {"tuple", "tuple(items=())", "The items as a tuple.",
       [](C &c, const A &args) -> R { return Value::tuple(LANESCOPE_TRY(itemsOr(c, args))); }},
      {"list", "list(items=())", "The items as a new list.",
       [](C &c, const A &args) -> R { return Value::list(LANESCOPE_TRY(itemsOr(c, args))); }},
      {"dict", "dict(pairs=(), **items)", "A dict of pairs, of another dict, and of keyword arguments.", toDict},
      {"sorted", "sorted(items, *, key=None, reverse=False)", "A sorted list; equal items keep their order.",
       [](C &c, const A &args) -> R {
         std::vector<Value> items = LANESCOPE_TRY(itemsOr(c, args));
         return Value::list(
             LANESCOPE_TRY(sortedItems(c, std::move(items), args.get(1), LANESCOPE_TRY(args.booleanOr(2, false)))));
       }},
  };
  Builtins more = {
      {"divmod", "divmod(a, b)", "(a // b, a % b)",
       [](C &c, const A &args) -> R {
         return Value::tuple({LANESCOPE_TRY(c.evaluator.binary(BinaryOp::FloorDivide, args[0], args[1], args.call)),
                              LANESCOPE_TRY(c.evaluator.binary(BinaryOp::Modulo, args[0], args[1], args.call))});
       }},
      {"pow", "pow(a, b, mod=None)", "a ** b, or its remainder by `mod`.",
       [](C &c, const A &args) -> R {
         if (!args.has(2) || args[2].value.isNone())
           return c.evaluator.binary(BinaryOp::Power, args[0], args[1], args.call);
         return powerModulo(args);
       }},
      {"hex", "hex(n)", "An int in base 16: `0xff`.", [](C &, const A &args) { return inBase(args, 16, "0x"); }},
      {"oct", "oct(n)", "An int in base 8: `0o17`.", [](C &, const A &args) { return inBase(args, 8, "0o"); }},
      {"bin", "bin(n)", "An int in base 2: `0b101`.", [](C &, const A &args) { return inBase(args, 2, "0b"); }},
      {"chr", "chr(n)", "The character of a code point.", character},
      {"ord", "ord(c)", "The code point of a character.", codePoint},
      {"slice", "slice(*bounds)", "The slice of `x[start:stop:step]`, as a value.",
       [](C &, const A &args) -> R {
         const auto &given = args.rest();
         if (given.empty() || given.size() > 3)
           return error("arguments", "`slice` takes one to three bounds");
         Value none;
         return given.size() == 1
                    ? Value::slice(none, given[0].value, none)
                    : Value::slice(given[0].value, given[1].value, given.size() == 3 ? given[2].value : none);
       }},
      {.name = "__name__", .doc = "\"__main__\": a file that is run is the program.", .constant = Value("__main__")},
  };
  out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  for (Builtin &builtin : out)
    builtin.group = "Python";
  return out;
}

} // namespace lanescope::repl
