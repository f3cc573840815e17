// Finds a file's kind, by its text first and by its name second, and the commands that take this kind. All commands
// share one table, so that each can say what a wrong file is and which command takes it.
//
//   fileKind(source)                              FileKind::Ptx
//   openFor("run", "kernel.ptx")                  error: "kernel.ptx is PTX, and `run` takes …: `lanescope emulate …"
#pragma once

#include "layouts/support/Diagnostic.h"

#include <filesystem>
#include <string_view>

namespace lanescope::repl {

enum class FileKind : uint8_t {
  Snippet,
  Ptx,
  GpuModule,   // a Mosaic GPU module, as JAX dumps it
  TpuModule,   // a SparseCore module
  OtherModule, // other MLIR
  Trace,
  PerfettoTrace, // Perfetto's own binary format
  ProtonTree,    // Proton's totals, without times
  Launch,        // a description of a kernel's launch
  Layout,
  WindowScript,
  Arrays,
  Notebook,
  CudaSource,
  MachineCode,
  Image, // a PNG file
  Picture,
  Folder,
  Empty,
  Text,  // text of none of these kinds
  Bytes, // not text
};

FileKind fileKind(const SourceRef &source);

struct OpenedFile {
  SourceRef source;
  FileKind kind = FileKind::Text;
};
/// The path of the PTX file in a package (core/gpu/runtime/Package.h), beside which the launch lies. Any other path is
/// returned unchanged.
std::filesystem::path kernelOfPackage(const std::filesystem::path &path);
/// Reads a file for a command: "run", "open", …. Errors: it cannot be read; the command does not take its kind
/// ("file-kind").
Result<OpenedFile> openFor(std::string_view command, const std::filesystem::path &path);

/// True if an argument that may be an expression or a layout names an existing file.
bool namesFile(const std::string &argument);
/// Error if an argument that must not be a file names one. `command`: empty if no command was given.
Result<void> checkNoFile(std::string_view command, const std::string &argument);

} // namespace lanescope::repl
