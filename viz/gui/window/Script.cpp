#include "viz/gui/window/Script.h"

#include "layouts/support/Text.h"
#include "viz/gui/debugger/DebuggerActions.h"
#include "viz/gui/explorer/ExplorerPanes.h"
#include "viz/gui/style/KeyNames.h"
#include "viz/host/FieldText.h"

#include <cmath>
#include <cstdlib>

namespace lanescope::viz {

namespace {

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// The kinds of arguments that a command accepts.
enum class Wants {
  Nothing,
  Text,
  MaybeText,
  Number,
  Numbers2,
  Numbers2Or3,
  Cell,
  Shape,
  Dtype,
  Colour,
  OneOf,
  Panes,
  Indices,
  Keys,
  Frames,
  Line,
  Setting
};

struct Rule {
  const char *name;
  Wants wants;
  std::vector<std::string> choices;
  const char *arguments, *about;
};

std::vector<std::string> debugNames() {
  std::vector<std::string> out;
  for (const DebugActionEntry &entry : debugActions())
    out.emplace_back(entry.name);
  return out;
}

std::vector<std::string> panelNames() {
  std::vector<std::string> out;
  for (const DebugPanelEntry &entry : debugPanels())
    out.emplace_back(entry.name);
  return out;
}

const std::vector<Rule> &rules() {
  static const std::vector<Rule> all = {
      {"open", Wants::Text, {}, "FILE", "opens a file as a click in the file list does"},
      {"drop",
       Wants::Text,
       {},
       "FILE [on ARRAY]",
       "drops a file on the window: in its middle, or on the field of an array of a PTX's launch"},
      {"choose", Wants::Text, {}, "ARRAY", "presses the button `file…` beside an array of a PTX's launch"},
      {"view",
       Wants::OneOf,
       {"layout", "trace", "code", "dump", "debugger", "data", "console", "array", "threads", "tmem", "smem", "f2",
        "second", "flow", "diff", "arrays", "devices", "operands"},
       "layout|trace|code|dump|debugger|data|console|array|threads|tmem|smem|f2|second|flow|diff|arrays|devices|"
       "operands",
       "brings a view to the front; `console` puts the cursor into its entry, those from `array` on open that picture "
       "of the "
       "layout view and make it the one that the next commands are about"},
      {"code", Wants::Text, {}, "TEXT, …", "code view: exactly these texts are open, the first one in front"},
      {"op", Wants::Number, {}, "N", "dump view: chooses operation N, counted from 1, and draws its layout"},
      {"page",
       Wants::OneOf,
       {"value", "shared", "tensor", "page"},
       "value|shared|tensor|page",
       "dump view: what is on the right: the chosen value, shared or tensor memory over time, the page in words"},
      {"cast", Wants::Text, {}, "LAYOUT", "dump view: what if the chosen value had this layout"},
      {"debug", Wants::OneOf, debugNames(),
       "start|continue|line|instruction|event|fault|end, or continue-back|line-back|instruction-back",
       "debugger: goes there, as its buttons do"},
      {"moment", Wants::Number, {}, "N", "debugger: goes to moment N"},
      {"break",
       Wants::Number,
       {},
       "LINE",
       "debugger: sets the breakpoint of a line of the text in front, or takes it away"},
      {"stop",
       Wants::Text,
       {},
       "LINE if CONDITION | WHAT",
       "debugger: as its entry: stops there, or where OUT[3, 4], `smem ADDRESS` or `mbarrier ADDRESS` changes; also "
       "`delete`, `enable`, `disable` and a number"},
      {"focus", Wants::Numbers2Or3, {}, "[DEVICE] BLOCK WARP", "debugger: the warp whose steps count"},
      {"value", Wants::Text, {}, "NAME", "debugger: shows that value of the snippet"},
      {"panel", Wants::OneOf, panelNames(), "warps|values|barriers|flights|waits|shared|tensor|arrays|registers|stops",
       "debugger: what is on the right"},
      {"panes", Wants::Panes, {}, "array threads …", "layout view: exactly these pictures are open"},
      {"layout",
       Wants::Text,
       {},
       "TEXT",
       "layout view: replaces the layout's text; while tensor memory is in front, its"},
      {"compare", Wants::Text, {}, "TEXT|none", "layout view: the second layout"},
      {"shape", Wants::Shape, {}, "64x64", "layout view: replaces the shape"},
      {"dtype", Wants::Dtype, {}, "f16", "layout view: replaces the element type"},
      {"color",
       Wants::Colour,
       {},
       "warp|lane|register|vector|bank|chunk|row|column",
       "colours by that (the last three: shared memory)"},
      {"slice", Wants::Indices, {}, "I … | none", "layout view: shows the slice with these leading indices"},
      {"tiling", Wants::Text, {}, "8x64|none|auto", "shared memory: the tiling"},
      {"swizzle", Wants::OneOf, {"none", "32", "64", "128"}, "none|32|64|128", "shared memory: the swizzle, in bytes"},
      {"swizzled",
       Wants::OneOf,
       {"before", "after", "both"},
       "before|after|both",
       "shared memory: the picture before the swizzle, after it, or both"},
      {"access",
       Wants::Text,
       {},
       "OP|none",
       "shared memory: counts the bank conflicts of an instruction (ld.shared.b64, ldmatrix.x4, …)"},
      {"memory",
       Wants::OneOf,
       {"auto", "registers", "shared", "tmem"},
       "auto|registers|shared|tmem",
       "how to read a layout that does not say it: the switch `Read as`"},
      {"transpose", Wants::OneOf, {"on", "off"}, "on|off", "shared memory: transposed tile order"},
      {"export", Wants::Text, {}, "PATH", "layout view: saves the picture in front; the suffix names the format"},
      {"palette",
       Wants::Text,
       {},
       "WORDS",
       "does what the command palette (Ctrl+K) finds first for the words: a view, an action, a layout, a sample, a "
       "document"},
      {"copy", Wants::Nothing, {}, "", "layout view: copies the view as text"},
      {"paste",
       Wants::MaybeText,
       {},
       "[TEXT]",
       "layout view: shows the view or layout that TEXT, or the clipboard, describes"},
      {"hover",
       Wants::Cell,
       {},
       "R C | line N [TEXT] | none",
       "puts the pointer on a cell; in the trace, on slice C of the R-th track from the top; in the code view, on line "
       "N "
       "of the text in front or of the one named"},
      {"click", Wants::Cell, {}, "R C | line N [TEXT]", "presses the left button there"},
      {"drag", Wants::Numbers2, {}, "DX DY", "drags with the left button, in pixels"},
      {"wheel", Wants::Number, {}, "N", "turns the wheel by N notches where the pointer is; up is positive"},
      {"zoom", Wants::Number, {}, "FACTOR", "zooms the current view around its middle"},
      {"fit", Wants::Nothing, {}, "", "shows the whole picture or trace"},
      {"range", Wants::Numbers2, {}, "BEGIN END", "trace: shows that stretch, in ns since the first slice"},
      {"select", Wants::Numbers2, {}, "BEGIN END", "trace: selects that stretch, in ns, for the summary"},
      {"search", Wants::MaybeText, {}, "TEXT", "trace: keeps only regions bright whose name contains TEXT"},
      {"type", Wants::Text, {}, "TEXT", "types into the focused text field"},
      {"edit",
       Wants::Line,
       {},
       "LINE [COLUMN]",
       "opens the editor, which has the snippet that is open, and puts the cursor there, both from 1"},
      {"param", Wants::Setting, {}, "NAME VALUE", "sets a parameter of the snippet, and runs it again"},
      {"workspace", Wants::Text, {}, "PATH", "saves the workspace; `open` makes the window look so again"},
      {"key", Wants::Keys, {}, "NAME", "presses a key: Enter, Tab, Up, W, Ctrl+A, …"},
      {"wait", Wants::Frames, {}, "[N frames]", "waits for N frames, or until nothing is pending"},
      {"expect", Wants::Text, {}, "TEXT", "fails unless TEXT can be read in the current view or the console"},
      {"theme", Wants::OneOf, {"light", "dark"}, "light|dark", "changes the colours of the window"},
      {"scale", Wants::Number, {}, "FACTOR", "changes the size of text and widgets, 0.5 to 4"},
      {"screenshot", Wants::Text, {}, "PATH", "saves the window as PNG, after pending work"},
      {"uncut",
       Wants::Nothing,
       {},
       "",
       "fails if the window cuts a text off at a side or draws texts over each other, and says which"},
      {"quit", Wants::Nothing, {}, "", "closes the window"},
  };
  return all;
}

std::string choicesText(const std::vector<std::string> &choices) {
  std::string out;
  for (size_t i = 0; i < choices.size(); ++i)
    out += text(i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ", "`", choices[i], "`");
  return out;
}

/// The problem with a command's arguments; empty if there is none.
std::string problemWith(const Rule &rule, const ScriptCommand &command) {
  const auto &words = command.words;
  auto wanted = [&](std::string_view what) { return text("`", rule.name, "` needs ", what); };
  auto allNumbers = [&] {
    for (const std::string &word : words)
      if (!parseNumber(word))
        return false;
    return true;
  };
  switch (rule.wants) {
  case Wants::Nothing: return words.empty() ? "" : text("`", rule.name, "` takes no arguments");
  case Wants::Text: return words.empty() ? wanted(text("an argument: ", rule.arguments)) : "";
  case Wants::MaybeText: return "";
  case Wants::Number:
    if (words.size() != 1 || !allNumbers())
      return wanted("one number");
    if (command.name == "zoom" && !(*parseNumber(words[0]) > 0))
      return wanted("a factor greater than 0");
    if (command.name == "scale" && !(*parseNumber(words[0]) >= 0.5 && *parseNumber(words[0]) <= 4))
      return wanted("a factor from 0.5 to 4");
    return "";
  case Wants::Numbers2Or3:
    return (words.size() == 2 || words.size() == 3) && allNumbers() ? "" : wanted("two or three numbers");
  case Wants::Numbers2: return words.size() == 2 && allNumbers() ? "" : wanted("two numbers");
  case Wants::Cell:
    if (command.name == "hover" && words.size() == 1 && words[0] == "none")
      return "";
    if (!words.empty() && words[0] == "line")
      return words.size() >= 2 && parseInteger<int32_t>(words[1]).value_or(0) > 0
                 ? ""
                 : wanted("the number of a line, counted from 1, and the text it is in where that is not the one in "
                          "front: `line 12 ptx`");
    for (const std::string &word : words)
      if (!parseInteger<int32_t>(word))
        return wanted("a row and a column, counted from 0");
    return words.size() == 2 ? "" : wanted("a row and a column, counted from 0");
  case Wants::Shape:
    if (auto shape = parseShapeField("shape", command.rest); !shape)
      return shape.error().front().message;
    return "";
  case Wants::Dtype:
    if (auto dtype = parseDtypeField(command.rest); !dtype)
      return dtype.error().front().message;
    return "";
  case Wants::Colour:
    if (words.size() == 1 && (colourByNamed(words[0]) || smemColourNamed(words[0])))
      return "";
    return wanted(text("one of ", rule.arguments));
  case Wants::OneOf:
    for (const std::string &choice : rule.choices)
      if (words.size() == 1 && words[0] == choice)
        return "";
    return wanted(choicesText(rule.choices));
  case Wants::Panes:
    for (const std::string &word : words)
      if (!paneNamed(word))
        return text("there is no picture `", word, "`");
    return words.empty() ? wanted("the names of pictures") : "";
  case Wants::Indices:
    if (words.size() == 1 && words[0] == "none")
      return "";
    for (const std::string &word : words)
      if (parseInteger<int32_t>(word).value_or(-1) < 0)
        return wanted("indices of the leading dimensions, or `none`");
    return words.empty() ? wanted("indices of the leading dimensions, or `none`") : "";
  case Wants::Keys:
    if (words.size() == 1 && keyNamed(words[0]))
      return "";
    return words.size() == 1 ? text("there is no key named `", words[0],
                                    "`; names are as in `Enter`, `Tab`, `Escape`, "
                                    "`Up`, `A` and `Ctrl+Z`")
                             : wanted("the name of one key");
  case Wants::Frames:
    if (words.empty() || (words.size() <= 2 && parseInteger<int32_t>(words[0]).value_or(0) > 0 &&
                          (words.size() == 1 || words[1] == "frames" || words[1] == "frame")))
      return "";
    return wanted("a number of frames, or nothing");
  case Wants::Line:
    for (const std::string &word : words)
      if (parseInteger<int32_t>(word).value_or(0) < 1)
        return wanted("a line, and a column if it is not 1");
    return words.size() == 1 || words.size() == 2 ? "" : wanted("a line, and a column if it is not 1");
  case Wants::Setting: return words.size() >= 2 ? "" : wanted("the name of a parameter and its value");
  }
  return "";
}

} // namespace

std::optional<double> parseNumber(std::string_view word) {
  std::string copy(word);
  if (copy.empty() || isBlank(copy[0]))
    return std::nullopt;
  char *end = nullptr;
  double value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

const std::vector<ScriptHelp> &scriptCommands() {
  static const std::vector<ScriptHelp> all = [] {
    std::vector<ScriptHelp> out;
    for (const Rule &rule : rules())
      out.push_back({rule.name, rule.arguments, rule.about});
    return out;
  }();
  return all;
}

Result<std::vector<ScriptCommand>> parseScript(SourceRef script) {
  std::vector<ScriptCommand> commands;
  Diagnostics problems;
  const std::string &all = script->text();
  for (size_t begin = 0; begin < all.size();) {
    size_t end = std::min(all.find('\n', begin), all.size());
    size_t from = begin, to = end;
    begin = end + 1;
    while (from < to && isBlank(all[from]))
      ++from;
    while (to > from && isBlank(all[to - 1]))
      --to;
    if (from == to || all[from] == '#')
      continue;
    ScriptCommand command;
    command.span = {script, uint32_t(from), uint32_t(to)};
    size_t nameEnd = from;
    while (nameEnd < to && !isBlank(all[nameEnd]))
      ++nameEnd;
    command.name = all.substr(from, nameEnd - from);
    if (command.name == "colour")
      command.name = "color";
    size_t at = nameEnd;
    while (at < to && isBlank(all[at]))
      ++at;
    command.rest = all.substr(at, to - at);
    while (at < to) {
      size_t wordEnd = at;
      while (wordEnd < to && !isBlank(all[wordEnd]))
        ++wordEnd;
      command.words.push_back(all.substr(at, wordEnd - at));
      at = wordEnd;
      while (at < to && isBlank(all[at]))
        ++at;
    }
    const Rule *rule = nullptr;
    for (const Rule &candidate : rules())
      if (command.name == candidate.name)
        rule = &candidate;
    std::string problem;
    if (rule) {
      problem = problemWith(*rule, command);
    } else {
      std::string names;
      for (const Rule &known : rules())
        names += text(names.empty() ? "" : ", ", known.name);
      problem = text("there is no command `", command.name, "`; there are ", names);
    }
    if (problem.empty())
      commands.push_back(std::move(command));
    else
      problems.push_back({Severity::Error, "bad-script", command.span, std::move(problem), {}});
  }
  if (!problems.empty())
    return std::unexpected(std::move(problems));
  return commands;
}

} // namespace lanescope::viz
