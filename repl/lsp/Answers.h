// What an editor asks about a document. Each answer is a function of the document alone, as plain data; Protocol.h
// makes messages of them. Offsets count bytes of the document's text as it is now.
#pragma once

#include "repl/lsp/Document.h"

namespace lanescope::repl::lsp {

/// Markdown about what is at a place.
struct HoverAnswer {
  TextRange range;
  std::string markdown;
};
/// A value of a kernel: its type, layout, size and what the line costs. Any other name: what `help` says. Nothing where
/// neither is known.
std::optional<HoverAnswer> hover(const Document &document, uint32_t offset);

enum class CandidateKind : uint8_t { Function, Variable, Module, Keyword, Argument, Member };
struct Candidate {
  std::string name; // as the REPL's Tab offers it: `load(`, `shape=`
  CandidateKind kind = CandidateKind::Variable;
  std::string detail, doc; // signature, and the first words of its help; may be empty
};
struct CompletionAnswer {
  uint32_t from = 0; // bytes [from, offset) may become any candidate
  std::vector<Candidate> candidates;
};
CompletionAnswer completion(const Document &document, uint32_t offset);

struct SignatureAnswer {
  std::string label, doc;
  std::vector<TextRange> parameters; // in bytes of `label`
  std::optional<size_t> active;
};
/// Of the innermost call around the place; nothing outside of calls, and where it is not known what is called.
std::optional<SignatureAnswer> signature(const Document &document, uint32_t offset);

/// Where the name at the place is bound; nothing where the document does not bind it.
std::optional<TextRange> definition(const Document &document, uint32_t offset);
/// All uses of the variable at the place, its bindings too.
std::vector<NameUse> references(const Document &document, uint32_t offset);
/// The uses to change for another name. Errors: no name of the document's, no name to be, a name that is there, a
/// variable that an import or a keyword argument spells too.
Result<std::vector<NameUse>> renaming(const Document &document, uint32_t offset, const std::string &name);

struct HintAnswer {
  uint32_t offset = 0;
  std::string label, tooltip;
};
/// The type and layout behind each variable of a kernel, and at the end of a line what it costs beyond need.
std::vector<HintAnswer> inlayHints(const Document &document, TextRange within);

/// In the order of the legend (LSP 3.17, "Semantic Tokens").
enum class TokenType : uint8_t { Namespace, Type, Class, Parameter, Variable, Property, Function, Method };
/// A name, by what it means here. `builtin`: the session or a module of ours has it. `kernel`: a kernel, or a variable
/// of one whose value has a layout.
struct TokenAnswer {
  TextRange range = {};
  TokenType type = TokenType::Variable;
  bool declares = false, builtin = false, kernel = false;
};
/// Those that lie in `within`, in order; names of which nothing is known are left out.
std::vector<TokenAnswer> semanticTokens(const Document &document, TextRange within);

enum class LensKind : uint8_t { Run, ShowLayouts };
struct LensAnswer {
  TextRange place;
  LensKind kind = LensKind::Run;
  std::string name; // of the kernel, or of the variable; empty: the file
};
/// `run` and `show layouts` at kernels, `show layout` at variables that are layouts.
std::vector<LensAnswer> lenses(const Document &document);
/// What `show layouts` shows: the values of a function, line by line, and a picture of each layout; a variable's
/// layout.
std::string layoutsText(const Document &document, std::string_view name);

enum class SymbolKind : uint8_t { Function, Kernel, Class, Variable };
struct SymbolAnswer {
  std::string name;
  SymbolKind kind = SymbolKind::Variable;
  TextRange range, nameRange;
};
/// Functions, classes and variables of the outer level.
std::vector<SymbolAnswer> symbols(const Document &document);

} // namespace lanescope::repl::lsp
