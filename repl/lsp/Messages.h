// The protocol's messages: parameters of requests from JSON, answers to JSON (LSP 3.17).
#pragma once

#include "repl/lsp/Answers.h"
#include "repl/lsp/Positions.h"

#include "llvm/Support/JSON.h"

namespace lanescope::repl::lsp {

namespace json = llvm::json;

struct DocumentParams { // of requests about a whole document, and of didClose
  std::string uri;
};
struct PlaceParams {
  std::string uri;
  Place place;
};
struct RenameParams {
  std::string uri;
  Place place;
  std::string name;
};
struct RangeParams {
  std::string uri;
  PlaceRange range;
};
struct OpenParams {
  std::string uri, text;
  int64_t version = 0;
};
struct ChangeParams {
  std::string uri;
  int64_t version = 0;
  std::vector<TextChange> changes;
};
struct CommandParams {
  std::string command;
  std::vector<std::string> arguments; // those that are strings
};
struct ClientParams { // what of `initialize` matters here
  bool progress = false, showDocument = false, hintRefresh = false, lensRefresh = false, tokenRefresh = false;
};
struct NoParams {};

bool fromJSON(const json::Value &value, DocumentParams &out, json::Path path);
bool fromJSON(const json::Value &value, PlaceParams &out, json::Path path);
bool fromJSON(const json::Value &value, RenameParams &out, json::Path path);
bool fromJSON(const json::Value &value, RangeParams &out, json::Path path);
bool fromJSON(const json::Value &value, OpenParams &out, json::Path path);
bool fromJSON(const json::Value &value, ChangeParams &out, json::Path path);
bool fromJSON(const json::Value &value, CommandParams &out, json::Path path);
bool fromJSON(const json::Value &value, ClientParams &out, json::Path path);
bool fromJSON(const json::Value &value, NoParams &out, json::Path path);

/// Text of ours as JSON's, which takes valid UTF-8 alone.
json::Value toJson(std::string_view text);
json::Value toJson(const Document &document, TextRange range);
/// Diagnostics whose places are in `snippet`; notes elsewhere become words of the message.
json::Value toJson(const Snippet &snippet, const std::string &uri, const Diagnostics &diagnostics);
json::Value toJson(const Document &document, const HoverAnswer &answer);
json::Value toJson(const Document &document, uint32_t cursor, const CompletionAnswer &answer);
json::Value toJson(const SignatureAnswer &answer);
json::Value toJson(const Document &document, const std::vector<HintAnswer> &answers);
json::Value toJson(const Document &document, const std::vector<LensAnswer> &answers);
/// `{"data"}`: five numbers a token, its place relative to the one before.
json::Value toJson(const Document &document, const std::vector<TokenAnswer> &answers);
json::Value toJson(const Document &document, const std::vector<SymbolAnswer> &answers);
/// `{"uri", "range"}` of each.
json::Value locations(const Document &document, const std::vector<NameUse> &uses);
/// A WorkspaceEdit that gives all of them another name.
json::Value renamed(const Document &document, const std::vector<NameUse> &uses, const std::string &name);

/// What this server can do: the answer to `initialize`.
json::Value serverCapabilities();

inline constexpr const char *kRunCommand = "lanescope.run";
inline constexpr const char *kShowLayoutsCommand = "lanescope.showLayouts";

} // namespace lanescope::repl::lsp
