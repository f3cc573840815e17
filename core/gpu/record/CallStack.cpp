#include "core/gpu/record/Recorder.h"
#include "layouts/support/Text.h"

#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lanescope::core::record {

namespace {

constexpr int kMostFrames = 64;
constexpr size_t kMostText = 1 << 16;

std::string nameOf(const Dl_info &where, const void *address) {
  auto behind = [&](const void *begin) {
    return static_cast<const char *>(address) - static_cast<const char *>(begin);
  };
  std::string file = where.dli_fname ? where.dli_fname : "";
  if (!where.dli_sname)
    return text(file, "+", behind(where.dli_fbase));
  int status = 0;
  char *readable = abi::__cxa_demangle(where.dli_sname, nullptr, nullptr, &status);
  std::string out = text(readable ? readable : where.dli_sname, "+", behind(where.dli_saddr), " (", file, ")");
  std::free(readable);
  return out;
}

} // namespace

std::vector<std::string> callStack() {
  void *frames[kMostFrames];
  int count = ::backtrace(frames, kMostFrames);
  Dl_info own{};
  ::dladdr(reinterpret_cast<void *>(&callStack), &own);
  std::vector<std::string> out;
  for (int n = 0; n < count; ++n) {
    Dl_info where{};
    if (::dladdr(frames[n], &where) == 0 || where.dli_fbase == own.dli_fbase)
      continue; // skip the recorder itself
    out.push_back(nameOf(where, frames[n]));
  }
  return out;
}

std::vector<std::string> pythonStack() {
  using ThreadState = void *(*)();
  using Dump = void (*)(int, void *);
  static const auto state = reinterpret_cast<ThreadState>(systemSymbol(RTLD_DEFAULT, "PyGILState_GetThisThreadState"));
  static const auto dump = reinterpret_cast<Dump>(systemSymbol(RTLD_DEFAULT, "_Py_DumpTraceback"));
  void *thread = state && dump ? state() : nullptr;
  int file = thread ? ::memfd_create("traceback", MFD_CLOEXEC) : -1;
  if (file < 0)
    return {};
  dump(file, thread);
  std::string all(kMostText, '\0');
  ssize_t bytes = ::pread(file, all.data(), all.size(), 0);
  ::close(file);
  all.resize(bytes > 0 ? static_cast<size_t>(bytes) : 0);
  std::vector<std::string> out;
  for (size_t at = 0; at < all.size();) {
    size_t end = std::min(all.find('\n', at), all.size());
    if (std::string_view line = std::string_view(all).substr(at, end - at); line.starts_with("  "))
      out.emplace_back(line.substr(2));
    at = end + 1;
  }
  return out;
}

} // namespace lanescope::core::record
