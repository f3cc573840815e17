#include "repl/python/native/PythonPlaces.h"

#include "layouts/support/Text.h"
#include "repl/python/native/Reporter.h"

#include <algorithm>
#include <map>

namespace lanescope::python {
namespace {

/// The place of a line without its indentation. The place has no source if the file cannot be read or has fewer lines.
Span lineOf(const std::string &file, uint32_t line) {
  SourceRef source = Reporter::get().textOf(file);
  if (!source || line == 0 || source->lineColumn(static_cast<uint32_t>(source->text().size())).line < line)
    return {};
  std::string_view text = source->lineText(line);
  size_t indent = std::min(text.find_first_not_of(" \t"), text.size());
  uint32_t begin = source->lineStart(line);
  return {source, begin + static_cast<uint32_t>(indent), begin + static_cast<uint32_t>(text.size())};
}

/// Adds the sources of the stage's places, each once. The first one is usually the kernel's own file.
void addSources(std::vector<SourceRef> &sources, const core::Stage &stage) {
  for (const core::LineOrigin &origin : stage.origins)
    for (const Span &span : origin.places)
      if (std::ranges::find(sources, span.source) == sources.end())
        sources.push_back(span.source);
}

} // namespace

Span PythonPlaces::of(const Span &span) const {
  if (!span.source || span.source != module_)
    return span;
  uint32_t line = module_->lineColumn(span.begin).line;
  if (line > lines_.size() || lines_[line - 1].empty())
    return span;
  const auto &[file, number] = lines_[line - 1].front();
  Span found = lineOf(file, number);
  return found.source ? found : span;
}

Span PythonPlaces::call() const {
  auto known = std::ranges::find_if(lines_, [](const auto &places) { return !places.empty(); });
  return known == lines_.end() ? Span() : lineOf(known->back().first, known->back().second);
}

core::Stage PythonPlaces::stage(core::StageKind kind) const {
  core::Stage out{kind, module_};
  uint32_t count = module_->lineColumn(static_cast<uint32_t>(module_->text().size())).line;
  for (uint32_t line = 1; line <= count; ++line) {
    Span found = of({module_, module_->lineStart(line), module_->lineStart(line)});
    if (found.source == module_)
      out.origins.push_back({});
    else
      out.origins.push_back({core::LineOrigin::Kind::Source, {found}});
  }
  return out;
}

void PythonPlaces::move(core::Stage &stage) const {
  for (core::LineOrigin &origin : stage.origins) {
    std::vector<Span> places;
    for (const Span &span : origin.places)
      if (Span found = of(span); std::ranges::none_of(
              places, [&](const Span &other) { return other.source == found.source && other.begin == found.begin; }))
        places.push_back(std::move(found));
    origin.places = std::move(places);
  }
}

/// The readable file from which most of the lines come; empty if no file can be read.
std::string PythonPlaces::mainFile() const {
  std::map<std::string, size_t> count;
  for (const auto &places : lines_)
    if (!places.empty())
      ++count[places.front().first];
  auto most = std::ranges::max_element(count, {}, [](const auto &item) { return item.second; });
  return most != count.end() && Reporter::get().textOf(most->first) ? most->first : std::string();
}

/// A line of PTX with a `.loc` of the module changed to a `.loc` of its place in `file`. If it has no place there, the
/// `.loc` is removed.
std::string PythonPlaces::movedLine(std::string_view line, const std::string &file) const {
  constexpr std::string_view kLocation = "\t.loc\t1 ";
  if (!line.starts_with(kLocation))
    return std::string(line);
  std::string_view rest = line.substr(kLocation.size());
  auto number = parseInteger<uint32_t>(rest.substr(0, rest.find(' '))).value_or(0);
  if (number == 0)
    return std::string(line);
  if (number > lines_.size())
    return {};
  for (const auto &[name, at] : lines_[number - 1])
    if (name == file)
      return text(kLocation, at, " 1");
  return {};
}

void PythonPlaces::move(core::CompiledKernel &kernel) const {
  for (core::ValueLayout &value : kernel.values)
    value.span = of(value.span);
  std::string file = mainFile();
  if (file.empty())
    return;
  std::string ptx;
  for (std::string_view left = kernel.ptx; !left.empty();) {
    size_t end = std::min(left.find('\n'), left.size());
    ptx += movedLine(left.substr(0, end), file) + '\n';
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  kernel.ptx = std::move(ptx);
  kernel.source = Reporter::get().textOf(file);
}

core::KernelStages PythonPlaces::moved(core::KernelStages stages) const {
  std::vector<SourceRef> sources;
  for (core::Stage &stage : stages.stages) {
    move(stage);
    addSources(sources, stage);
  }
  if (!stages.sources.empty()) { // the caller asked for the texts of stages
    std::ranges::stable_partition(sources, [&](const SourceRef &source) { return source != module_; });
    stages.sources = std::move(sources);
  }
  if (stages.kernel)
    move(*stages.kernel);
  stages.diagnostics = moved(std::move(stages.diagnostics));
  return stages;
}

Diagnostics PythonPlaces::moved(Diagnostics diagnostics) const {
  for (Diagnostic &each : diagnostics) {
    each.span = of(each.span);
    for (Note &note : each.notes)
      note.span = of(note.span);
  }
  return diagnostics;
}

std::optional<PythonPlaces::Lines> readLines(PyObject *list) {
  PythonPlaces::Lines out;
  for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
    PyObject *places = PyList_GetItem(list, i);
    out.emplace_back();
    for (Py_ssize_t n = 0; places && n < PyList_Size(places); ++n) {
      const char *file = nullptr;
      unsigned line = 0;
      PyObject *pair = PyList_GetItem(places, n);
      if (!pair || !PyArg_ParseTuple(pair, "sI", &file, &line))
        return std::nullopt;
      out.back().emplace_back(file, line);
    }
  }
  return PyErr_Occurred() ? std::nullopt : std::optional(std::move(out));
}

} // namespace lanescope::python
