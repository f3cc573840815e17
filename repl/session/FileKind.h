// What a file is, by its text first and its name second, and which command takes such a file: one table for all
// commands, so that a file given to the wrong one is answered by what it is and where it belongs.
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
  GpuModule,   // of Mosaic GPU, as JAX dumps it
  TpuModule,   // of a SparseCore
  OtherModule, // MLIR of neither
  Trace,
  PerfettoTrace, // Perfetto's own, binary
  ProtonTree,    // Proton's totals, without times
  Launch,        // a launch description
  Layout,
  WindowScript,
  Arrays,
  Notebook,
  CudaSource,
  MachineCode,
  Image, // PNG
  Picture,
  Folder,
  Empty,
  Text,  // none of these
  Bytes, // no text
};

FileKind fileKind(const SourceRef &source);

struct OpenedFile {
  SourceRef source;
  FileKind kind = FileKind::Text;
};
/// The PTX of a package (core/gpu/runtime/Package.h), which has its launch beside it; else the path as it is.
std::filesystem::path kernelOfPackage(const std::filesystem::path &path);
/// Reads the file that a command, "run", "open", …, was given. Errors: it cannot be read; the command does not take
/// such a file ("file-kind").
Result<OpenedFile> openFor(std::string_view command, const std::filesystem::path &path);

/// Whether an argument that may be something else, an expression or a layout, is the name of a file that is there.
bool namesFile(const std::string &argument);
/// Error where an argument that is no file by right is the name of one. `command` empty: no command was given.
Result<void> checkNoFile(std::string_view command, const std::string &argument);

} // namespace lanescope::repl
