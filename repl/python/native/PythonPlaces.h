// Converts places in a module that JAX lowered to the lines of Python that the module's locations name.
//
//   PythonPlaces places(module, {{}, {{"kernel.py", 13}, {"kernel.py", 40}}});   // line 2 was made by line 13
//   places.of(spanInLine2)      // the whole line 13 in kernel.py
//
// A place stays in the module if its line names no file that can be read.
#pragma once

#include "core/gpu/codegen/KernelStages.h"
#include "repl/python/native/PythonApi.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lanescope::python {

class PythonPlaces {
public:
  /// For each line of the module, the (file, line) of the code that made it, and then those of the calls that led
  /// there.
  using Lines = std::vector<std::vector<std::pair<std::string, uint32_t>>>;

  PythonPlaces() = default;
  PythonPlaces(SourceRef module, Lines lines) : module_(std::move(module)), lines_(std::move(lines)) {}

  Span of(const Span &span) const;
  /// The place of the kernel's call if the locations have it; otherwise a place without a source.
  Span call() const;
  /// The module's own text as a stage.
  core::Stage stage(core::StageKind kind) const;
  /// The stages with all places moved. The kernel's PTX then has `.loc` lines of the file from which most of it comes.
  core::KernelStages moved(core::KernelStages stages) const;
  Diagnostics moved(Diagnostics diagnostics) const;

private:
  void move(core::Stage &stage) const;
  void move(core::CompiledKernel &kernel) const;
  std::string mainFile() const;
  std::string movedLine(std::string_view line, const std::string &file) const;

  SourceRef module_;
  Lines lines_;
};

/// Reads a list that has a list of pairs (file, line) for each line of the module. Nothing with an exception set on
/// failure.
std::optional<PythonPlaces::Lines> readLines(PyObject *list);

} // namespace lanescope::python
