// The readable text of the window, in which a script's `expect` searches.
#include "layouts/support/Text.h"
#include "viz/gui/debugger/DebuggerWords.h"
#include "viz/gui/timeline/TimelineWords.h"
#include "viz/gui/window/ProgramStrip.h"
#include "viz/gui/window/WindowWorkspace.h"

namespace lanescope::viz {

std::string Workspace::readableText() const {
  std::string out;
  auto add = [&](const std::string &line) { out += line + "\n"; };
  switch (models.front) {
  case ViewId::Layout: {
    const ExplorerModel &explorer = models.explorer;
    for (PaneKind kind : explorer.openPanes()) {
      const Pane &pane = explorer.pane(kind);
      if (const Scene *scene = pane.picture.scene()) {
        add(scene->title);
        for (const LegendEntry &entry : scene->legend)
          add(entry.text);
        for (const std::string &note : scene->notes)
          add(note);
      }
      for (const Diagnostic &diagnostic : pane.diagnostics)
        add(diagnostic.message);
    }
    if (explorer.facts().access)
      for (const std::string &line : explorer.facts().access->sentences)
        add(line);
    for (const auto *lines : {&explorer.words(), &explorer.accessWords(), &explorer.steps(),
                              &explorer.facts().comparison, &explorer.facts().remarks})
      for (const std::string &line : *lines)
        add(line);
    for (const LayoutText &written : explorer.facts().texts)
      add(written.title + " " + written.text);
    for (const Diagnostic &diagnostic : explorer.diagnostics())
      add(diagnostic.message);
    add(explorer.message);
    break;
  }
  case ViewId::Trace:
    add(models.timeline.title);
    if (models.timeline.empty())
      break;
    add(scopeText(models.timeline));
    for (const std::string &region :
         models.timeline.filter.lights() ? models.code.litRegions() : std::vector<std::string>())
      add("bright: " + region);
    for (const StatisticsRow &row : statisticsRows(models.timeline))
      add(text(core::regionName(*models.timeline.trace(), row.name), " ",
               joined(std::vector(row.cells.begin(), row.cells.end()), " ")));
    for (const std::string &remark : statisticsRemarks(models.timeline))
      add(remark);
    add(models.timeline.describe(models.timeline.hovered));
    add(models.timeline.describe(models.timeline.selected));
    add(models.timeline.beforeWords(models.timeline.hovered));
    for (const std::string &line : models.timeline.linkWords(models.timeline.selected))
      add(line);
    for (const std::vector<std::string> &lines : {chainWords(models.timeline), chainSharesWords(models.timeline),
                                                  pathWords(models.timeline), comparisonWords(models.timeline)})
      for (const std::string &line : lines)
        add(line);
    for (const auto &[state, words] : overlapWords(models.timeline))
      add(words);
    if (models.timeline.showOccupancy)
      for (const std::string &line : occupancyWords(models.timeline))
        add(line);
    for (const core::TraceNote &note : models.timeline.notes.all())
      add(note.text);
    add(models.timeline.notes.problem());
    add(models.timeline.placeOf(models.timeline.selected));
    break;
  case ViewId::Code:
    for (const CodeModel::Page &page : models.code.pages())
      add(page.title + "\n" + page.text);
    for (const std::string &line : models.code.words())
      add(line);
    for (const std::string &line : models.code.litWords())
      add(line);
    for (const CodeRequest::Array *array : models.code.litArrays())
      add(text("array ", array->name, " ", array->type));
    add(models.code.pictureTitle);
    break;
  case ViewId::Dump:
    if (models.dump.empty())
      break;
    add(models.dump.page().summary);
    for (const DumpRow &row : models.dump.page().rows)
      add(row.name);
    for (const DumpSection &section : models.dump.page().sections)
      add(section.title + "\n" + section.text);
    add(models.dump.valueWords() + models.dump.problem);
    if (const Scene *scene = models.dump.picture.scene())
      add(scene->title);
    break;
  case ViewId::Debugger: add(viz::readableText(models.debugger)); break;
  case ViewId::Data:
    for (const std::string &line : models.data.words())
      add(line);
    break;
  }
  if (models.showKeys)
    out += keysText();
  if (models.palette.open)
    for (size_t index : matching(models.palette.entries, models.palette.query))
      add(text(models.palette.entries[index].kind, " ", models.palette.entries[index].name));
  for (const AnsiLine &line : models.console.lines()) {
    for (const AnsiRun &run : line)
      out += run.text;
    out += '\n';
  }
  if (!live.old().empty())
    add("old: the last run that succeeded.  " + live.old());
  for (const ParameterControl &each : live.parameters())
    add(text(each.name, " ", each.value));
  if (models.program) {
    add(programWords(*models.program));
    for (const std::string &kernel : models.program->kernels)
      add("kernel " + kernel);
  }
  if (editorOpen) {
    add(models.editor.path() + "\n" + models.editor.buffer().plainText() + models.editor.said);
    if (models.editor.theirs())
      add("The file has changed on the disk, and here.");
    for (const TextProblem &problem : models.editor.problems)
      add(problem.message);
    for (const std::string &offer : models.editor.offered())
      add(offer);
  }
  return out + models.console.input;
}

} // namespace lanescope::viz
