#include "viz/export/TerminalText.h"

#include "layouts/support/TerminalWidth.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "viz/export/TerminalCanvas.h"
#include "viz/scene/Page.h"
#include "viz/scene/Palette.h"
#include "viz/scene/TraceScene.h"

#include <algorithm>
#include <optional>

namespace lanescope::viz {
namespace {

constexpr int kMinWidth = 40, kMinWords = 20;
constexpr int64_t kFewestLabelled = 8; // with fewer columns, colours are preferred to labels

/// Replaces the few characters in labels that are not ASCII by ASCII ones.
std::string ascii(std::string_view given) {
  std::string text = visibleLine(given), out;
  for (size_t i = 0; i < text.size();) {
    auto starts = [&](std::string_view s) { return std::string_view(text).substr(i).starts_with(s); };
    if (starts("–"))
      out += '-', i += 3;
    else if (starts("×"))
      out += 'x', i += 2;
    else if (starts("→"))
      out += "->", i += 3;
    else if (starts("…"))
      out += "...", i += 3;
    else if (starts("µ"))
      out += 'u', i += 2;
    else if (starts("·"))
      out += '-', i += 2;
    else
      out += text[i++];
  }
  return out;
}

/// The texts of the ticks for all rows or columns. Pictures omit some ticks, but this text shows all.
std::vector<std::string> tickTexts(const std::vector<Tick> &ticks, double cellSize, int64_t count) {
  std::vector<std::string> out(count);
  for (const Tick &tick : ticks) {
    int64_t i = static_cast<int64_t>(tick.at / cellSize);
    if (i >= 0 && i < count)
      out[i] = ascii(tick.text);
  }
  return out;
}

void paragraph(TerminalCanvas &canvas, std::string_view words, int64_t width) {
  std::string line;
  auto flush = [&] {
    canvas.write(line);
    canvas.newLine();
    line.clear();
  };
  while (!words.empty()) {
    size_t end = words.find(' ');
    std::string_view word = words.substr(0, end);
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + 1);
    if (!line.empty() && columnCount(line) + 1 + columnCount(word) > width)
      flush();
    line += text(line.empty() ? "" : " ", word);
  }
  if (!line.empty())
    flush();
}

void legend(TerminalCanvas &canvas, const Scene &scene, const TerminalOptions &options) {
  for (const LegendEntry &entry : scene.legend) {
    if (!options.colours() && entry.sample.empty())
      continue; // a colour that is not drawn needs no explanation
    if (entry.ofLines)
      continue;
    std::string sample = entry.sample;
    std::replace(sample.begin(), sample.end(), '\n', ' ');
    if (entry.sample.empty()) {
      int bands = entry.bandCount > 1 ? entry.bandCount : 1;
      for (int i = 0; i < 4; ++i)
        canvas.write(entry.hatched ? "/" : " ", bands > 1 ? entry.bands[i * bands / 4] : entry.fill);
      canvas.write(" ");
    } else {
      canvas.write(ascii(sample));
      canvas.write("  ");
    }
    int64_t indent = entry.sample.empty() ? 5 : columnCount(ascii(sample)) + 2;
    std::string words = ascii(entry.text);
    // The first line is beside the swatch, and the others are below it.
    TerminalCanvas inner(TerminalColour::None);
    paragraph(inner, words, std::max<int64_t>(options.width - indent, kMinWords));
    std::string lines = inner.take();
    bool first = true;
    for (size_t at = 0; at < lines.size();) {
      size_t end = lines.find('\n', at);
      if (!first)
        canvas.write(std::string(static_cast<size_t>(indent), ' '));
      canvas.write(std::string_view(lines).substr(at, end - at));
      canvas.newLine();
      at = end + 1;
      first = false;
    }
  }
}

/// The text for a cell without a label and without a colour: the warp of the cell's first owner, if there is one.
std::string warpDigit(const Scene &scene, const Box &box) {
  if (const auto *devices = std::get_if<DevicesSubject>(&scene.subject); devices && box.linkSet >= 0)
    return text(devices->map->warpOf(scene.linkSets[box.linkSet].front()));
  const auto *registers = std::get_if<RegisterSubject>(&scene.subject);
  if (box.linkSet < 0 || (!registers && !std::holds_alternative<TmemSubject>(scene.subject)))
    return "#";
  int first = scene.linkSets[box.linkSet].front(); // the key is a thread, or a lane of tensor memory
  return text(registers && registers->map ? registers->map->warpOf(first) : first / layouts::kLanesPerWarp);
}

/// The letters that precede the number in every label: "T" for "T0", "T1". Empty if any label has another form.
std::string commonLetters(const std::vector<Box> &boxes) {
  std::optional<std::string> common;
  for (const Box &box : boxes) {
    std::string label = ascii(box.label);
    if (label.empty())
      continue;
    size_t digits = label.find_first_of("0123456789");
    if (digits == label.npos || label.find_first_not_of("0123456789", digits) != label.npos ||
        (common && *common != label.substr(0, digits)))
      return "";
    common = label.substr(0, digits);
  }
  return common.value_or("");
}

/// The part of the cells' text that is shown: the longest form with which all columns have room. If there is none, the
/// labels of as many columns as have room. If the terminal is too narrow for any label, only colours.
struct CellForm {
  enum { Both, Label, Colour } text = Colour;
  std::string letters;           // left out before the numbers in labels
  int64_t label = 0, detail = 0; // widths
  int64_t gap = 0;               // between label and detail
  int64_t width = 1;             // width of a cell, including the space after it

