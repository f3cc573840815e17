// The functions that the web page's module exports. The page writes a request into memory of lanescope_take(), calls
// lanescope_call(), and reads the answer. Requests and answers are JSON in UTF-8 (LayoutPage.h).
//
//   at = lanescope_take(bytes);                       // the request's memory
//   answer = lanescope_call(at, bytes);               // gives the request's memory back
//   text = memory[answer, answer + lanescope_size())  // valid until the next call
#include "viz/web/LayoutPage.h"

#include <cstdlib>

namespace {
std::string &answerOfLastCall() {
  static std::string answer;
  return answer;
}
} // namespace

#define EXPORTED(name) extern "C" __attribute__((export_name(#name)))

EXPORTED(lanescope_take) char *lanescope_take(size_t bytes) { return static_cast<char *>(std::malloc(bytes)); }

EXPORTED(lanescope_call) const char *lanescope_call(char *request, size_t bytes) {
  static lanescope::viz::LayoutPage page;
  std::string text(request, bytes);
  std::free(request);
  std::string &answer = answerOfLastCall();
  answer = page.call(text);
  return answer.data();
}

EXPORTED(lanescope_size) size_t lanescope_size() { return answerOfLastCall().size(); }
