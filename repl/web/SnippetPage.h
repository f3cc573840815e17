// The console of the web page: entries of the snippet language about layouts, without kernels, driven by JSON.
//
//   SnippetPage page;
//   page.call(R"({"do": "entry", "text": "owners(WGMMA, (64, 8), (9, 2))"})")
//     ->  {"entry": {"ok": true, "parts": [{"kind": "text", "text": "…"}]}}
//   page.call(R"({"do": "complete", "text": "owners(WG", "cursor": 9})")
//     ->  {"completion": {"from": 7, "candidates": ["WGMMA", "WGMMA_8BIT", …], "about": "…"}}
//
// README.md lists the requests. The values are written as the REPL writes them; show() gives a picture as the text of a
// view, which the page draws.
#pragma once

#include "repl/lang/evaluate/Evaluator.h"
#include "viz/export/TerminalText.h"
#include "viz/web/Asked.h"

#include <memory>
#include <string>
#include <string_view>

namespace lanescope::repl {

class SnippetPage {
public:
  SnippetPage();
  ~SnippetPage();

  /// A request with an error is answered by {"error": {"kind", "message", "text"}}. An entry that fails is no such
  /// request: its error is one of its parts, and the session's names are as before it.
  std::string call(std::string_view request);

private:
  struct Output;

  Result<std::string> answer(const viz::Asked &asked);
  std::string entry(const std::string &text);
  std::string complete(const std::string &text, size_t cursor);
  viz::TerminalOptions terminal() const;

  std::unique_ptr<Output> output_;
  int width_ = 100; // columns of the page's text
  int entries_ = 0;
  std::unique_ptr<Evaluator> evaluator_; // the last member: its builtins use the others
};

} // namespace lanescope::repl
