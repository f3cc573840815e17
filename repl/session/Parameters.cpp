#include "repl/session/Parameters.h"

#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Evaluator.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lanescope::repl {

namespace {

constexpr int64_t kMostChoices = 4096;

enum ParamArgument : size_t { kName, kDefault, kChoices, kAbout };

/// The text without blanks, since "(128, 256)" and "(128,256)" mean one choice.
std::string bare(std::string_view text) {
  std::string out;
  std::ranges::copy_if(text, std::back_inserter(out), [](char c) { return c != ' '; });
  return out;
}

bool same(const Value &a, const Value &b) { return a.typeName() == b.typeName() && repr(a) == repr(b); }

/// The text as a value of the type of `like`. Nothing if the text spells no such value, or if values of this type
/// cannot be read from text.
std::optional<Value> readAs(const Value &like, const std::string &written) {
  std::string word = bare(written);
  if (like.asStr())
    return Value(written);
  if (like.asBool()) {
    if (word == "True" || word == "true" || word == "1")
      return Value(true);
    if (word == "False" || word == "false" || word == "0")
      return Value(false);
    return std::nullopt;
  }
  if (like.asInt()) {
    auto number = parseInteger<int64_t>(word);
    return number ? std::optional(Value(*number)) : std::nullopt;
  }
  if (like.asFloat()) {
    double number = 0;
    auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    bool whole = problem == std::errc() && end == word.data() + word.size();
    return whole && std::isfinite(number) ? std::optional(Value(number)) : std::nullopt;
  }
  if (like.asDtype())
    if (auto dtype = layouts::dtypeNamed(word))
      return Value(*dtype);
  return std::nullopt;
}

/// The choices as a text such as "2, 3, 4, 5, 6". If there are many, only the first and last ones.
std::string namesOf(const std::vector<Value> &choices) {
  constexpr size_t kNamed = 12;
  if (choices.size() > kNamed)
    return text(parameterText(choices.front()), ", ", parameterText(choices[1]), ", …, ",
                parameterText(choices.back()));
  std::vector<std::string> out;
  for (const Value &choice : choices)
    out.push_back(parameterText(choice));
  return joined(out, ", ");
}

Result<std::vector<Value>> choicesOf(Context &context, const BoundArguments &args) {
  const Value &given = args[kChoices].value;
  if (const RangeData *range = given.asRange()) {
    auto count = range->count();
    if (!count || *count > kMostChoices)
      return args.wrongValue(kChoices, Message("at most {limit} choices, and ints that are known", kMostChoices));
  } else if (!given.asTuple() && !given.asList()) {
    return args.wrongType(kChoices, "a range, a tuple or a list");
  }
  std::vector<Value> choices = LANESCOPE_TRY(context.evaluator.iterate(given, args[kChoices].span));
  if (choices.empty())
    return args.wrongValue(kChoices, "there must be at least one choice");
  if (static_cast<int64_t>(choices.size()) > kMostChoices)
    return args.wrongValue(kChoices, Message("at most {limit} choices", kMostChoices));
  return choices;
}

Result<Value> param(Parameters &parameters, Context &context, const BoundArguments &args) {
  SnippetParameter parameter{.name = LANESCOPE_TRY(args.text(kName)), .place = args.call};
  if (parameter.name.empty())
    return args.wrongValue(kName, "a parameter must have a name");
  parameter.value = parameter.initial = args[kDefault].value;
  if (args.has(kAbout))
    parameter.about = LANESCOPE_TRY(args.text(kAbout));
  if (args.has(kChoices) && !args[kChoices].value.isNone()) {
    parameter.choices = LANESCOPE_TRY(choicesOf(context, args));
    parameter.ranged = args[kChoices].value.asRange() != nullptr;
    if (std::ranges::none_of(parameter.choices, [&](const Value &each) { return same(each, parameter.initial); }))
      return args.wrongValue(kDefault, Message("the default {} is not among the choices {}", repr(parameter.initial),
                                               namesOf(parameter.choices)));
  } else if (const Value &v = parameter.initial;
             !v.asBool() && !v.asInt() && !v.asFloat() && !v.asStr() && !v.asDtype()) {
    return args.wrongType(kDefault, "a bool, an int, a float, a str or a dtype, or one of `choices`");
  }
  return parameters.declare(context, std::move(parameter));
}

} // namespace

