#include "repl/lsp/LspMessages.h"

namespace lanescope::repl::lsp {

namespace {

json::Value placeJson(Place place) { return json::Object{{"line", place.line}, {"character", place.character}}; }
json::Value rangeIn(const Source &source, uint32_t begin, uint32_t end) {
  PlaceRange range = Positions(source).range(begin, end);
  return json::Object{{"start", placeJson(range.begin)}, {"end", placeJson(range.end)}};
}

/// The number that LSP's DiagnosticSeverity has for the severity.
int severityNumber(Severity severity) {
  switch (severity) {
  case Severity::Error: return 1;
  case Severity::Warning: return 2;
  case Severity::Note: break;
  }
  return 3;
}

/// The number that LSP's CompletionItemKind has for the kind.
int kindNumber(CandidateKind kind) {
  switch (kind) {
  case CandidateKind::Function: return 3;
  case CandidateKind::Variable: return 6;
  case CandidateKind::Module: return 9;
  case CandidateKind::Keyword: return 14;
  case CandidateKind::Argument: return 5;
  case CandidateKind::Member: return 10;
  }
  return 1;
}

/// The number that LSP's SymbolKind has for the kind.
int kindNumber(SymbolKind kind) {
  switch (kind) {
  case SymbolKind::Class: return 5;
  case SymbolKind::Function:
  case SymbolKind::Kernel: return 12;
  case SymbolKind::Variable: break;
  }
  return 13;
}

json::Value markdown(std::string_view words) { return json::Object{{"kind", "markdown"}, {"value", toJson(words)}}; }

json::Object parametersJson(const std::vector<MessageParameter> &parameters) {
  json::Object out;
  for (const MessageParameter &each : parameters)
    if (const auto *number = std::get_if<int64_t>(&each.value))
      out[each.name] = *number;
    else
      out[each.name] = toJson(std::get<std::string>(each.value));
  return out;
}

json::Value diagnosticJson(const Snippet &snippet, const std::string &uri, const Diagnostic &diagnostic) {
  const Source &text = *snippet.text;
  bool here = diagnostic.span.source == snippet.code || diagnostic.span.source == snippet.text;
  std::string message = diagnostic.message;
  json::Array related;
  for (const Note &note : diagnostic.notes) {
    bool inText = note.span.source == snippet.code || note.span.source == snippet.text;
    if (inText)
      related.push_back(json::Object{
          {"location", json::Object{{"uri", toJson(uri)}, {"range", rangeIn(text, note.span.begin, note.span.end)}}},
          {"message", toJson(note.message)}});
    else if (note.span.source)
      message += lanescope::text("\n", note.span.source->name(), ":",
                                 note.span.source->lineColumn(note.span.begin).line, ": ", note.message);
    else
      message += lanescope::text("\n", note.message);
  }
  json::Object out{{"range", here ? rangeIn(text, diagnostic.span.begin, diagnostic.span.end) : rangeIn(text, 0, 0)},
                   {"severity", severityNumber(diagnostic.severity)},
                   {"code", toJson(diagnostic.kind)},
                   {"source", "lanescope"},
                   {"message", toJson(message)}};
  if (!diagnostic.parameters.empty())
    out["data"] = json::Object{{"parameters", parametersJson(diagnostic.parameters)}};
  if (!related.empty())
    out["relatedInformation"] = std::move(related);
  return out;
}

} // namespace

json::Value toJson(std::string_view text) {
  llvm::StringRef words(text.data(), text.size());
  return json::isUTF8(words) ? words.str() : json::fixUTF8(words);
}

json::Value toJson(const Document &document, TextRange range) {
  return rangeIn(document.text(), range.begin, range.end);
}

json::Value toJson(const Snippet &snippet, const std::string &uri, const Diagnostics &diagnostics) {
  json::Array out;
  for (const Diagnostic &diagnostic : diagnostics)
    out.push_back(diagnosticJson(snippet, uri, diagnostic));
  return out;
}

json::Value toJson(const Document &document, const HoverAnswer &answer) {
  return json::Object{{"contents", markdown(answer.markdown)}, {"range", toJson(document, answer.range)}};
}

json::Value toJson(const Document &document, uint32_t cursor, const CompletionAnswer &answer) {
  json::Array items;
  json::Value range = toJson(document, TextRange{answer.from, cursor});
  for (const Candidate &candidate : answer.candidates) {
    json::Object item{{"label", toJson(candidate.name)},
                      {"kind", kindNumber(candidate.kind)},
                      {"textEdit", json::Object{{"range", range}, {"newText", toJson(candidate.name)}}}};
    if (!candidate.detail.empty())
      item["detail"] = toJson(candidate.detail);
    if (!candidate.doc.empty())
      item["documentation"] = toJson(candidate.doc);
    items.push_back(std::move(item));
  }
  return json::Object{{"isIncomplete", false}, {"items", std::move(items)}};
}

json::Value toJson(const SignatureAnswer &answer) {
  // Offsets into the label have to count UTF-16 units, so treat the label as a document.
  Source label("", answer.label);
  Positions positions(label);
  json::Array parameters;
  bool oneLine = answer.label.find('\n') == answer.label.npos;
  for (TextRange each : answer.parameters)
    parameters.push_back(json::Object{
        {"label", oneLine
                      ? json::Value(json::Array{positions.of(each.begin).character, positions.of(each.end).character})
                      : toJson(answer.label.substr(each.begin, each.end - each.begin))}});
  json::Object signature{{"label", toJson(answer.label)}, {"parameters", std::move(parameters)}};
  if (!answer.doc.empty())
    signature["documentation"] = toJson(answer.doc);
  json::Object out{{"activeSignature", 0}};
  // If the number is past the last parameter, editors highlight none.
  out["activeParameter"] = static_cast<int64_t>(answer.active.value_or(answer.parameters.size()));
  out["signatures"] = json::Array{std::move(signature)};
  return out;
}

json::Value toJson(const Document &document, const std::vector<HintAnswer> &answers) {
  constexpr int kType = 1;
  json::Array out;
  Positions positions(document.text());
  for (const HintAnswer &hint : answers)
    out.push_back(json::Object{{"position", placeJson(positions.of(hint.offset))},
                               {"label", toJson(hint.label)},
                               {"kind", kType},
                               {"tooltip", toJson(hint.tooltip)}});
  return out;
}

json::Value toJson(const Document &document, const std::vector<LensAnswer> &answers) {
  json::Array out;
  for (const LensAnswer &lens : answers) {
    bool run = lens.kind == LensKind::Run;
    out.push_back(
        json::Object{{"range", toJson(document, lens.place)},
                     {"command", json::Object{{"title", run ? "run" : "show layouts"},
                                              {"command", run ? kRunCommand : kShowLayoutsCommand},
                                              {"arguments", json::Array{toJson(document.uri), toJson(lens.name)}}}}});
  }
  return out;
}

json::Value toJson(const Document &document, const std::vector<TokenAnswer> &answers) {
  json::Array data;
  Positions positions(document.text());
  Place before;
  for (const TokenAnswer &token : answers) {
    PlaceRange range = positions.range(token.range.begin, token.range.end);
    bool sameLine = range.begin.line == before.line;
    data.push_back(range.begin.line - before.line);
    data.push_back(sameLine ? range.begin.character - before.character : range.begin.character);
    data.push_back(range.end.character - range.begin.character);
    data.push_back(static_cast<uint32_t>(token.type));
    data.push_back(uint32_t{token.declares} | uint32_t{token.builtin} << 1 | uint32_t{token.kernel} << 2);
    before = range.begin;
  }
  return json::Object{{"data", std::move(data)}};
}

json::Value toJson(const Document &document, const std::vector<SymbolAnswer> &answers) {
  json::Array out;
  for (const SymbolAnswer &symbol : answers) {
    json::Object each{{"name", toJson(symbol.name)},
                      {"kind", kindNumber(symbol.kind)},
                      {"range", toJson(document, symbol.range)},
                      {"selectionRange", toJson(document, symbol.nameRange)}};
    if (symbol.kind == SymbolKind::Kernel)
      each["detail"] = "kernel";
    out.push_back(std::move(each));
  }
  return out;
}

json::Value locations(const Document &document, const std::vector<NameUse> &uses) {
  json::Array out;
  for (const NameUse &use : uses)
    out.push_back(json::Object{{"uri", toJson(document.uri)}, {"range", toJson(document, use.range)}});
  return out;
}

json::Value renamed(const Document &document, const std::vector<NameUse> &uses, const std::string &name) {
  json::Array edits;
  for (const NameUse &use : uses)
    edits.push_back(json::Object{{"range", toJson(document, use.range)}, {"newText", toJson(name)}});
  json::Object changes;
  changes[document.uri] = std::move(edits);
  return json::Object{{"changes", std::move(changes)}};
}

json::Value serverCapabilities() {
  constexpr int kIncremental = 2;
  json::Object out;
  out["textDocumentSync"] = json::Object{{"openClose", true}, {"change", kIncremental}};
  out["hoverProvider"] = true;
  out["completionProvider"] = json::Object{{"triggerCharacters", json::Array{"."}}};
  out["signatureHelpProvider"] = json::Object{{"triggerCharacters", json::Array{"(", ","}}};
  out["definitionProvider"] = true;
  out["referencesProvider"] = true;
  out["documentHighlightProvider"] = true;
  out["renameProvider"] = true;
  out["documentSymbolProvider"] = true;
  out["inlayHintProvider"] = true;
  out["semanticTokensProvider"] =
      json::Object{{"legend", json::Object{{"tokenTypes", json::Array{"namespace", "type", "class", "parameter",
                                                                      "variable", "property", "function", "method"}},
                                           {"tokenModifiers", json::Array{"declaration", "defaultLibrary", "kernel"}}}},
                   {"full", true},
                   {"range", true}};
  out["codeLensProvider"] = json::Object{{"resolveProvider", false}};
  out["executeCommandProvider"] = json::Object{{"commands", json::Array{kRunCommand, kShowLayoutsCommand}}};
  return json::Object{{"capabilities", std::move(out)}, {"serverInfo", json::Object{{"name", "lanescope"}}}};
}

} // namespace lanescope::repl::lsp
