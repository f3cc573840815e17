// The functions that the module of the console exports, which are those of viz/web/LayoutModule.cpp.
#include "repl/web/SnippetPage.h"

#include <cstdlib>

namespace {
lanescope::repl::SnippetPage &page() {
  static lanescope::repl::SnippetPage page;
  return page;
}
std::string &answerOfLastCall() {
  static std::string answer;
  return answer;
}
} // namespace

#define EXPORTED(name) extern "C" __attribute__((export_name(#name)))

EXPORTED(lanescope_take) char *lanescope_take(size_t bytes) { return static_cast<char *>(std::malloc(bytes)); }

EXPORTED(lanescope_call) const char *lanescope_call(char *request, size_t bytes) {
  std::string text(request, bytes);
  std::free(request);
  std::string &answer = answerOfLastCall();
  answer = page().call(text);
  return answer.data();
}

EXPORTED(lanescope_size) size_t lanescope_size() { return answerOfLastCall().size(); }