std::string parameterText(const Value &value) { return value.asStr() ? *value.asStr() : repr(value); }

void Parameters::set(const std::string &name, std::optional<std::string> text) {
  if (text)
    given_.insert_or_assign(name, *std::move(text));
  else
    given_.erase(name);
}

Diagnostics Parameters::undeclared() const {
  Diagnostics out;
  std::vector<std::string> names;
  for (const SnippetParameter &each : declared_)
    names.push_back(each.name);
  for (const auto &[name, value] : given_) {
    if (std::ranges::find(names, name) != names.end())
      continue;
    std::string_view meant = layouts::nearest(name, names);
    out.push_back({Severity::Error,
                   "no-parameter",
                   {},
                   text("there is no parameter `", name, "` to set to ", value,
                        !meant.empty()  ? layouts::didYouMean(meant)
                        : names.empty() ? std::string("; nothing calls `param(…)`")
                                        : text("; there are ", joined(names, ", "))),
                   {}});
  }
  return out;
}

Result<Value> Parameters::valueOf(Context &context, const SnippetParameter &parameter) const {
  auto given = given_.find(parameter.name);
  if (given == given_.end())
    return parameter.initial;
  std::optional<Value> value;
  if (parameter.choices.empty())
    value = readAs(parameter.initial, given->second);
  for (const Value &choice : parameter.choices)
    if (given->second == parameterText(choice) || bare(given->second) == bare(repr(choice)))
      value = choice;
  if (value)
    return *value;
  std::string takes = parameter.choices.empty() ? text("a value of type ", parameter.initial.typeName())
                                                : text("one of ", namesOf(parameter.choices));
  Diagnostic problem{Severity::Error,
                     "parameter-value",
                     context.span,
                     text("the parameter `", parameter.name, "` is set to ", given->second, ", but takes ", takes),
                     {}};
  if (strict)
    return std::unexpected(Diagnostics{std::move(problem)});
  problem.severity = Severity::Note;
  problem.message += text("; it keeps its default ", parameterText(parameter.initial));
  context.evaluator.remark(std::move(problem));
  return parameter.initial;
}

Result<Value> Parameters::declare(Context &context, SnippetParameter parameter) {
  auto before = std::ranges::find(declared_, parameter.name, &SnippetParameter::name);
  bool again = before != declared_.end() && before->place.source == parameter.place.source;
  if (again && before->place.begin != parameter.place.begin)
    return error(
        "parameter-twice", parameter.place,
        Message("the parameter `{parameter}` is declared twice; name its value once and use that", parameter.name),
        {{before->place, "here it is declared first"}});
  parameter.value = LANESCOPE_TRY(valueOf(context, parameter));
  Value value = parameter.value;
  if (before != declared_.end())
    *before = std::move(parameter);
  else
    declared_.push_back(std::move(parameter));
  return value;
}

Builtins parameterBuiltins(std::shared_ptr<Parameters> parameters) {
  return {
      {.name = "param",
       .signature = "param(name, default, choices=None, about=\"\")",
       .doc =
           "The value of a parameter: its default, unless it is set from outside.\n\n"
           "stages = param(\"stages\", 4, range(2, 7), \"steps of K in flight\")\n"
           "dtype = param(\"dtype\", f16, (f16, bf16, f32))\n"
           "fast = param(\"fast\", True)\n\n"
           "`choices` is a range, a tuple or a list; without them any bool, int, float, str or dtype, as the default "
           "is. In the window a range is a slider, other choices are a list, a bool is a switch, and a change runs the "
           "snippet again; `lanescope run x.py --param stages=5` and `set_param` set it, too.",
       .call = [parameters](Context &context, const BoundArguments &args) { return param(*parameters, context, args); },
       .group = "session",
       .worksIn = WorksIn::Host},
      {.name = "set_param",
       .signature = "set_param(name, value)",
       .doc = "From now on `param(name, …)` gives this value; None: its default again.",
       .call = [parameters](Context &, const BoundArguments &args) -> Result<Value> {
         const Value &value = args[1].value;
         parameters->set(LANESCOPE_TRY(args.text(0)),
                         value.isNone() ? std::nullopt : std::optional(parameterText(value)));
         return Value();
       },
       .group = "session",
       .worksIn = WorksIn::Host},
  };
}

} // namespace lanescope::repl
