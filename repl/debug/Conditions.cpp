#include "repl/debug/Conditions.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/builtins/Builtins.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/syntax/Parser.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <map>
#include <set>

namespace lanescope::repl {

namespace {

constexpr std::string_view kOwnNames[] = {"block", "warp", "warpgroup", "cycle", "moment"};
// The device's name in conditions, if there are several devices and the kernel has no scalar of this name.
constexpr std::string_view kDevice = "device";
constexpr std::string_view kRegister = "ptx_"; // the evaluator reads %r12 as ptx_r12

bool isNameCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The text with registers written as names. Adds all names in it to `names`. Words in quotes or after a dot are not
/// names.
std::string withNames(const std::string &text, std::set<std::string> &names) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    char c = text[at];
    if (c == '"' || c == '\'') {
      size_t end = std::min(text.find(c, at + 1), text.size() - 1);
      out += text.substr(at, end + 1 - at);
      at = end + 1;
      continue;
    }
    bool isRegister = c == '%' && at + 1 < text.size() && std::isalpha(static_cast<unsigned char>(text[at + 1]));
    if (!isRegister && !isNameCharacter(c)) {
      out += c;
      ++at;
      continue;
    }
    size_t end = at + 1;
    while (end < text.size() && isNameCharacter(text[end]))
      ++end;
    std::string word =
        isRegister ? std::string(kRegister) + text.substr(at + 1, end - at - 1) : text.substr(at, end - at);
    if (!std::isdigit(static_cast<unsigned char>(word[0])) && (at == 0 || text[at - 1] != '.'))
      names.insert(word);
    out += word;
    at = end;
  }
  return out;
}

} // namespace

struct Conditions::State {
  core::Debugger &debugger;
  const DebugTarget &target;
  const MarkedValues &values;
  Evaluator evaluator{languageBuiltins()};
  Diagnostics problems = {};
  /// The values of a scalar in a warp. The key is the moment at which the warp gets the value. The values stay valid
  /// when the run is repeated, since each run is the same.
  std::map<std::pair<std::string, core::WarpRef>, std::map<uint64_t, int64_t>> scalars = {};
  std::set<std::string> followed = {};

  Value blockValue(const core::Glance &glance) const {
    auto [x, y, z] = glance.blockId();
    const auto &grid = target.launch.grid;
    if (grid[2] > 1)
      return Value::tuple({Value(z), Value(y), Value(x)});
    return grid[1] > 1 ? Value::tuple({Value(y), Value(x)}) : Value(x);
  }

  /// True if a condition may use the name `device`.
  bool hasDevices() const { return target.launch.deviceCount() > 1 && !values.find(kDevice); }

  /// Repeats the run to record the scalar's values at its marks. Error: the run up to here takes too long.
  Result<void> follow(const MarkedValue &value) {
    if (!followed.insert(value.name).second)
      return {};
    bool whole = debugger.observe(value.lines(), [this, &value](const core::Glance &glance) {
      // The line that the warp passes identifies the mark.
      for (const MarkedValue::Mark &mark : value.marks)
        if (mark.ptxLine == glance.ptxLine())
          if (auto bits = glance.value(mark.registers.front(), static_cast<uint32_t>(std::countr_zero(glance.lanes()))))
            scalars[{value.name, glance.warp()}][glance.moment()] = scalarOf(mark, *bits);
    });
    if (!whole)
      return error("debug-command",
                   Message("the run up to here takes too long to be seen again for `{name}`", value.name));
    return {};
  }

  /// The scalar's value in the warp; nothing before the warp has reached the first mark.
  std::optional<int64_t> scalar(const std::string &name, const core::Glance &glance) const {
    auto found = scalars.find({name, glance.warp()});
    if (found == scalars.end())
      return std::nullopt;
    auto next = found->second.upper_bound(glance.moment());
    return next == found->second.begin() ? std::nullopt : std::optional(std::prev(next)->second);
  }
};

Conditions::Conditions(core::Debugger &debugger, const DebugTarget &target, const MarkedValues &values)
    : state_(new State{debugger, target, values}) {}
Conditions::~Conditions() = default;

Diagnostics Conditions::takeProblems() { return std::exchange(state_->problems, {}); }

Result<std::function<bool(const core::Glance &)>> Conditions::make(const std::string &words) {
  State &s = *state_;
  std::set<std::string> names;
  SourceRef source = Source::make("condition", withNames(words, names));
  LANESCOPE_CHECK(parseExpression(source));
  std::vector<std::string> scalars, registers;
  for (const std::string &name : names) {
    constexpr std::string_view kWords[] = {"and",  "or",   "not",   "in",   "is",  "if",
                                           "else", "True", "False", "None", "for", "lambda"};
    if (std::ranges::find(kOwnNames, name) != std::end(kOwnNames) ||
        std::ranges::find(kWords, name) != std::end(kWords) || (name == kDevice && s.hasDevices()))
      continue;
    if (name.starts_with(kRegister)) {
      std::string own = "%" + name.substr(kRegister.size());
      if (!s.debugger.registerOf(s.debugger.focus(), own))
        return error("debug-command", Message("the PTX has no register `{register}`", own));
      registers.push_back(std::move(own));
    } else if (const MarkedValue *value = s.values.find(name)) {
      if (!value->isScalar())
        return error("debug-command", Message("`{name}` is an array; a condition asks about scalars", name));
      LANESCOPE_CHECK(s.follow(*value));
      scalars.push_back(name);
    } else if (!s.evaluator.lookup(name)) {
      std::vector<std::string> known(std::begin(kOwnNames), std::end(kOwnNames));
      if (s.hasDevices())
        known.emplace_back(kDevice);
      for (const auto &[other, value] : s.values.all())
        if (value.isScalar())
          known.push_back(other);
      return error("debug-command", Message("a condition knows no `{name}`; it knows {} and registers of the PTX (%r1)",
                                            name, joined(known, ", ")));
    }
  }
  return [&s, source, scalars, registers](const core::Glance &glance) {
    Evaluator &evaluator = s.evaluator;
    evaluator.set("block", s.blockValue(glance));
    if (s.hasDevices())
      evaluator.set(std::string(kDevice), Value(static_cast<int64_t>(glance.device())));
    evaluator.set("warp", Value(glance.warp().warp));
    evaluator.set("warpgroup", Value(glance.warp().warp / 4));
    evaluator.set("cycle", Value(static_cast<int64_t>(glance.cycle())));
    evaluator.set("moment", Value(static_cast<int64_t>(glance.moment())));
    auto lane = static_cast<uint32_t>(std::countr_zero(glance.lanes()));
    for (const std::string &name : registers)
      evaluator.set(std::string(kRegister) + name.substr(1),
                    Value(static_cast<int64_t>(glance.value(name, lane).value_or(0))));
    for (const std::string &name : scalars) {
      auto value = s.scalar(name, glance);
      if (!value)
        return false; // if a value is missing, the condition is false
      evaluator.set(name, Value(*value));
    }
    auto value = evaluator.evaluate(source);
    if (value)
      if (auto truth = evaluator.truth(*value, {source, 0, 0}))
        return *truth;
    if (s.problems.empty() && !value)
      s.problems = value.error();
    return true;
  };
}

} // namespace lanescope::repl
