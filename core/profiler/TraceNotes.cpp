#include "core/profiler/TraceNotes.h"

#include "core/data/Files.h"
#include "core/data/Json.h"
#include "core/profiler/TraceTime.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lanescope::core {

std::filesystem::path notesPath(const std::filesystem::path &trace) { return trace.string() + ".notes.json"; }

Result<void> addNotes(Trace &trace, const std::filesystem::path &file) {
  std::error_code ignored;
  std::filesystem::path path = notesPath(file);
  if (!std::filesystem::is_regular_file(path, ignored)) // reading a pipe would block
    return {};
  SourceRef source = LANESCOPE_TRY(readSource(path, FileRole::Json));
  auto wrong = [&] {
    return error("trace-notes", {source, 0, 1},
                 Message("these are no notes of a trace, which have the form {{\"notes\": [{{\"ts\": 1.5, \"text\": "
                         "\"…\"}}]}}; put `{}` away to go on without",
                         path.filename().string()));
  };
  Result<Json> json = parseJson(source);
  const Json *list = json ? json->find("notes") : nullptr;
  if (!list || !list->is(Json::Kind::Array))
    return wrong();
  std::vector<TraceNote> notes;
  for (const Json &note : list->items) {
    const Json *ts = note.find("ts"), *words = note.find("text");
    if (!ts || !words || !words->is(Json::Kind::String))
      return wrong();
    // Parses the decimal digits itself, because a double does not hold all times.
    std::optional<Picoseconds> at =
        picoseconds(std::string_view(source->text()).substr(ts->begin, ts->end - ts->begin));
    if (!at)
      return wrong();
    notes.push_back({nanoseconds(*at, trace.originUs), words->string});
  }
  for (TraceNote &note : notes)
    if (std::ranges::find(trace.notes, note) == trace.notes.end())
      trace.notes.push_back(std::move(note));
  std::ranges::stable_sort(trace.notes, {}, &TraceNote::ns);
  return {};
}

Result<void> saveNotes(const std::vector<TraceNote> &notes, int64_t originUs, const std::filesystem::path &file) {
  if (notes.empty()) {
    std::error_code problem;
    std::filesystem::remove(notesPath(file), problem);
    if (problem)
      return error("unwritable-file", Message("cannot remove `{}`: {}", notesPath(file).string(), problem.message()));
    return {};
  }
  std::string out;
  for (const TraceNote &note : notes)
    out += text(out.empty() ? "" : ",", "\n  {\"ts\": ", microsecondsText(note.ns, originUs), ", \"text\": ",
                nlohmann::json(note.text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), "}");
  return writeFile(notesPath(file), text("{\"notes\": [", out, "\n]}\n"));
}

} // namespace lanescope::core
