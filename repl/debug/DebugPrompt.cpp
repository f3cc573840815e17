#include "repl/debug/DebugPrompt.h"

#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"
#include "repl/debug/CommandWords.h"
#include "repl/debug/DebugWords.h"
#include "repl/debug/StopCommands.h"

#include <algorithm>
#include <span>

namespace lanescope::repl {

using core::Debugger;
using core::StepBy;
using core::Stop;
using core::StopReason;
using core::WarpRef;
using core::Way;

namespace {

constexpr char kCommandKind[] = "debug-command";
constexpr std::string_view kFocusUsage = "`focus WARP`, `focus BLOCK WARP` or `focus DEVICE BLOCK WARP`";

} // namespace

struct DebugPrompt::State {
  State(DebugTarget theTarget, DebugPromptOptions theOptions)
      : target(std::move(theTarget)), options(std::move(theOptions)), values(target) {}

  using Call = Result<std::string> (State::*)(std::string_view arguments);
  struct Command {
    std::string_view name, shortName, usage, help;
    Call call;
  };
  static std::span<const Command> commands();
  static const Command *find(std::string_view name);

  // --- moving
  Result<std::string> moved(const Stop &stop);
  Result<std::string> go(StepBy by, Way way, std::string_view count);
  Result<std::string> continueOn(std::string_view) { return moved(debugger->resume()); }
  Result<std::string> continueBack(std::string_view) { return moved(debugger->resume(Way::Back)); }
  Result<std::string> step(std::string_view count) { return go(StepBy::Line, Way::Forward, count); }
  Result<std::string> stepBack(std::string_view count) { return go(StepBy::Line, Way::Back, count); }
  Result<std::string> stepInstruction(std::string_view count) { return go(StepBy::Instruction, Way::Forward, count); }
  Result<std::string> stepInstructionBack(std::string_view count) { return go(StepBy::Instruction, Way::Back, count); }
  Result<std::string> event(std::string_view count) { return go(StepBy::Event, Way::Forward, count); }
  Result<std::string> eventBack(std::string_view count) { return go(StepBy::Event, Way::Back, count); }
  Result<std::string> moments(std::string_view count) { return go(StepBy::Moment, Way::Forward, count); }
  Result<std::string> momentsBack(std::string_view count) { return go(StepBy::Moment, Way::Back, count); }
  Result<std::string> until(std::string_view line);
  Result<std::string> toFault(std::string_view) { return moved(debugger->runToFault()); }
  Result<std::string> toMoment(std::string_view moment);
  Result<std::string> toCycle(std::string_view cycle);
  Result<std::string> back(std::string_view);
  // --- stopping
  Result<std::string> breakAt(std::string_view where);
  Result<std::string> watch(std::string_view what);
  Result<std::string> remove(std::string_view which);
  Result<std::string> setEnabled(std::string_view which, bool enabled);
  Result<std::string> enable(std::string_view which) { return setEnabled(which, true); }
  Result<std::string> disable(std::string_view which) { return setEnabled(which, false); }
  Result<std::string> breakpoints(std::string_view);
  // --- looking
  Result<std::string> here(std::string_view) { return stopWords(target, debugger->stop()); }
  Result<std::string> where(std::string_view);
  Result<std::string> list(std::string_view line);
  Result<std::string> focus(std::string_view words);
  Result<std::string> print(std::string_view name);
  Result<std::string> show(std::string_view name);
  Result<std::string> listValues(std::string_view);
  Result<std::string> registers(std::string_view prefix);
  Result<std::string> smem(std::string_view words);
  Result<std::string> tmem(std::string_view) {
    return tensorMemoryWords(debugger->tensorMemory(debugger->focus().block));
  }
  Result<std::string> barriers(std::string_view) {
    return barrierWords(target, debugger->barriers(debugger->focus().block));
  }
  Result<std::string> flight(std::string_view) { return flightWords(target, debugger->flights()); }
  Result<std::string> waits(std::string_view);
  Result<std::string> printed(std::string_view);
  Result<std::string> checkpoints(std::string_view);
  Result<std::string> help(std::string_view name);
  Result<std::string> quit(std::string_view) {
    over = true;
    return std::string();
  }

