// The functions that the traces' module exports. They are those of LayoutModule.cpp and one more, for the file: the
// page writes its bytes into the memory of lanescope_file() and requests `open`.
#include "viz/web/TracePage.h"

#include <nlohmann/json.hpp> // members of the page

#include <cstdlib>

namespace {
lanescope::viz::TracePage &page() {
  static lanescope::viz::TracePage page;
  return page;
}
std::string &answerOfLastCall() {
  static std::string answer;
  return answer;
}
} // namespace

#define EXPORTED(name) extern "C" __attribute__((export_name(#name)))

EXPORTED(lanescope_take) char *lanescope_take(size_t bytes) { return static_cast<char *>(std::malloc(bytes)); }

EXPORTED(lanescope_file) char *lanescope_file(size_t bytes) {
  page().file().resize(bytes);
  return page().file().data();
}

EXPORTED(lanescope_call) const char *lanescope_call(char *request, size_t bytes) {
  std::string text(request, bytes);
  std::free(request);
  std::string &answer = answerOfLastCall();
  answer = page().call(text);
  return answer.data();
}

EXPORTED(lanescope_size) size_t lanescope_size() { return answerOfLastCall().size(); }
