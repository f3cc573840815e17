#include "core/ir/SyntaxDifferences.h"

#include "core/ir/ModuleLexer.h"

#include "llvm/ADT/StringMap.h"

#include <optional>

namespace lanescope::core {

namespace {

using Kind = ModuleToken::Kind;
constexpr std::string_view kDictionary = "$...";

/// The items that the names (`$n`) of a spelling have matched.
using Captures = llvm::StringMap<std::string_view>;

/// The `$name` at the start of `pattern`; empty if there is none.
std::string_view captureName(std::string_view pattern) {
  if (pattern.starts_with(kDictionary))
    return kDictionary;
  if (!pattern.starts_with('$'))
    return {};
  size_t end = pattern.find_first_not_of("abcdefghijklmnopqrstuvwxyz", 1);
  return pattern.substr(0, end);
}

/// The end of the item at `at`, a token or a bracket with its contents; nothing if there is none.
std::optional<size_t> pastItem(std::string_view text, size_t at) {
  ModuleLexer lexer(text, at);
  ModuleToken token = lexer.next();
  if (token.kind == Kind::End)
    return std::nullopt;
  if (token.kind == Kind::Value && text.substr(token.end, 1) == "#")
    return lexer.next().end; // `%0#1`
  if (token.kind != Kind::Punctuation)
    return token.end;
  if (!std::string_view("([{<").contains(text[token.begin]) || token.end - token.begin != 1)
    return std::nullopt;
  size_t end = pastBracket(text, token.begin);
  return end == std::string_view::npos ? std::nullopt : std::optional(end);
}

/// The end of the text at `at` that matches `pattern`; nothing if it does not match.
std::optional<size_t> match(std::string_view text, size_t at, std::string_view pattern, Captures &captures) {
  for (size_t here = pastSpace(pattern, 0); here < pattern.size(); here = pastSpace(pattern, here)) {
    std::string_view name = captureName(pattern.substr(here));
    size_t start = pastSpace(text, at);
    if (name == kDictionary) {
      here += name.size();
      captures[name] = {};
      if (text.substr(start, 1) != "{")
        continue;
      size_t end = pastBracket(text, start);
      if (end == std::string_view::npos)
        return std::nullopt;
      captures[name] = text.substr(start + 1, end - start - 2);
      at = end;
      continue;
    }
    if (!name.empty()) {
      auto end = pastItem(text, at);
      if (!end)
        return std::nullopt;
      captures[name] = text.substr(start, *end - start);
      here += name.size();
      at = *end;
      continue;
    }
    ModuleLexer theirs(text, at), wanted(pattern, here);
    if (theirs.of(theirs.next()) != wanted.of(wanted.next()))
      return std::nullopt;
    at = theirs.at();
    here = wanted.at();
  }
  return at;
}

std::string filledIn(std::string_view pattern, const Captures &captures) {
  std::string out;
  for (size_t at = 0; at < pattern.size();) {
    std::string_view name = captureName(pattern.substr(at));
    if (name.empty()) {
      out += pattern[at++];
      continue;
    }
    std::string_view value = captures.lookup(name);
    if (name == kDictionary && !value.empty())
      out += ", ";
    out += value;
    at += name.size();
  }
  return out;
}

} // namespace

std::vector<TextEdit> toOurSyntax(std::string_view text, std::span<const SyntaxDifference> known) {
  llvm::StringMap<std::vector<const SyntaxDifference *>> byName;
  for (const SyntaxDifference &one : known) {
    ModuleLexer lexer(one.theirs);
    byName[lexer.of(lexer.next())].push_back(&one);
  }
  std::vector<TextEdit> edits;
  ModuleLexer lexer(text);
  for (ModuleToken token = lexer.next(); token.kind != Kind::End; token = lexer.next()) {
    if (token.kind != Kind::Word && token.kind != Kind::Attribute)
      continue;
    auto found = byName.find(lexer.of(token));
    if (found == byName.end())
      continue;
    for (const SyntaxDifference *one : found->second) {
      Captures captures;
      auto end = match(text, token.begin, one->theirs, captures);
      if (!end)
        continue;
      edits.push_back({static_cast<uint32_t>(token.begin), static_cast<uint32_t>(*end), filledIn(one->ours, captures)});
      lexer = ModuleLexer(text, *end);
      break;
    }
  }
  return edits;
}

} // namespace lanescope::core