  Result<const MarkedValue *> named(std::string_view name) const;

  DebugTarget target;
  DebugPromptOptions options;
  MarkedValues values;
  std::unique_ptr<Stops> stops; // the debugger's breakpoints refer to these stops
  std::unique_ptr<Debugger> debugger;
  std::vector<std::pair<uint64_t, WarpRef>> way; // the moment and the warp at which each moving command began
  std::string last;                              // the last command
  bool over = false;
};

// --- the table -------------------------------------------------------------------------------------------------------

std::span<const DebugPrompt::State::Command> DebugPrompt::State::commands() {
  using S = State;
  static constexpr Command kCommands[] = {
      {"break", "b", "break [LINE | ptx:LINE] [if CONDITION]",
       "stops warps that come to a line; `if block == (0, 1) and warp < 4 and k == 3`", &S::breakAt},
      {"watch", "", "watch BUFFER[INDEX] | smem ADDRESS [BYTES] | mbarrier ADDRESS",
       "stops where an element of an array, shared memory or an mbarrier of the block changes", &S::watch},
      {"delete", "d", "delete [NUMBER]", "takes away a breakpoint or watchpoint, or all", &S::remove},
      {"enable", "", "enable NUMBER", "a breakpoint stops again", &S::enable},
      {"disable", "", "disable NUMBER", "a breakpoint stays, switched off", &S::disable},
      {"breakpoints", "info", "breakpoints", "lists what stops the run", &S::breakpoints},
      {"continue", "c", "continue", "to the next breakpoint, a fault or the end", &S::continueOn},
      {"reverse-continue", "rc", "reverse-continue", "back to the breakpoint before, or the start", &S::continueBack},
      {"step", "s", "step [COUNT]", "the warp in focus to its next line", &S::step},
      {"next", "n", "next [COUNT]", "as `step`: functions of a kernel are part of it", &S::step},
      {"reverse-step", "rs", "reverse-step [COUNT]",
       "the warp in focus back to where its line, or the one before, began", &S::stepBack},
      {"reverse-next", "rn", "reverse-next [COUNT]", "as `reverse-step`", &S::stepBack},
      {"stepi", "si", "stepi [COUNT]", "the warp in focus by instructions", &S::stepInstruction},
      {"reverse-stepi", "rsi", "reverse-stepi [COUNT]", "the warp in focus back by instructions",
       &S::stepInstructionBack},
      {"event", "e", "event [COUNT]", "to the block's next synchronisation, copy, product or landing", &S::event},
      {"reverse-event", "re", "reverse-event [COUNT]", "to the one before", &S::eventBack},
      {"moment", "m", "moment [COUNT]", "on by moments, of any warp", &S::moments},
      {"reverse-moment", "rm", "reverse-moment [COUNT]", "back by moments, of any warp", &S::momentsBack},
      {"until", "u", "until LINE | ptx:LINE", "to the next warp that comes to a line", &S::until},
      {"fault", "", "fault", "to the moment before the fault, past breakpoints", &S::toFault},
      {"goto", "g", "goto MOMENT", "to a moment, on or back", &S::toMoment},
      {"cycle", "", "cycle CYCLE", "to where the warp in focus first was at a cycle of the model: a slice of a trace",
       &S::toCycle},
      {"back", "", "back", "to where the last command that moved began", &S::back},
      {"here", "", "here", "prints again where the run stands", &S::here},
      {"where", "w", "where", "where each warp is, and what it waits for", &S::where},
      {"list", "l", "list [LINE]", "the snippet around a line", &S::list},
      {"focus", "f", "focus WARP | BLOCK WARP | DEVICE BLOCK WARP",
       "the warp whose steps count and whose values are printed", &S::focus},
      {"print", "p", "print NAME | %REGISTER", "a value by its name in the snippet, or a register", &S::print},
      {"show", "", "show NAME", "an array, and its layout: which warp, lane and register has which element", &S::show},
      {"values", "", "values", "the names that have values", &S::listValues},
      {"registers", "r", "registers [PREFIX]", "registers of the warp in focus: `registers %rd`", &S::registers},
      {"smem", "x", "smem [ADDRESS [BYTES]]",
       "shared memory: bytes, the warps that wrote them, copies in flight over them", &S::smem},
      {"tmem", "", "tmem", "tensor memory of the block", &S::tmem},
      {"barriers", "", "barriers", "phases, missing arrivals and bytes, the warps that wait", &S::barriers},
      {"flight", "", "flight", "copies and products in flight", &S::flight},
      {"waits", "", "waits", "who waits for whom", &S::waits},
      {"printed", "", "printed", "what the kernel has printed so far", &S::printed},
      {"checkpoints", "", "checkpoints", "how many checkpoints there are to go back to, and their memory",
       &S::checkpoints},
      {"help", "h", "help [COMMAND]", "what there is", &S::help},
      {"quit", "q", "quit", "leaves the debugger", &S::quit},
  };
  return kCommands;
}

const DebugPrompt::State::Command *DebugPrompt::State::find(std::string_view name) {
  const Command *begins = nullptr;
  size_t many = 0;
  for (const Command &command : commands()) {
    if (command.name == name || (!command.shortName.empty() && command.shortName == name))
      return &command;
    if (command.name.starts_with(name)) {
      begins = &command;
      ++many;
    }
  }
  return many == 1 ? begins : nullptr;
}

// --- moving ----------------------------------------------------------------------------------------------------------

Result<std::string> DebugPrompt::State::moved(const Stop &stop) {
  std::string out = stopWords(target, stop);
  if (Diagnostics problems = stops->takeProblems(); !problems.empty())
    out += "the condition could not be evaluated, and counts as true\n" + render(problems);
  return out;
}

Result<std::string> DebugPrompt::State::go(StepBy by, Way way, std::string_view count) {
  uint64_t times = count.empty() ? 1 : LANESCOPE_TRY(numberIn(count, "how often?"));
  return moved(debugger->step(by, way, times));
}

Result<std::string> DebugPrompt::State::until(std::string_view word) {
  auto [wanted, inSnippet] = LANESCOPE_TRY(lineIn(word, target));
  std::vector<uint32_t> lines = debugger->linesWithCode(inSnippet);
  if (!std::ranges::binary_search(lines, wanted))
    return error(kCommandKind, Message("no instruction was made of line {}", wanted));
  return moved(debugger->runToLine(wanted, inSnippet));
}

Result<std::string> DebugPrompt::State::toMoment(std::string_view moment) {
  return moved(debugger->goTo(LANESCOPE_TRY(numberIn(moment, "a moment is meant"))));
}

Result<std::string> DebugPrompt::State::toCycle(std::string_view cycle) {
  return moved(debugger->goToCycle(debugger->focus(), LANESCOPE_TRY(numberIn(cycle, "a cycle is meant"))));
}

Result<std::string> DebugPrompt::State::back(std::string_view) {
  if (way.empty())
    return error(kCommandKind, "no command has moved yet");
  auto [moment, warp] = way.back();
  way.pop_back();
  debugger->setFocus(warp);
  return moved(debugger->goTo(moment));
}

// --- stops -----------------------------------------------------------------------------------------------------------

Result<std::string> DebugPrompt::State::breakAt(std::string_view where) {
  return LANESCOPE_TRY(stops->breakAt(where)) + "\n";
}

Result<std::string> DebugPrompt::State::watch(std::string_view what) {
  return LANESCOPE_TRY(stops->watch(what)) + "\n";
}

Result<std::string> DebugPrompt::State::remove(std::string_view which) {
  LANESCOPE_CHECK(stops->remove(which));
  return std::string();
}

Result<std::string> DebugPrompt::State::setEnabled(std::string_view which, bool enabled) {
  LANESCOPE_CHECK(stops->setEnabled(which, enabled));
  return std::string();
}

Result<std::string> DebugPrompt::State::breakpoints(std::string_view) {
  std::string out;
  for (const auto &[made, one] : debugger->breakpoints())
    out += text(made, "  ", one.inSnippet ? "line " : "PTX line ", one.line, one.text.empty() ? "" : ", if ", one.text,
                one.enabled ? "\n" : " (disabled)\n");
  for (const auto &[made, one] : debugger->watchpoints())
    out += text(made, "  watches ", one.text, one.enabled ? "\n" : " (disabled)\n");
  return out.empty() ? "nothing stops the run\n" : out;
}

// --- inspecting ------------------------------------------------------------------------------------------------------

Result<std::string> DebugPrompt::State::where(std::string_view) {
  return whereWords(target, debugger->warps(), debugger->focus());
}

Result<std::string> DebugPrompt::State::list(std::string_view word) {
  bool inSnippet = target.snippet != nullptr;
  uint32_t shown = 1;
  if (!word.empty())
    std::tie(shown, inSnippet) = LANESCOPE_TRY(lineIn(word, target));
  else if (const auto &place = debugger->stop().place)
    shown = inSnippet && place->snippetLine ? place->snippetLine : (inSnippet = false, place->ptxLine);
  return listWords(inSnippet ? target.snippet : target.ptx, shown);
}

Result<std::string> DebugPrompt::State::focus(std::string_view words) {
  WarpRef warp = debugger->focus();
  if (!words.empty()) {
    std::vector<uint32_t> numbers;
    while (!words.empty() && numbers.size() < 4)
      numbers.push_back(
          static_cast<uint32_t>(std::min<uint64_t>(UINT32_MAX, LANESCOPE_TRY(numberIn(takeWord(words), kFocusUsage)))));
    if (numbers.size() > 3)
      return error(kCommandKind, Message("too many numbers; {}", kFocusUsage));
    auto [device, block] = core::deviceBlockOf(target.launch, warp.block);
    if (numbers.size() > 1)
      block = numbers[numbers.size() - 2];
    if (numbers.size() > 2)
      device = numbers[0];
    auto number = core::blockNumberOf(target.launch, {device, block});
    if (!number || !debugger->setFocus({*number, numbers.back()}))
      return error(kCommandKind,
                   Message("the launch has no warp {warp} of {}block {block}", numbers.back(),
                           target.launch.deviceCount() > 1 || device ? text("device ", device, " ") : text(), block));
    warp = debugger->focus();
  }
  std::string out = text("focus: ", warpWords(target, warp));
  for (const core::WarpPlace &one : debugger->warps())
    if (one.warp == warp)
      out += one.places.empty() ? ", has ended" : text(" at ", placeWords(one.places.front()));
  return out + "\n";
}

Result<const MarkedValue *> DebugPrompt::State::named(std::string_view name) const {
  if (const MarkedValue *found = values.find(name))
    return found;
  std::vector<std::string> names;
  for (const auto &[other, value] : values.all())
    names.push_back(other);
  return error(kCommandKind, names.empty() ? "no value has a name here; `registers` are those of the PTX"
                                           : Message("there is no value `{name}`: it never was in registers, is a "
                                                     "slice of memory, or of a type that is not followed; there are {}",
                                                     name, joined(names, ", ")));
}

Result<std::string> DebugPrompt::State::print(std::string_view name) {
  if (name.starts_with("%")) {
    auto found = debugger->registerOf(debugger->focus(), name);
    if (!found)
      return error(kCommandKind,
                   Message("the PTX has no register `{register}`, or the warp in focus does not run", name));
    return registerWords({*found});
  }
  const MarkedValue *value = LANESCOPE_TRY(named(name));
  RecoveredValue found = LANESCOPE_TRY(recover(*debugger, target, *value, debugger->focus()));
  std::string out = found.remark.empty() ? std::string() : found.remark + "\n";
  if (value->isScalar()) {
    bool same = true;
    for (int64_t lane = 1; lane < found.array.size(); ++lane)
      same = same && found.array.number(lane) == found.array.number(0);
    if (!same)
      return out + text(name, " by lane: ") + options.render(Value(std::move(found.array)));
    double one = found.array.number(0);
    bool real = layouts::isFloat(found.array.dtype);
    return out + text(name, " = ") + options.render(real ? Value(one) : Value(static_cast<int64_t>(one)));
  }
  return out + options.render(Value(std::move(found.array)));
}

Result<std::string> DebugPrompt::State::show(std::string_view name) {
  std::string out = LANESCOPE_TRY(print(name));
  const MarkedValue *value = values.find(name);
  if (!value || value->isScalar())
    return out;
  RecoveredValue found = LANESCOPE_TRY(recover(*debugger, target, *value, debugger->focus()));
  if (value->tensor >= 0)
    return out + tensorArrayWords(target.tensorArrays[static_cast<size_t>(value->tensor)].array) + "\n";
  if (found.tile)
    return out + tileWords(*found.tile) + "\n";
  out += text(found.layout->type, " in ", found.layout->layout, "\n");
  auto parsed = layouts::parseLayout(Source::make("the layout", found.layout->layout));
  const auto *registers = parsed ? std::get_if<layouts::RegisterLayout>(&*parsed) : nullptr;
  if (!registers || std::holds_alternative<layouts::WGSplatFragLayout>(*registers))
    return out;
  return out + LANESCOPE_TRY(options.picture(*registers, found.array.shape));
}

Result<std::string> DebugPrompt::State::listValues(std::string_view) {
  std::string out;
  for (const auto &[name, value] : values.all()) {
    if (value.tensor >= 0) {
      out += text(name, ": ", tensorArrayWords(target.tensorArrays[static_cast<size_t>(value.tensor)].array), "\n");
      continue;
    }
    const MarkedValue::Mark &mark = value.known();
    std::vector<uint32_t> lines;
    for (const MarkedValue::Mark &one : value.marks)
      if (uint32_t line = debugger->snippetLineOf(one.ptxLine); line && std::ranges::find(lines, line) == lines.end())
        lines.push_back(line);
    std::string type = mark.value >= 0 ? target.values[static_cast<size_t>(mark.value)].type
                       : mark.ref      ? "shared memory, " + mark.ref->type()
                                       : mark.type;
    out += text(name, ": ", type, lines.size() == 1 ? ", line " : ", lines ", joined(lines, ", "), "\n");
  }
  return out.empty() ? "no value has a name here\n" : out;
}

Result<std::string> DebugPrompt::State::registers(std::string_view prefix) {
  std::vector<core::RegisterValue> all = debugger->registers(debugger->focus());
  std::erase_if(all, [&](const core::RegisterValue &one) { return !one.name.starts_with(prefix); });
  constexpr size_t kMost = 64;
  size_t left = all.size() > kMost ? all.size() - kMost : 0;
  all.resize(all.size() - left);
  return registerWords(all) + (left ? text("(", left, " more: `registers PREFIX`)\n") : text());
}

Result<std::string> DebugPrompt::State::smem(std::string_view words) {
  uint64_t address = 0, bytes = 256;
  constexpr uint64_t kMost = UINT32_MAX;
  if (!words.empty())
    address = std::min(kMost, LANESCOPE_TRY(numberIn(takeWord(words), "a shared address is meant")));
  if (!words.empty())
    bytes = std::min(kMost, LANESCOPE_TRY(numberIn(words, "expected a number of bytes")));
  return sharedWords(
      debugger->shared(debugger->focus().block, static_cast<uint32_t>(address), static_cast<uint32_t>(bytes)),
      debugger->flights());
}

Result<std::string> DebugPrompt::State::waits(std::string_view) {
  std::vector<core::Flight> flights = debugger->flights();
  return waitWords(target, debugger->waits(), flights);
}

Result<std::string> DebugPrompt::State::printed(std::string_view) {
  std::string out = debugger->printed();
  return out.empty() || out.ends_with('\n') ? out : out + "\n";
}

Result<std::string> DebugPrompt::State::checkpoints(std::string_view) {
  auto [count, bytes, limit] = debugger->checkpoints();
  return text(counted(count, "checkpoint"), ", ", bytes >> 10, " KiB of at most ", limit >> 10, "\n");
}

Result<std::string> DebugPrompt::State::help(std::string_view name) {
  if (!name.empty()) {
    const Command *command = find(name);
    if (!command)
      return error(kCommandKind, Message("there is no command `{name}`; `help` lists them", name));
    return text(command->usage, command->shortName.empty() ? "" : "   short: ", command->shortName, "\n  ",
                command->help, "\n");
  }
  size_t width = 0;
  for (const Command &command : commands())
    width = std::max(width, command.name.size());
  std::string out;
  for (const Command &command : commands())
    out += text(command.name, std::string(width + 2 - command.name.size(), ' '), command.help, "\n");
  return out + "`help COMMAND` says how it is written; an empty line is the last command again\n";
}

// --- the interface ---------------------------------------------------------------------------------------------------

DebugPrompt::DebugPrompt(std::unique_ptr<State> state) : state_(std::move(state)) {}
DebugPrompt::~DebugPrompt() = default;
bool DebugPrompt::over() const { return state_->over; }
void DebugPrompt::interrupt() { state_->debugger->interrupt(); }
core::Debugger &DebugPrompt::debugger() { return *state_->debugger; }

Result<std::unique_ptr<DebugPrompt>> DebugPrompt::open(DebugTarget target, DebugPromptOptions options) {
  auto state = std::make_unique<State>(std::move(target), std::move(options));
  core::DebugOptions debug;
  debug.snippet = state->target.snippet;
  debug.seed = state->target.seed;
  debug.strict = state->target.strict;
  debug.timeoutSeconds = state->options.timeoutSeconds;
  state->debugger = LANESCOPE_TRY(Debugger::open(state->target.ptx, state->target.launch, state->target.arrays, debug));
  state->stops = std::make_unique<Stops>(*state->debugger, state->target, state->values);
  return std::unique_ptr<DebugPrompt>(new DebugPrompt(std::move(state)));
}

Result<std::string> DebugPrompt::run(std::string_view line) {
  State &s = *state_;
  std::string words(trimmed(line));
  if (words.starts_with('#')) // the line is a comment in a script
    return std::string();
  if (words.empty())
    words = s.last;
  if (words.empty())
    return std::string();
  s.last = words;
  std::string_view rest = words, name = takeWord(rest);
  const State::Command *command = State::find(name);
  if (!command)
    return error(kCommandKind, Message("there is no command `{name}`; `help` lists them", name));
  uint64_t moment = s.debugger->stop().moment;
  WarpRef warp = s.debugger->focus();
  auto said = (s.*command->call)(rest);
  if (command->call != &State::back && s.debugger->stop().moment != moment)
    s.way.emplace_back(moment, warp);
  return said;
}

std::vector<std::string> DebugPrompt::completions(std::string_view begin) const {
  std::vector<std::string> out;
  size_t space = begin.find_last_of(" \t");
  std::string_view word = space == begin.npos ? begin : begin.substr(space + 1);
  if (space == begin.npos)
    for (const State::Command &command : State::commands())
      if (command.name.starts_with(word))
        out.emplace_back(command.name);
  if (space != begin.npos)
    for (const auto &[name, value] : state_->values.all())
      if (name.starts_with(word))
        out.push_back(name);
  return out;
}

} // namespace lanescope::repl
