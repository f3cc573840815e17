// Sends the kernel calls of this process to the process that started it (docs/worker-protocol.md).
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

/// Sends a call if its code is new or if it has a fault. All other calls are only counted.
class Reporter {
public:
  static Reporter &get();

  /// Begins to write calls to the descriptor. `path` and `text` are the program's. `markValues` compiles kernels for a
  /// debugger.
  void begin(int descriptor, std::string path, std::string text, bool markValues);
  bool active() const { return descriptor_ >= 0; }
  /// Sends or counts a launch. Any thread may call this.
  void launched(const repl::KernelLaunch &launch);
  /// Sends or counts a launch of PTX from another compiler. All of its buffers count as outputs.
  void launched(const SourceRef &ptx, core::Launch launch, std::vector<core::Array> arrays,
                const core::RunResult &result);
  /// The text of a Python file, or of the program as it runs; null if there is no text. Each file is read once.
  SourceRef textOf(const std::string &file);
  /// Sends a message without raw bytes.
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
  std::set<std::string> known_; // names and PTX of kernels that were sent
  std::map<std::string, SourceRef> texts_;
};

/// report_to(descriptor, path, text, mark_values): begins to report. report(json): sends a message. reported(): the
/// pair (calls, faults).
PyObject *reportTo(PyObject *module, PyObject *arguments);
PyObject *report(PyObject *module, PyObject *json);
PyObject *reported(PyObject *module, PyObject *none);

} // namespace lanescope::python