  static CellForm choose(const std::vector<Box> &boxes, int64_t columns, int64_t room, bool colours) {
    CellForm form;
    for (const Box &box : boxes) {
      form.label = std::max(form.label, columnCount(ascii(box.label)));
      form.detail = std::max(form.detail, columnCount(ascii(box.detail)));
    }
    if (form.detail > 0)
      for (int64_t gap : {1, 0})
        if ((form.label + gap + form.detail + 1) * columns <= room) {
          form.text = Both;
          form.gap = gap;
          form.width = form.label + gap + form.detail + 1;
          return form;
        }
    std::string letters = commonLetters(boxes);
    int64_t number = form.label - columnCount(letters);
    if ((form.label + 1) * columns > room && (number + 1) * columns <= room) {
      form.letters = letters;
      form.label = number;
    }
    if (form.label > 0 && (!colours || room / (form.label + 1) >= std::min(columns, kFewestLabelled))) {
      form.text = Label;
      form.width = form.label + 1;
      return form;
    }
    form.width = 2 * columns < room ? 2 : 1;
    return form;
  }

  std::string of(const Scene &scene, const Box &box, bool colours) const {
    int64_t length = text == Colour ? width : width - 1;
    if (box.element < 0) // an empty place; the colour of the paper marks places outside of the picture
      return padded(text == Colour || box.fill == inTheme(kPaper, scene.theme) ? "" : ".", length);
    switch (text) {
    case Both: return padded(padded(ascii(box.label), label + gap) + ascii(box.detail), length);
    case Label:
      return padded(std::string_view(ascii(box.label)).substr(box.label.empty() ? 0 : letters.size()), length);
    case Colour: return padded(colours ? (box.hatched ? "/" : "") : warpDigit(scene, box), length);
    }
    return "";
  }
};

/// The ticks of the rows, each with the name of its group: "warp 0 5".
std::vector<std::string> rowLabels(const Scene &scene) {
  const Grid &g = scene.grid;
  std::vector<std::string> labels = tickTexts(scene.left.ticks, g.cellHeight, g.rows);
  for (const Axis::Group &group : scene.left.groups) {
    int64_t first = static_cast<int64_t>(group.at / g.cellHeight + 0.5);
    int64_t last = static_cast<int64_t>((group.at + group.size) / g.cellHeight + 0.5);
    for (int64_t r = std::max<int64_t>(first, 0); r < std::min<int64_t>(last, g.rows); ++r)
      labels[r] = text(ascii(group.text), " ", labels[r]);
  }
  return labels;
}

/// The ticks of the columns, above cells of `cellWidth` characters. A tick without room is left out.
std::string columnHeader(const Scene &scene, int64_t columns, int64_t cellWidth) {
  std::vector<std::string> ticks = tickTexts(scene.top.ticks, scene.grid.cellWidth, scene.grid.columns);
  std::string header;
  for (int64_t c = 0; c < columns; ++c) {
    int64_t at = c * cellWidth, free = header.empty() ? 0 : columnCount(header) + 1;
    if (!ticks[c].empty() && at >= free && at + columnCount(ticks[c]) <= columns * cellWidth)
      header = padded(header, at) + ticks[c];
  }
  return header;
}

void writeCell(TerminalCanvas &canvas, const Box &box, const std::string &cell) {
  if (box.element < 0)
    return canvas.write(cell);
  int64_t length = columnCount(cell);
  if (box.bandCount <= 1)
    return canvas.write(cell, box.fill);
  for (int64_t i = 0; i < length; ++i) // draws stripes over the cell's characters, which are ASCII
    canvas.write(std::string_view(cell).substr(i, 1), box.bands[i * box.bandCount / length]);
}

void grid(TerminalCanvas &canvas, const Scene &scene, const TerminalOptions &options) {
  const Grid &g = scene.grid;
  std::vector<std::string> rowTicks = rowLabels(scene);
  int64_t rowWidth = 0;
  for (const std::string &tick : rowTicks)
    rowWidth = std::max(rowWidth, columnCount(tick));
  int64_t room = std::max<int64_t>(options.width - rowWidth - 1, 1);
  CellForm form = CellForm::choose(scene.body.boxes, g.columns, room + 1, options.colours());
  int64_t columns = std::clamp<int64_t>((room + (form.text != CellForm::Colour)) / form.width, 1, g.columns);
  int64_t rows = std::min<int64_t>(g.rows, std::max(options.maxRows, 1));

  std::string header = columnHeader(scene, columns, form.width);
  if (!header.empty()) {
    canvas.write(padded("", rowWidth + 1) + header);
    canvas.newLine();
  }
  for (int64_t r = 0; r < rows; ++r) {
    canvas.write(padded(rowTicks[r], rowWidth, Aligned::Right) + " ");
    for (int64_t c = 0; c < columns; ++c) {
      const Box &box = scene.body.boxes[r * g.columns + c];
      writeCell(canvas, box, form.of(scene, box, options.colours()));
      if (form.text != CellForm::Colour && c + 1 < columns)
        canvas.write(" ");
    }
    canvas.newLine();
  }
  if (form.text == CellForm::Label && !form.letters.empty())
    paragraph(canvas, text("(7 is ", form.letters, "7: the terminal is too narrow for the letter)"), options.width);
  if (form.text == CellForm::Label && form.detail > 0)
    paragraph(canvas, "(registers are left out: the terminal is too narrow for them)", options.width);
  if (form.text == CellForm::Colour && !options.colours())
    paragraph(canvas, "(each digit is the warp that holds the cell)", options.width);
  if (columns < g.columns || rows < g.rows)
    paragraph(canvas,
              text("(showing ", rows, " of ", g.rows, " rows and ", columns, " of ", g.columns, " columns; ",
                   options.seeAll, ")"),
              options.width);
}

/// Draws a bar of characters for each track and nesting level. A slice shows as much of its name as there is room for.
void timeline(TerminalCanvas &canvas, const Scene &scene, const core::Trace &trace, const TerminalOptions &options) {
  std::vector<std::string> names;
  int64_t nameWidth = 0, mostName = std::max<int64_t>(options.width / 2, kMinWords) - 2;
  for (const Tick &tick : scene.left.ticks) {
    std::string name = ascii(tick.text);
    // Keeps the end, because the names of tracks differ at their ends.
    if (columnCount(name) > mostName)
      name = text("..", lastColumns(name, mostName - 2));
    nameWidth = std::max(nameWidth, columnCount(name));
    names.push_back(std::move(name));
  }
  int64_t width = options.barWidth > 0 ? options.barWidth : options.width - nameWidth - 1;
  width = std::max<int64_t>(width, kMinWords);
  double scale = scene.body.width > 0 ? static_cast<double>(width) / scene.body.width : 1;
  std::string axis;
  for (const Tick &tick : scene.top.ticks) {
    int64_t at = static_cast<int64_t>(tick.at * scale);
    std::string words = ascii(tick.text);
    if (at < columnCount(axis) + (axis.empty() ? 0 : 1) || at + columnCount(words) > width)
      continue;
    axis = padded(axis, at) + words;
  }
  canvas.write(padded("", nameWidth + 1));
  canvas.write(axis);
  canvas.newLine();

  struct Mark {
    const Box *box = nullptr;
    std::string words;
  };
  int32_t tracks =
      static_cast<int32_t>(std::min<size_t>(scene.left.ticks.size(), static_cast<size_t>(options.maxRows)));
  size_t next = 0;
  const std::vector<Box> &boxes = scene.body.boxes; // ordered by track
  for (int32_t track = 0; track < tracks; ++track) {
    std::vector<std::vector<Mark>> levels;
    for (; next < boxes.size() && boxes[next].row == track; ++next) {
      const Box &box = boxes[next];
      if (static_cast<size_t>(box.column) >= levels.size())
        levels.resize(box.column + 1, std::vector<Mark>(width));
      int64_t first = std::clamp<int64_t>(static_cast<int64_t>(box.rect.x * scale), 0, width - 1);
      int64_t last = std::clamp<int64_t>(static_cast<int64_t>((box.rect.x + box.rect.width) * scale), first + 1, width);
      std::string words = "*";
      if (box.elements == 1) {
        uint32_t name = trace.tracks[track].slices[box.element].name;
        words = name < trace.names.size() ? visibleLine(trace.names[name]) : "?";
      }
      if (!options.colours() && last - first > 2)
        words = "|" + words; // marks the border between two slices
      std::string_view rest = words;
      for (int64_t i = first; i < last;) {
        std::string_view character = firstColumns(rest, 1);
        if (character.empty())
          character = firstColumns(rest, 2);
        int64_t columns = std::max<int64_t>(columnCount(character), 1);
        if (character.empty() || columns > last - i)
          character = options.colours() ? " " : "-", columns = 1, rest = {};
        else
          rest.remove_prefix(character.size());
        levels[box.column][i] = {&box, std::string(character)};
        for (int64_t second = i + 1; second < i + columns; ++second)
          levels[box.column][second] = {&box, ""}; // a wide character fills it
        i += columns;
      }
    }
    for (size_t level = 0; level < std::max<size_t>(levels.size(), 1); ++level) {
      canvas.write(padded(level == 0 ? names[track] : "", nameWidth));
      canvas.write(" ");
      if (level < levels.size())
        for (const Mark &mark : levels[level])
          mark.box ? canvas.write(mark.words, mark.box->fill) : canvas.write(" ");
      canvas.newLine();
    }
  }
  if (static_cast<size_t>(tracks) < scene.left.ticks.size())
    paragraph(canvas,
              text("(", scene.left.ticks.size() - tracks, " more tracks; write the trace to a file to see all)"),
              options.width);
}

/// Draws a kernel's tensor memory: a bar for each array, along the columns.
void tensorMemory(TerminalCanvas &canvas, const Scene &scene, const std::vector<layouts::TmemArray> &arrays,
                  const TerminalOptions &options) {
  constexpr int kLongestName = 24, kTicks = 4;
  int names = 0;
  for (const layouts::TmemArray &array : arrays)
    names = std::max(names, std::min(kLongestName, static_cast<int>(columnCount(ascii(array.name)))));
  int room = options.barWidth > 0 ? options.barWidth : std::max(16, options.width - names - 2);
  auto place = [&](int64_t column) { return static_cast<int>(column * room / layouts::kTmemColumns); };
  std::string scale(static_cast<size_t>(names + 2 + room), ' ');
  for (int tick = 0; tick < kTicks; ++tick) {
    int64_t column = layouts::kTmemColumns / kTicks * tick;
    std::string number = text(column);
    scale.replace(static_cast<size_t>(names + 2 + place(column)), number.size(), number);
  }
  canvas.write(scale);
  canvas.newLine();
  for (size_t i = 0; i < arrays.size(); ++i) {
    std::string name = padded(firstColumns(ascii(arrays[i].name), kLongestName), names + 2);
    int begin = place(arrays[i].column);
    int end = std::max(begin + 1, place(arrays[i].column + layouts::columnsOf(arrays[i]).value_or(0)));
    canvas.write(name + std::string(static_cast<size_t>(begin), ' '));
    std::string bar(static_cast<size_t>(end - begin), '#');
    canvas.write(bar, i < scene.legend.size() ? scene.legend[i].fill : Colour{});
    canvas.newLine();
  }
  for (size_t i = 0; i < arrays.size() && i < scene.legend.size(); ++i)
    paragraph(canvas, ascii(scene.legend[i].text), options.width);
}

} // namespace

