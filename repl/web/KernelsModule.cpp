// The functions that the kernels' module exports. They are those of viz/web/LayoutModule.cpp and one more, for files:
// the page writes a file's bytes into the memory of lanescope_file() and requests `file`.
#include "repl/web/KernelPage.h"

#include <cstdlib>

namespace {
lanescope::repl::KernelPage &page() {
  static lanescope::repl::KernelPage page;
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
  return reinterpret_cast<char *>(page().file().data());
}

EXPORTED(lanescope_call) const char *lanescope_call(char *request, size_t bytes) {
  std::string text(request, bytes);
  std::free(request);
  std::string &answer = answerOfLastCall();
  answer = page().call(text);
  return answer.data();
}

EXPORTED(lanescope_size) size_t lanescope_size() { return answerOfLastCall().size(); }
