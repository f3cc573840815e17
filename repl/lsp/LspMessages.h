// Converts the parameters of requests from JSON, and answers to JSON, as the protocol requires (LSP 3.17).
#pragma once

#include "repl/lsp/Answers.h"
#include "repl/lsp/Positions.h"

#include "llvm/Support/JSON.h"

namespace lanescope::repl::lsp {

namespace json = llvm::json;

struct DocumentParams { // for requests about a whole document, and for didClose
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
  std::vector<std::string> arguments; // the string arguments
};
struct ClientParams { // the client's capabilities that this server uses
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

/// A text as a JSON string. Invalid UTF-8 is replaced, since JSON must be valid UTF-8.
json::Value toJson(std::string_view text);
json::Value toJson(const Document &document, TextRange range);
/// Diagnostics whose places are in `snippet`. Notes with places elsewhere become a part of the message.
json::Value toJson(const Snippet &snippet, const std::string &uri, const Diagnostics &diagnostics);
json::Value toJson(const Document &document, const HoverAnswer &answer);
json::Value toJson(const Document &document, uint32_t cursor, const CompletionAnswer &answer);
json::Value toJson(const SignatureAnswer &answer);
json::Value toJson(const Document &document, const std::vector<HintAnswer> &answers);
json::Value toJson(const Document &document, const std::vector<LensAnswer> &answers);
/// `{"data"}` with five numbers for each token. A token's place is relative to that of the token before.
json::Value toJson(const Document &document, const std::vector<TokenAnswer> &answers);
json::Value toJson(const Document &document, const std::vector<SymbolAnswer> &answers);
/// A list with `{"uri", "range"}` for each use.
json::Value locations(const Document &document, const std::vector<NameUse> &uses);
/// A WorkspaceEdit that changes the name in all uses to `name`.
json::Value renamed(const Document &document, const std::vector<NameUse> &uses, const std::string &name);

/// The answer to `initialize`, which says what this server can do.
json::Value serverCapabilities();

inline constexpr const char *kRunCommand = "lanescope.run";
inline constexpr const char *kShowLayoutsCommand = "lanescope.showLayouts";

} // namespace lanescope::repl::lsp
