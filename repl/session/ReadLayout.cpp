#include "repl/session/ReadLayout.h"

#include "layouts/Catalogue.h"
#include "layouts/notation/Find.h"
#include "layouts/notation/Notation.h"
#include "layouts/notation/OperandSets.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>

namespace lanescope::repl {
namespace {

/// The first layout in a pasted piece of a module or of a printout. A remark names the other layouts. Nothing if there
/// is no layout, or if the text is no such piece.
std::optional<ReadLayout> firstFound(const SourceRef &source) {
  std::string_view text = lanescope::trimmed(source->text());
  if (text.find_first_of("%\n=") == std::string_view::npos)
    return std::nullopt;
  // In options of triton-tensor-layout the layout goes with a type, and their error is the answer.
  if (text.starts_with('-') || text.starts_with("triton-tensor-layout"))
    return std::nullopt;
  auto found = layouts::findLayouts(source);
  std::erase_if(found, [](const layouts::FoundLayout &one) { return !one.layout; });
  if (found.empty())
    return std::nullopt;
  layouts::FoundLayout first = *layouts::firstLayout(found);
  auto called = [](const layouts::FoundLayout &one) {
    return lanescope::text(one.name.empty() ? "a layout" : one.name, " in line ",
                           one.span.source->lineColumn(one.span.begin).line);
  };
  std::string message = lanescope::text("shown is ", called(first));
  if (found.size() > 1) {
    std::vector<std::string> others;
    for (size_t i = 1; i < std::min<size_t>(found.size(), 9); ++i)
      others.push_back(called(found[i]));
    if (found.size() > 9)
      others.push_back(lanescope::text(found.size() - 9, " more"));
    message += lanescope::text("; the text also holds ", joined(others, ", "));
  }
  return ReadLayout{*std::move(first.layout),
                    std::move(first.shape),
                    first.bitwidth,
                    {{Severity::Note, "layout-found", first.span, std::move(message), {}}}};
}

} // namespace

Result<ReadLayout> readLayout(Session &session, const SourceRef &source, bool tmem) {
  const std::string &text = source->text();
  size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string::npos)
    return error("empty-layout", {source, 0, 0}, "a layout is expected, such as `WGMMA`");
  Diagnostics remarks;
  auto read = [&]() -> Result<layouts::Layout> {
    if (text[first] != '#' || !tmem)
      return layouts::parseLayout(source, &remarks);
    auto layout = layouts::parseTmemLayout(source, &remarks);
    if (!layout)
      return std::unexpected(layout.error());
    return *layout;
  };
  std::optional<Result<Value>> value; // an attribute begins with `#`, which begins a comment in the language
  if (text[first] != '#') {
    value = session.evaluate(source);
    if (*value)
      if (const Layout *layout = (*value)->asLayout()) {
        // The text may be both a layout's notation and an expression. Keep the remarks only if both readings give the
        // same layout.
        if (auto again = read(); !again || *again != *layout)
          remarks.clear();
        return ReadLayout{.layout = *layout, .remarks = std::move(remarks)};
      }
  }
  // The value is no layout, so the text may be in the notation of CuTe, Triton, Tilus, …; some of these look like
  // expressions. A number alone is no layout here, though CuTe has layouts of one integer.
  auto layout = read();
  if (layout && !(value && *value && (*value)->number()))
    return ReadLayout{.layout = *std::move(layout), .remarks = std::move(remarks)};
  if (auto found = firstFound(source))
    return *std::move(found);
  if (!value || (!*value && (text.find_first_of("#:<") != std::string::npos ||
                             layouts::looksLikeInstruction(std::string_view(text).substr(first)))))
    return std::unexpected(layout.error());
  if (!*value)
    return std::unexpected(value->error());
  // `wgmma` is a function of kernels; the user may have meant the layout WGMMA.
  const layouts::CatalogueEntry *meant = layouts::findLayout(upperCase(text));
  return error("not-a-layout", Span{source, 0, static_cast<uint32_t>(text.size())},
               Message("this is of type {type}; a layout is expected, {}{}{}", (*value)->typeName(),
                       meant ? "did you mean `" : "such as `", meant ? meant->name : std::string_view("WGMMA"),
                       meant ? "`?" : "`"));
}

} // namespace lanescope::repl
