// Sends the kernel calls of this process to whoever started it (docs/worker-protocol.md).
#pragma once

#include "core/gpu/runtime/Frames.h"
#include "repl/kernel/launch/Launches.h"
#include "repl/python/native/PythonApi.h"

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace lanescope::python {

/// A call is sent where its code is new, or it is at fault; of all others only their number is told.
class Reporter {
public:
  static Reporter &get();

  /// From now on calls go to the descriptor. `path` and `text`: the program's. `markValues`: kernels are compiled for a
  /// debugger.
  void begin(int descriptor, std::string path, std::string text, bool markValues);
  bool active() const { return descriptor_ >= 0; }
  /// On any thread.
  void launched(const repl::KernelLaunch &launch);
  /// The same of PTX from elsewhere, whose buffers are all outputs.
  void launched(const SourceRef &ptx, core::Launch launch, std::vector<core::Array> arrays,
                const core::RunResult &result);
  /// The text of a file of Python's, of the program as it runs; null where there is none. Read once.
  SourceRef textOf(const std::string &file);
  /// One message without raw bytes.
  void send(std::string_view json);
  uint64_t calls() const { return calls_; }
  uint64_t faults() const { return faults_; }

private:
  bool reports() const;
  void write(std::span<const std::byte> bytes);
  void sendFrame(const core::OutgoingFrame &frame);

  std::recursive_mutex mutex_;
  pid_t owner_ = -1; // the process that reports
  int descriptor_ = -1;
  uint64_t calls_ = 0, faults_ = 0, faultsSent_ = 0;
  std::set<std::string> known_; // kernels that were sent: names and PTX
  std::map<std::string, SourceRef> texts_;
};

/// report_to(descriptor, path, text, mark_values): begins. report(json): sends a message. reported(): (calls, faults).
PyObject *reportTo(PyObject *module, PyObject *arguments);
PyObject *report(PyObject *module, PyObject *json);
PyObject *reported(PyObject *module, PyObject *none);

} // namespace lanescope::python
