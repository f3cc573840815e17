// Answers to an editor's requests about a document. Each answer is a function of the document alone and returns plain
// data, which LspMessages.h turns into JSON. Offsets count bytes of the document's current text.
#pragma once

#include "repl/lsp/Document.h"

namespace lanescope::repl::lsp {

/// Text about the thing at a place, in Markdown.
struct HoverAnswer {
  TextRange range;
  std::string markdown;
};
/// The text that an editor shows for a name. For a value of a kernel, it is the type, the layout, the size, and what
/// the line costs. For any other name, it is the text of `help`. Nothing if neither is known.
std::optional<HoverAnswer> hover(const Document &document, uint32_t offset);

enum class CandidateKind : uint8_t { Function, Variable, Module, Keyword, Argument, Member };
struct Candidate {
  std::string name; // the name as the REPL's Tab offers it: `load(`, `shape=`
  CandidateKind kind = CandidateKind::Variable;
  std::string detail, doc; // the signature, and the first words of the name's help; may be empty
};
struct CompletionAnswer {
  uint32_t from = 0; // a candidate replaces bytes [from, offset)
  std::vector<Candidate> candidates;
};
CompletionAnswer completion(const Document &document, uint32_t offset);

struct SignatureAnswer {
  std::string label, doc;
  std::vector<TextRange> parameters; // ranges of bytes in `label`
  std::optional<size_t> active;
};
/// The signature of the innermost call around the place. Nothing outside of calls, or if the callee is unknown.
std::optional<SignatureAnswer> signature(const Document &document, uint32_t offset);

/// The place that binds the name at `offset`; nothing if the document does not bind it.
std::optional<TextRange> definition(const Document &document, uint32_t offset);
/// All uses of the variable at the place, including its bindings.
std::vector<NameUse> references(const Document &document, uint32_t offset);
/// The uses that have to change if the variable gets another name. Errors: the document binds no name at the place;
/// `name` is not a valid name; `name` exists already; an import or a keyword argument spells the variable's name too.
Result<std::vector<NameUse>> renaming(const Document &document, uint32_t offset, const std::string &name);

struct HintAnswer {
  uint32_t offset = 0;
  std::string label, tooltip;
};
/// The hints in a text: the type and layout after each variable of a kernel, and avoidable costs at the end of each
/// line.
std::vector<HintAnswer> inlayHints(const Document &document, TextRange within);

/// The values are in the order of the legend (LSP 3.17, "Semantic Tokens").
enum class TokenType : uint8_t { Namespace, Type, Class, Parameter, Variable, Property, Function, Method };
/// A name and its meaning at this place. `builtin`: the session or one of our modules defines the name. `kernel`: the
/// name is a kernel, or a kernel's variable whose value has a layout.
struct TokenAnswer {
  TextRange range = {};
  TokenType type = TokenType::Variable;
  bool declares = false, builtin = false, kernel = false;
};
/// The tokens in `within`, in order, without names whose meaning is unknown.
std::vector<TokenAnswer> semanticTokens(const Document &document, TextRange within);

enum class LensKind : uint8_t { Run, ShowLayouts };
struct LensAnswer {
  TextRange place;
  LensKind kind = LensKind::Run;
  std::string name; // name of the kernel or variable; empty: the lens is for the file
};
/// The code lenses: `run` and `show layouts` at kernels, `show layout` at variables that are layouts.
std::vector<LensAnswer> lenses(const Document &document);
/// The text of `show layouts`. For a function, it has the values line by line, and a picture of each layout. For a
/// variable, it has the variable's layout.
std::string layoutsText(const Document &document, std::string_view name);

enum class SymbolKind : uint8_t { Function, Kernel, Class, Variable };
struct SymbolAnswer {
  std::string name;
  SymbolKind kind = SymbolKind::Variable;
  TextRange range, nameRange;
};
/// The functions, classes and variables of the top level.
std::vector<SymbolAnswer> symbols(const Document &document);

} // namespace lanescope::repl::lsp
