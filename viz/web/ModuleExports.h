// The functions that a module of the web page exports. The page writes a request into memory of lanescope_take(), calls
// lanescope_call(), and reads the answer. Requests and answers are JSON in UTF-8 (LayoutPage.h).
//
//   at = lanescope_take(bytes);                       // the request's memory
//   answer = lanescope_call(at, bytes);               // gives the request's memory back
//   text = memory[answer, answer + lanescope_size())  // valid until the next call
//
// A module that reads files exports one more: the page writes a file's bytes into the memory of lanescope_file(), and
// then requests `file` or `open`. Only the one source of a module that names its page includes this header:
//
//   LANESCOPE_EXPORT_CALLS(lanescope::viz::TracePage)
//   LANESCOPE_EXPORT_FILE(lanescope::viz::TracePage)
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>

namespace lanescope::viz {

/// The module's page, which lives as long as the module.
template <typename Page> Page &exportedPage() {
  static Page page;
  return page;
}

inline std::string &answerOfLastCall() {
  static std::string answer;
  return answer;
}

} // namespace lanescope::viz

#define LANESCOPE_EXPORTED(name) extern "C" __attribute__((export_name(#name)))

#define LANESCOPE_EXPORT_CALLS(Page)                                                                                   \
  LANESCOPE_EXPORTED(lanescope_take) char *lanescope_take(size_t bytes) {                                              \
    return static_cast<char *>(std::malloc(bytes));                                                                    \
  }                                                                                                                    \
  LANESCOPE_EXPORTED(lanescope_call) const char *lanescope_call(char *request, size_t bytes) {                         \
    std::string text(request, bytes);                                                                                  \
    std::free(request);                                                                                                \
    std::string &answer = lanescope::viz::answerOfLastCall();                                                          \
    answer = lanescope::viz::exportedPage<Page>().call(text);                                                          \
    return answer.data();                                                                                              \
  }                                                                                                                    \
  LANESCOPE_EXPORTED(lanescope_size) size_t lanescope_size() { return lanescope::viz::answerOfLastCall().size(); }

#define LANESCOPE_EXPORT_FILE(Page)                                                                                    \
  LANESCOPE_EXPORTED(lanescope_file) char *lanescope_file(size_t bytes) {                                              \
    auto &file = lanescope::viz::exportedPage<Page>().file();                                                          \
    file.resize(bytes);                                                                                                \
    return reinterpret_cast<char *>(file.data());                                                                      \
  }
