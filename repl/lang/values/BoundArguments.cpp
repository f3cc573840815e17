// Signatures of builtins, and checks of calls against them.
#include "layouts/support/Try.h"
#include "repl/lang/values/ArrayOps.h"
#include "repl/lang/values/Builtin.h"
#include "repl/lang/values/DtypeNames.h"
#include "repl/lang/values/Equality.h"
#include "repl/lang/values/LayoutArgument.h"

#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <cassert>
#include <mutex>
#include <unordered_map>

namespace lanescope::repl {

bool isTypeName(std::string_view name) {
  static constexpr std::string_view kTypes[] = {"int",  "float", "bool", "str",  "tuple",
                                                "list", "dict",  "type", "range"};
  return std::ranges::find(kTypes, name) != std::end(kTypes);
}

static Signature parsed(std::string_view text) {
  Signature out;
  size_t open = text.find('(');
  assert(open != std::string_view::npos && text.ends_with(')') && "a builtin's signature is `name(parameters)`");
  out.name = std::string(text.substr(0, open));
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  bool keywordOnly = false;
  for (size_t begin = 0; begin < rest.size();) {
    // A comma inside a default such as `(8, 64)` does not separate parameters.
    size_t end = begin;
    for (int depth = 0; end < rest.size() && (rest[end] != ',' || depth > 0); ++end)
      depth += rest[end] == '(' || rest[end] == '[' ? 1 : rest[end] == ')' || rest[end] == ']' ? -1 : 0;
    std::string_view part = trimmed(rest.substr(begin, end - begin));
    begin = end + 1;
    SignatureParameter parameter;
    if (part == "*") {
      keywordOnly = true;
      continue;
    }
    if (part.starts_with("**")) {
      parameter.form = Parameter::Form::KeywordRest;
      part.remove_prefix(2);
    } else if (part.starts_with('*')) {
      parameter.form = Parameter::Form::Rest;
      keywordOnly = true;
      part.remove_prefix(1);
    } else if (keywordOnly) {
      parameter.form = Parameter::Form::KeywordOnly;
    }
    size_t equals = part.find('=');
    parameter.name = std::string(part.substr(0, equals));
    if (equals != std::string_view::npos)
      parameter.defaultText = std::string(part.substr(equals + 1));
    out.parameters.push_back(std::move(parameter));
  }
  return out;
}

std::shared_ptr<const Signature> Signature::parse(const std::string &text) {
  static std::mutex guard;
  static std::unordered_map<std::string, std::shared_ptr<const Signature>> known;
  std::lock_guard lock(guard);
  std::shared_ptr<const Signature> &signature = known[text];
  if (!signature)
    signature = std::make_shared<Signature>(parsed(text));
  return signature;
}

Value BuiltinValue::make(const Builtin &builtin, std::optional<Value> self) {
  auto value = std::make_shared<BuiltinValue>();
  value->name = builtin.name;
  value->signature = Signature::parse(builtin.signature);
  value->signatureText = builtin.signature;
  value->doc = builtin.doc;
  value->call = builtin.call;
  value->worksIn = builtin.worksIn;
  value->self = std::move(self);
  return Value(std::shared_ptr<const BuiltinValue>(std::move(value)));
}

std::string whereItWorks(const Builtin &builtin) {
  if (!builtin.call)
    return {};
  std::string kernels = "kernels";
  for (std::string_view target : builtin.targets)
    kernels += text(target == builtin.targets.front() ? " of " : " and of ", target);
  switch (builtin.worksIn) {
  case WorksIn::Both: return "For the host and for kernels.";
  case WorksIn::Kernels: return text("For ", kernels, ".");
  case WorksIn::Host: break;
  }
  return builtin.targets.empty() ? "For the host." : text("For the host and for ", kernels, ".");
}

/// The text from which the signature was parsed: `sum(x, axis=None)`.
static std::string written(const Signature &signature) {
  std::vector<std::string> parts;
  bool keywordOnly = false;
  for (const SignatureParameter &parameter : signature.parameters) {
    if (parameter.form == Parameter::Form::KeywordOnly && !std::exchange(keywordOnly, true))
      parts.emplace_back("*");
    keywordOnly |= parameter.form == Parameter::Form::Rest;
    std::string_view stars = parameter.form == Parameter::Form::Rest          ? "*"
                             : parameter.form == Parameter::Form::KeywordRest ? "**"
                                                                              : "";
    parts.push_back(text(stars, parameter.name, parameter.defaultText.empty() ? "" : "=", parameter.defaultText));
  }
  return text(signature.name, "(", joined(parts, ", "), ")");
}

Result<BoundArguments> BoundArguments::bind(const Signature &signature, const Arguments &arguments, Span call) {
  BoundArguments out;
  out.call = std::move(call);
  out.function = signature.name;
  out.parameters_ = signature.parameters;
  out.slots_.resize(signature.parameters.size());
  size_t next = 0;
  bool rest = false, keywordRest = false;
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    const SignatureParameter &parameter = signature.parameters[i];
    if (parameter.form == Parameter::Form::Normal && next < arguments.positional.size())
      out.slots_[i] = arguments.positional[next++];
    rest |= parameter.form == Parameter::Form::Rest;
    keywordRest |= parameter.form == Parameter::Form::KeywordRest;
  }
  if (rest)
    out.rest_.assign(arguments.positional.begin() + static_cast<ptrdiff_t>(next), arguments.positional.end());
  else if (next < arguments.positional.size())
    return error("arguments", arguments.positional[next].span,
                 Message("`{function}` takes at most {}, but {given} are given", signature.name,
                         counted(next, "positional argument"), arguments.positional.size())
                     .with("limit", next));
  for (const KeywordArg &keyword : arguments.keyword) {
    auto known = std::ranges::find_if(signature.parameters, [&](const SignatureParameter &parameter) {
      return parameter.name == keyword.name && parameter.form != Parameter::Form::Rest &&
             parameter.form != Parameter::Form::KeywordRest;
    });
    if (known == signature.parameters.end()) {
      if (keywordRest) {
        out.keywords_.push_back(keyword);
        continue;
      }
      std::vector<std::string> names;
      for (const SignatureParameter &parameter : signature.parameters)
        names.push_back(parameter.name);
      std::string near(layouts::nearest(keyword.name, names));
      return error("arguments", keyword.nameSpan,
                   Message("`{function}` has no argument `{argument}`{}", signature.name, keyword.name,
                           layouts::didYouMean(near))
                       .with("nearest", near));
    }
    auto &slot = out.slots_[static_cast<size_t>(known - signature.parameters.begin())];
    if (slot)
      return error("arguments", keyword.nameSpan,
                   Message("`{function}` gets a second value for `{argument}`", signature.name, keyword.name));
    slot = Arg{keyword.value, keyword.span};
  }
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    const SignatureParameter &parameter = signature.parameters[i];
    bool plain = parameter.form == Parameter::Form::Normal || parameter.form == Parameter::Form::KeywordOnly;
    if (plain && !out.slots_[i] && parameter.defaultText.empty())
      return std::unexpected(
          Diagnostics{{Severity::Error,
                       "arguments",
                       {},
                       lanescope::text("`", signature.name, "` needs a value for `", parameter.name, "`"),
                       {{{}, lanescope::text("it is called as `", written(signature), "`")}}}});
  }
  return out;
}

