#include "core/profiler/TraceNotes.h"

#include "core/data/Files.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace lanescope::core {

std::filesystem::path notesPath(const std::filesystem::path &trace) { return trace.string() + ".notes.json"; }

Result<void> addNotes(Trace &trace, const std::filesystem::path &file) {
  std::error_code ignored;
  std::filesystem::path path = notesPath(file);
  if (!std::filesystem::exists(path, ignored))
    return {};
  SourceRef source = LANESCOPE_TRY(readSource(path));
  auto json = nlohmann::json::parse(source->text(), nullptr, false);
  auto wrong = [&] {
    return error(
        "trace-notes", {source, 0, 1},
        text("these are no notes of a trace, which have the form {\"notes\": [{\"ts\": 1.5, \"text\": \"…\"}]}; "
             "put `",
             path.filename().string(), "` away to go on without"));
  };
  if (!json.is_object() || !json.contains("notes") || !json["notes"].is_array())
    return wrong();
  std::vector<TraceNote> notes;
  for (const nlohmann::json &note : json["notes"]) {
    if (!note.is_object() || !note.contains("ts") || !note["ts"].is_number() || !note.contains("text") ||
        !note["text"].is_string())
      return wrong();
    notes.push_back({std::round(note["ts"].get<double>() * 1e6) / 1e3, note["text"].get<std::string>()});
  }
  for (TraceNote &note : notes)
    if (std::ranges::find(trace.notes, note) == trace.notes.end())
      trace.notes.push_back(std::move(note));
  std::ranges::stable_sort(trace.notes, {}, &TraceNote::ns);
  return {};
}

Result<void> saveNotes(const std::vector<TraceNote> &notes, const std::filesystem::path &file) {
  if (notes.empty()) {
    std::error_code problem;
    std::filesystem::remove(notesPath(file), problem);
    if (problem)
      return error("unwritable-file", text("cannot remove `", notesPath(file).string(), "`: ", problem.message()));
    return {};
  }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const TraceNote &note : notes)
    list.push_back({{"ts", note.ns / 1000}, {"text", note.text}});
  nlohmann::ordered_json json{{"notes", std::move(list)}};
  return writeFile(notesPath(file), json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

} // namespace lanescope::core