std::string terminalText(const Scene &scene, const TerminalOptions &given) {
  TerminalOptions options = given;
  options.width = std::max(options.width, kMinWidth);
  TerminalCanvas canvas(options.colour);
  canvas.bold(ascii(scene.title));
  canvas.newLine();
  paragraph(canvas, ascii(scene.subtitle), options.width);
  if (const auto *memory = std::get_if<TmemArraysSubject>(&scene.subject))
    tensorMemory(canvas, scene, memory->arrays, options);
  else if (scene.grid.rows > 0)
    grid(canvas, scene, options);
  else if (const auto *trace = std::get_if<TraceSubject>(&scene.subject); trace && !scene.left.ticks.empty())
    timeline(canvas, scene, trace->drawn ? *trace->drawn : *trace->trace, options);
  for (const Text &line : scene.body.texts)
    paragraph(canvas, ascii(line.text), options.width);
  if (!std::holds_alternative<TmemArraysSubject>(scene.subject))
    legend(canvas, scene, options);
  for (const std::string &note : scene.notes)
    paragraph(canvas, ascii(note), options.width);
  return canvas.take();
}

Result<std::string> terminalText(const AnyLayout &layout, const layouts::Shape &shape, layouts::Dtype dtype,
                                 const TerminalOptions &options, const LayoutSceneOptions &sceneOptions) {
  LayoutSceneOptions scene = sceneOptions;
  scene.tooltips = false;
  Result<Scene> drawn = layoutScene(layout, shape, dtype, scene);
  if (!drawn)
    return std::unexpected(std::move(drawn.error()));
  return terminalText(*drawn, options);
}

} // namespace lanescope::viz