std::unexpected<Diagnostics> BoundArguments::wrongType(size_t index, std::string_view expected) const {
  return error("type", (*this)[index].span,
               Message("`{argument}` of `{function}` must be {expected}, not {type}", parameters_[index].name, function,
                       expected, (*this)[index].value.typeName()));
}
std::unexpected<Diagnostics> BoundArguments::wrongValue(size_t index, Message message) const {
  Message whole("`{argument}` of `{function}`: {}", parameters_[index].name, function, message.words);
  whole.parameters.insert(whole.parameters.end(), std::make_move_iterator(message.parameters.begin()),
                          std::make_move_iterator(message.parameters.end()));
  return error("value", (*this)[index].span, std::move(whole));
}

Result<int64_t> BoundArguments::integer(size_t index) const {
  Value value = (*this)[index].value.plain();
  if (const int64_t *n = value.asInt())
    return *n;
  return wrongType(index, "an int");
}
Result<int64_t> BoundArguments::integerOr(size_t index, int64_t fallback) const {
  return has(index) && !(*this)[index].value.isNone() ? integer(index) : fallback;
}
Result<double> BoundArguments::number(size_t index) const {
  if (auto x = (*this)[index].value.plain().number())
    return *x;
  return wrongType(index, "a number");
}
Result<double> BoundArguments::numberOr(size_t index, double fallback) const {
  return has(index) && !(*this)[index].value.isNone() ? number(index) : fallback;
}
Result<bool> BoundArguments::booleanOr(size_t index, bool fallback) const {
  if (!has(index))
    return fallback;
  Value value = (*this)[index].value.plain();
  if (const bool *b = value.asBool())
    return *b;
  return wrongType(index, "True or False");
}
Result<std::string> BoundArguments::text(size_t index) const {
  if (const std::string *s = (*this)[index].value.asStr())
    return *s;
  return wrongType(index, "a str");
}

