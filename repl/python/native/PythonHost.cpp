#include "repl/python/native/PythonHost.h"

#include "core/gpu/runtime/KernelCache.h"
#include "repl/python/native/NotebookPictures.h"
#include "repl/python/native/Support.h"

#include <atomic>
#include <csignal>
#include <sys/syscall.h>
#include <unistd.h>

namespace lanescope::python {
namespace {

// This variable needs no lock, so the signal handler may use it.
std::atomic<repl::Session *> listeningSession{nullptr};
struct sigaction formerAction{};

void onInterrupt(int signal) {
  if (repl::Session *session = listeningSession.load(std::memory_order_relaxed))
    session->interrupt();
  if (formerAction.sa_handler != SIG_DFL && formerAction.sa_handler != SIG_IGN)
    formerAction.sa_handler(signal); // Python raises KeyboardInterrupt after the call has returned
}

bool isMainThread() { return ::getpid() == static_cast<pid_t>(::syscall(SYS_gettid)); }

/// Sends the output of print() and show() to Python's sys.stdout, which notebooks replace.
void writeOutput(std::string_view text) {
  WithLock locked;
  PyObject *out = PySys_GetObject("stdout"); // a borrowed reference
  if (!out || out == Py_None)
    return;
  Ref words(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
  Ref done(words ? PyObject_CallMethod(out, "write", "O", words.get()) : nullptr);
  if (!done)
    PyErr_WriteUnraisable(out);
}

void warn(const Diagnostics &remarks) {
  WithLock locked;
  for (const Diagnostic &remark : remarks) {
    Ref done(callSupport("warn", toPython(remark)));
    if (!done)
      PyErr_Clear(); // a filter has turned the warning into an error, which must not end the run
  }
}

/// The sink of `show(…)`: true if a notebook shows the picture, so that no text is written.
bool showPicture(const repl::Shown &shown) {
  {
    WithLock locked;
    Ref wanted(callSupport("in_notebook"));
    if (wanted.get() != Py_True) {
      PyErr_Clear();
      return false;
    }
  }
  auto page = pageOf(shown);
  if (!page)
    return false;
  WithLock locked;
  Ref text(PyUnicode_DecodeUTF8(page->data(), static_cast<Py_ssize_t>(page->size()), "replace"));
  Ref done(callSupport("show_page", std::move(text)));
  PyErr_Clear();
  return static_cast<bool>(done);
}

repl::SessionOptions optionsOf() {
  repl::KernelOptions kernels;
  kernels.cacheFolder = core::KernelCache::defaultFolder();
  kernels.onLaunch = [](const repl::KernelLaunch &) { ++Host::launches; };
  kernels.maxLaunches = 0; // so that a program that calls kernels in a loop holds only the results that it keeps
  return {.kernels = std::move(kernels),
          .output = writeOutput,
          .onShow = showPicture,
          .remarks = Host::remark,
          .files = {.anywhere = true}};
}

} // namespace

Host &Host::get() {
  static Host *host = new Host(); // lives until the process ends, because values may outlive the module
  return *host;
}

thread_local Diagnostics *Host::findings = nullptr;
std::atomic<uint64_t> Host::launches = 0;

void Host::remark(const Diagnostics &remarks) {
  if (findings)
    findings->insert(findings->end(), remarks.begin(), remarks.end());
  else
    warn(remarks);
}

Host::Host() : session_(optionsOf()) {}

std::unexpected<Diagnostics> Host::failWithRaised(const Span &span) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback)
    PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  raised_.emplace_back(value);
  return error("python-exception", span, "a function of Python's raised an exception");
}

Ref Host::takeRaised() {
  if (raised_.empty())
    return {};
  Ref last = std::move(raised_.back());
  raised_.clear(); // exceptions that were caught on the way up are no longer needed
  return last;
}

Host::Listening::Listening(Host &host) : host_(host) {
  if (host_.depth_++ > 0 || !isMainThread())
    return;
  listeningSession = &host_.session_;
  struct sigaction action{};
  sigemptyset(&action.sa_mask);
  action.sa_handler = onInterrupt;
  installed_ = sigaction(SIGINT, &action, &formerAction) == 0;
}

Host::Listening::~Listening() {
  --host_.depth_;
  if (!installed_)
    return;
  sigaction(SIGINT, &formerAction, nullptr);
  listeningSession = nullptr;
}

} // namespace lanescope::python
