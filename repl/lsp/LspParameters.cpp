// Reads the parameters of requests from JSON.
#include "repl/lsp/LspMessages.h"

namespace lanescope::repl::lsp {

namespace {

bool read(const json::Value &value, Place &out, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("line", out.line) && map.map("character", out.character);
}

bool read(const json::Value &value, PlaceRange &out, json::Path path) {
  const json::Object *object = value.getAsObject();
  const json::Value *begin = object ? object->get("start") : nullptr, *end = object ? object->get("end") : nullptr;
  if (!begin || !end) {
    path.report("expected a range");
    return false;
  }
  return read(*begin, out.begin, path.field("start")) && read(*end, out.end, path.field("end"));
}

/// The `uri` of the field `textDocument`.
bool readUri(const json::Value &value, std::string &out, json::Path path) {
  const json::Object *object = value.getAsObject();
  const json::Object *document = object ? object->getObject("textDocument") : nullptr;
  auto uri = document ? document->getString("uri") : std::nullopt;
  if (!uri) {
    path.field("textDocument").report("expected a document with a uri");
    return false;
  }
  out = uri->str();
  return true;
}

bool readPlace(const json::Value &value, std::string &uri, Place &place, json::Path path) {
  if (!readUri(value, uri, path))
    return false;
  const json::Value *position = value.getAsObject()->get("position");
  if (!position) {
    path.field("position").report("expected a position");
    return false;
  }
  return read(*position, place, path.field("position"));
}

bool capability(const json::Object *object, std::initializer_list<const char *> path, const char *last) {
  for (const char *step : path)
    object = object ? object->getObject(step) : nullptr;
  return object && object->getBoolean(last).value_or(false);
}

} // namespace

bool fromJSON(const json::Value &value, DocumentParams &out, json::Path path) { return readUri(value, out.uri, path); }

bool fromJSON(const json::Value &value, PlaceParams &out, json::Path path) {
  return readPlace(value, out.uri, out.place, path);
}

bool fromJSON(const json::Value &value, RenameParams &out, json::Path path) {
  json::ObjectMapper map(value, path);
  return readPlace(value, out.uri, out.place, path) && map && map.map("newName", out.name);
}

bool fromJSON(const json::Value &value, RangeParams &out, json::Path path) {
  if (!readUri(value, out.uri, path))
    return false;
  const json::Value *range = value.getAsObject()->get("range");
  if (!range) {
    path.field("range").report("expected a range");
    return false;
  }
  return read(*range, out.range, path.field("range"));
}

bool fromJSON(const json::Value &value, OpenParams &out, json::Path path) {
  if (!readUri(value, out.uri, path))
    return false;
  json::ObjectMapper map(*value.getAsObject()->get("textDocument"), path.field("textDocument"));
  return map && map.map("text", out.text) && map.mapOptional("version", out.version);
}

bool fromJSON(const json::Value &value, ChangeParams &out, json::Path path) {
  if (!readUri(value, out.uri, path))
    return false;
  out.version = value.getAsObject()->getObject("textDocument")->getInteger("version").value_or(0);
  const json::Array *changes = value.getAsObject()->getArray("contentChanges");
  if (!changes) {
    path.field("contentChanges").report("expected an array");
    return false;
  }
  json::Path list = path.field("contentChanges"); // must live longer than `at`, which points to it
  for (size_t i = 0; i < changes->size(); ++i) {
    json::Path at = list.index(static_cast<unsigned>(i));
    TextChange change;
    json::ObjectMapper map((*changes)[i], at);
    if (!map || !map.map("text", change.text))
      return false;
    const json::Value *range = (*changes)[i].getAsObject()->get("range");
    if (range && range->kind() != json::Value::Null && !read(*range, change.range.emplace(), at.field("range")))
      return false;
    out.changes.push_back(std::move(change));
  }
  return true;
}

bool fromJSON(const json::Value &value, CommandParams &out, json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !map.map("command", out.command))
    return false;
  if (const json::Array *arguments = value.getAsObject()->getArray("arguments"))
    for (const json::Value &argument : *arguments)
      if (auto words = argument.getAsString())
        out.arguments.push_back(words->str());
  return true;
}

bool fromJSON(const json::Value &value, ClientParams &out, json::Path) {
  const json::Object *object = value.getAsObject();
  const json::Object *can = object ? object->getObject("capabilities") : nullptr;
  out.progress = capability(can, {"window"}, "workDoneProgress");
  out.showDocument = capability(can, {"window", "showDocument"}, "support");
  out.hintRefresh = capability(can, {"workspace", "inlayHint"}, "refreshSupport");
  out.lensRefresh = capability(can, {"workspace", "codeLens"}, "refreshSupport");
  out.tokenRefresh = capability(can, {"workspace", "semanticTokens"}, "refreshSupport");
  return true;
}

bool fromJSON(const json::Value &, NoParams &, json::Path) { return true; }

} // namespace lanescope::repl::lsp