Result<std::vector<int64_t>> BoundArguments::integers(size_t index) const {
  Value value = (*this)[index].value.plain();
  if (const int64_t *n = value.asInt())
    return std::vector<int64_t>{*n};
  const std::vector<Value> *items = value.asList() ? &value.asList()->items : value.asTuple();
  if (!items)
    return wrongType(index, "an int or a tuple of ints");
  std::vector<int64_t> out;
  for (const Value &item : *items) {
    Value part = item.plain();
    const int64_t *n = part.asInt();
    if (!n)
      return wrongValue(index, Message("every part must be an int, not {type}", item.typeName()));
    out.push_back(*n);
  }
  return out;
}

Result<std::vector<int64_t>> BoundArguments::integersOr(size_t index, std::vector<int64_t> fallback) const {
  return has(index) && !(*this)[index].value.isNone() ? integers(index) : std::move(fallback);
}

Result<std::vector<int64_t>> BoundArguments::axes(size_t index, const layouts::Shape &shape) const {
  auto rank = static_cast<int64_t>(shape.size());
  std::vector<int64_t> axes;
  if (!has(index) || (*this)[index].value.isNone()) {
    for (int64_t d = 0; d < rank; ++d)
      axes.push_back(d);
    return axes;
  }
  for (int64_t axis : LANESCOPE_TRY(integers(index))) {
    if (axis < -rank || axis >= rank)
      return wrongValue(
          index, Message("there is no axis {dimension} in an array of shape {shape}", axis, layouts::tupleText(shape)));
    axes.push_back(axis < 0 ? axis + rank : axis);
  }
  std::ranges::sort(axes);
  if (std::ranges::adjacent_find(axes) != axes.end())
    return wrongValue(index, "an axis is named twice");
  return axes;
}

Result<layouts::Shape> BoundArguments::shape(size_t index) const {
  auto sizes = integers(index);
  if (!sizes)
    return std::unexpected(std::move(sizes.error()));
  constexpr size_t kMaxRank = 32;
  if (sizes->size() > kMaxRank)
    return wrongValue(index, Message("a shape has at most {limit} dimensions", kMaxRank));
  for (int64_t size : *sizes)
    if (size < 0)
      return wrongValue(index, Message("a size of {size} is negative", size));
  if (!checkedCount(*sizes) || layouts::elementCount(*sizes) >= (int64_t{1} << 31))
    return wrongValue(index, Message("{shape} has 2**31 elements or more", layouts::tupleText(*sizes)));
  return *sizes;
}

Result<layouts::Dtype> BoundArguments::dtype(size_t index) const {
  if (const layouts::Dtype *dtype = (*this)[index].value.asDtype())
    return *dtype;
  const std::string *name = (*this)[index].value.asStr();
  if (name)
    if (auto dtype = dtypeOfText(*name))
      return *dtype;
  if (name)
    return wrongValue(index, Message("there is no dtype `{name}`; there are `float32`, `bfloat16`, `int8`, `uint8`, … "
                                     "and our own `f32`, `bf16`, `i8`, `u8`",
                                     *name));
  // The hint for a call such as zeros(3, 4), where a shape belongs into a tuple.
  const int64_t *first = has(0) ? (*this)[0].value.asInt() : nullptr, *second = (*this)[index].value.asInt();
  if (first && second && index == 1 && parameters_[0].name == "shape")
    return wrongValue(index, Message("a shape of several sizes is a tuple: `{}(({}, {}))`", function, *first, *second));
  if (const BuiltinValue *builtin = (*this)[index].value.asBuiltin()) {
    if (builtin->name == "bool")
      return layouts::Dtype::I1;
    if (builtin->name == "float")
      return wrongType(index, "a dtype such as `f32`");
    if (builtin->name == "int")
      return wrongType(index, "a dtype such as `i32`");
  }
  return wrongType(index, "a dtype such as `f16`");
}
Result<layouts::Dtype> BoundArguments::dtypeOr(size_t index, layouts::Dtype fallback) const {
  return has(index) && !(*this)[index].value.isNone() ? dtype(index) : fallback;
}
Result<layouts::RegisterLayout> BoundArguments::registerLayout(size_t index) const {
  if (auto layout = (*this)[index].value.registerLayout())
    return std::move(*layout);
  if (const std::string *written = (*this)[index].value.asStr()) {
    layouts::Layout layout = LANESCOPE_TRY(layoutOfText(*written, (*this)[index].span));
    if (auto *registers = std::get_if<layouts::RegisterLayout>(&layout))
      return std::move(*registers);
    return wrongValue(index,
                      Message("the text is a {} layout; a register layout of Mosaic GPU such as `WGMMA` is expected",
                              layouts::languageOf(layout)));
  }
  return wrongType(index, "a register layout such as `WGMMA`");
}
Result<const core::Array *> BoundArguments::array(size_t index) const {
  if (const core::Array *array = (*this)[index].value.asArray())
    return array;
  return wrongType(index, "an array");
}

} // namespace lanescope::repl
