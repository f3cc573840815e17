#include "viz/gui/window/Script.h"

#include "layouts/support/Text.h"
#include "viz/gui/explorer/ExplorerPanes.h"
#include "viz/gui/style/KeyNames.h"
#include "viz/host/FieldText.h"

#include <cmath>
#include <cstdlib>

namespace lanescope::viz {

namespace {

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// What a command's arguments must be.
enum class Wants {
  Nothing,
  Text,
  MaybeText,
  Number,
  Numbers2,
  Cell,
  Shape,
  Dtype,
  Colour,
  OneOf,
  Panes,
  Indices,
  Keys,
  Frames
};

struct Rule {
  const char *name;
  Wants wants;
  std::vector<std::string> choices;
  const char *arguments, *about;
};

const std::vector<Rule> &rules() {
  static const std::vector<Rule> all = {
      {"open", Wants::Text, {}, "FILE", "opens a file as a click in the file list does"},
      {"view",
       Wants::OneOf,
       {"layout", "trace", "code", "dump", "console", "array", "threads", "tmem", "smem", "f2", "second", "flow",
        "diff", "arrays"},
       "layout|trace|code|dump|console|array|threads|tmem|smem|f2|second|flow|diff|arrays",
       "brings a view to the front; `console` puts the cursor into its entry, the last eight open that picture of the "
       "layout view and make it the one that the next commands are about"},
      {"op", Wants::Number, {}, "N", "dump view: chooses operation N, counted from 1, and draws its layout"},
      {"page",
       Wants::OneOf,
       {"value", "shared", "tensor", "page"},
       "value|shared|tensor|page",
       "dump view: what is on the right: the chosen value, shared or tensor memory over time, the page in words"},
      {"cast", Wants::Text, {}, "LAYOUT", "dump view: what if the chosen value had this layout"},
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
      {"transpose", Wants::OneOf, {"on", "off"}, "on|off", "shared memory: transposed tile order"},
      {"export", Wants::Text, {}, "PATH", "layout view: saves the picture in front; the suffix names the format"},
      {"copy", Wants::Nothing, {}, "", "layout view: copies the view as text"},
      {"paste",
       Wants::MaybeText,
       {},
       "[TEXT]",
       "layout view: shows the view or layout that TEXT, or the clipboard, describes"},
      {"hover",
       Wants::Cell,
       {},
       "R C | none",
       "puts the pointer on a cell; in the trace, on slice C of the R-th track from the top"},
      {"click", Wants::Cell, {}, "R C", "presses the left button there"},
      {"drag", Wants::Numbers2, {}, "DX DY", "drags with the left button, in pixels"},
      {"wheel", Wants::Number, {}, "N", "turns the wheel by N notches where the pointer is; up is positive"},
      {"zoom", Wants::Number, {}, "FACTOR", "zooms the current view around its middle"},
      {"fit", Wants::Nothing, {}, "", "shows the whole picture or trace"},
      {"range", Wants::Numbers2, {}, "BEGIN END", "trace: shows that stretch, in ns since the first slice"},
      {"select", Wants::Numbers2, {}, "BEGIN END", "trace: selects that stretch, in ns, for the summary"},
      {"search", Wants::MaybeText, {}, "TEXT", "trace: keeps only regions bright whose name contains TEXT"},
      {"type", Wants::Text, {}, "TEXT", "types into the focused text field"},
      {"key", Wants::Keys, {}, "NAME", "presses a key: Enter, Tab, Up, W, Ctrl+A, …"},
      {"wait", Wants::Frames, {}, "[N frames]", "waits for N frames, or until nothing is pending"},
      {"expect", Wants::Text, {}, "TEXT", "fails unless TEXT can be read in the current view or the console"},
      {"theme", Wants::OneOf, {"light", "dark"}, "light|dark", "changes the colours of the window"},
      {"scale", Wants::Number, {}, "FACTOR", "changes the size of text and widgets, 0.5 to 4"},
      {"screenshot", Wants::Text, {}, "PATH", "saves the window as PNG, after pending work"},
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

/// A problem with a command's arguments; empty when they are fine.
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
  case Wants::Numbers2: return words.size() == 2 && allNumbers() ? "" : wanted("two numbers");
  case Wants::Cell:
    if (command.name == "hover" && words.size() == 1 && words[0] == "none")
      return "";
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
