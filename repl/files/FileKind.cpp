#include "repl/files/FileKind.h"

#include "core/data/Files.h"
#include "core/gpu/ir/DumpListing.h"
#include "core/tpu/ir/TpuModule.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <array>
#include <string>

namespace lanescope::repl {

namespace {

namespace fs = std::filesystem;

struct Row {
  FileKind kind;
  std::string_view what;
  std::string_view takers; // the commands that take the kind
  std::string_view advice; // advice for the user, in which `@` stands for the file's name
};

// Commands that take Text and OtherModule try to parse them and report the errors.
constexpr Row kRows[] = {
    {FileKind::Snippet, "a snippet", "run compile check debug gui",
     "`lanescope run @` runs it, `lanescope compile @ --emit ptx` shows what it becomes, `lanescope check @` looks for "
     "mistakes, `lanescope gui @` opens it"},
    {FileKind::Ptx, "PTX", "emulate check debug gui",
     "`lanescope emulate @ --launch launch.json` runs it on the emulator, `lanescope check @ --launch launch.json` "
     "reports what it does wrong (docs/launch.md)"},
    {FileKind::GpuModule, "a module of Mosaic GPU, as JAX dumps it", "run compile open gui",
     "`lanescope open @` shows its operations and layouts, `lanescope run @` runs it"},
    {FileKind::TpuModule, "a SparseCore's module", "emulate open gui",
     "`lanescope emulate @ --inputs a.npy -o results` runs it, `lanescope open @` shows its operations"},
    {FileKind::OtherModule, "an MLIR module without operations of Mosaic GPU or of a SparseCore",
     "run compile open emulate gui", "`lanescope open` reads modules of these two"},
    {FileKind::Trace, "a trace", "trace gui", "`lanescope trace @` shows it, `lanescope gui @` opens it"},
    {FileKind::PerfettoTrace, "Perfetto's binary trace", "",
     "Perfetto's `traceconv json @ trace.json` makes JSON of it, which `lanescope trace` reads"},
    {FileKind::ProtonTree, "a tree of totals by Proton, without the times at which things happened", "",
     "Proton records these with `proton.start(…, data=\"trace\")`; `lanescope trace` reads what that writes"},
    {FileKind::Launch, "a launch description", "gui",
     "it goes with the PTX that it is for: `lanescope emulate kernel.ptx --launch @`"},
    {FileKind::Layout, "a layout's text", "show gui", "`lanescope show @` draws it, `lanescope gui @` opens it"},
    {FileKind::WindowScript, "a script for the window", "", "`lanescope gui --script @` runs it"},
    {FileKind::Arrays, "arrays of NumPy", "gui",
     "`lanescope gui @` shows them, and a snippet reads them: `x = load(\"@\")`"},
    {FileKind::Notebook, "a notebook", "", "save its cells as a Python file, and `lanescope run` that"},
    {FileKind::CudaSource, "CUDA C++", "",
     "`nvcc -ptx @` makes PTX of it, which `lanescope emulate` and `lanescope check` take"},
    {FileKind::MachineCode, "machine code", "",
     "`cuobjdump -xptx all @` takes out the PTX that was kept in it, if any"},
    {FileKind::Image, "an image", "gui", "`lanescope gui @` shows it, pixel by pixel"},
    {FileKind::Picture, "a picture", "", "an image viewer shows it; of pictures, PNG images open in the window"},
    {FileKind::Folder, "a folder", "open check gui",
     "`lanescope open @` reads what JAX dumped there, `lanescope check @` checks the PTX in it"},
    {FileKind::Empty, "empty", "run compile", "there is nothing to read"},
    {FileKind::Text, "text of an unknown kind", "run compile show gui",
     "these are snippets (.py), PTX, modules that JAX dumped, traces and layouts"},
    {FileKind::Bytes, "no text", "",
     "Lanescope reads snippets (.py), PTX, modules that JAX dumped, traces and layouts"},
};

const Row &rowOf(FileKind kind) { return *std::ranges::find(kRows, kind, &Row::kind); }

bool takes(std::string_view command, FileKind kind) {
  std::string_view rest = rowOf(kind).takers;
  while (!rest.empty()) {
    size_t end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == command)
      return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::string adviceFor(FileKind kind, const std::string &file) {
  std::string out(rowOf(kind).advice);
  for (size_t at = out.find('@'); at != std::string::npos; at = out.find('@', at + file.size()))
    out.replace(at, 1, file);
  return out;
}

std::unexpected<Diagnostics> wrongKind(std::string_view command, FileKind kind, const SourceRef &source) {
  const std::string &file = source->name();
  std::string refused = command.empty() ? std::string() : text(", which `lanescope ", command, "` does not take");
  SourceRef nameAlone = Source::make(file, ""); // without a text, since the file's first line would not help
  return error("file-kind", {nameAlone, 0, 0},
               Message("this is {}{}: {}", rowOf(kind).what, refused, adviceFor(kind, file)));
}

bool startsALine(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    size_t line = at;
    while (line > 0 && (text[line - 1] == ' ' || text[line - 1] == '\t'))
      --line;
    if (line == 0 || text[line - 1] == '\n')
      return true;
  }
  return false;
}

bool isBytes(std::string_view text) {
  constexpr size_t kLooked = 4096;           // number of bytes that decide whether a file is text
  size_t last = text.find_last_not_of('\0'); // NVRTC's buffers end in NUL bytes
  return text.substr(0, last == std::string_view::npos ? kLooked : std::min(kLooked, last)).contains('\0');
}

FileKind kindOfBytes(std::string_view text) {
  using Sign = std::pair<std::string_view, FileKind>;
  constexpr std::array kSigns = {Sign{"\x93NUMPY", FileKind::Arrays},
                                 // A fatbin, a container of machine code.
                                 Sign{"\x50\xed\x55\xba", FileKind::MachineCode}, Sign{"PK\x03\x04", FileKind::Arrays},
                                 Sign{"\x7f"
                                      "ELF",
                                      FileKind::MachineCode},
                                 Sign{"\x89PNG", FileKind::Image}, Sign{"%PDF", FileKind::Picture},
                                 Sign{"\xff\xd8\xff", FileKind::Picture}, Sign{"\x1f\x8b", FileKind::Trace}};
  for (const auto &[sign, kind] : kSigns)
    if (text.starts_with(sign))
      return kind;
  if (text.starts_with('\n') && isBytes(text)) // the first field is a packet, whose tag is '\n'
    return FileKind::PerfettoTrace;
  return isBytes(text) ? FileKind::Bytes : FileKind::Text;
}

FileKind kindOfJson(std::string_view text) {
  if (text.find("\"traceEvents\"") != std::string_view::npos || text.find("\"ph\"") != std::string_view::npos)
    return FileKind::Trace;
  if (text.find("\"entry\"") != std::string_view::npos && text.find("\"params\"") != std::string_view::npos)
    return FileKind::Launch;
  if (text.find("\"frame\"") != std::string_view::npos && text.find("\"metrics\"") != std::string_view::npos)
    return FileKind::ProtonTree;
  return text.find("\"cells\"") != std::string_view::npos ? FileKind::Notebook : FileKind::Text;
}

FileKind kindOfText(std::string_view text, std::string_view extension) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark))
    text.remove_prefix(kByteOrderMark.size());
  if (startsALine(text, ".version") && startsALine(text, ".target"))
    return FileKind::Ptx;
  size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) // the file has nothing but a byte order mark and blanks
    return FileKind::Empty;
  std::string_view begin = text.substr(first);
  if ((begin.front() == '{' || begin.front() == '[') && extension != ".layout")
    if (FileKind json = kindOfJson(text); json != FileKind::Text)
      return json;
  bool module = startsALine(text, "module") || startsALine(text, "\"builtin.module\"") ||
                startsALine(text, "func.func") || startsALine(text, "\"func.func\"");
  if ((module || extension == ".mlir" || extension == ".txt") && core::looksLikeDump(text))
    return FileKind::GpuModule;
  if ((module || extension == ".mlir") && core::looksLikeTpuModule(text))
    return FileKind::TpuModule;
  if (module || extension == ".mlir")
    return FileKind::OtherModule;
  if (begin.starts_with("<svg") || begin.starts_with("<?xml"))
    return FileKind::Picture;
  if (text.find("__global__") != std::string_view::npos || startsALine(text, "#include"))
    return FileKind::CudaSource;
  bool python = startsALine(text, "import ") || startsALine(text, "from ") || startsALine(text, "def ") ||
                startsALine(text, "@kernel");
  return python ? FileKind::Snippet : FileKind::Text;
}

/// The role of a file of this kind, which limits its size.
core::FileRole roleOf(FileKind kind) {
  using enum FileKind;
  switch (kind) {
  case Snippet: return core::FileRole::Snippet;
  case Ptx: return core::FileRole::Ptx;
  case GpuModule:
  case TpuModule:
  case OtherModule: return core::FileRole::Module;
  case Launch: return core::FileRole::Json;
  case WindowScript: return core::FileRole::Script;
  case Layout:
  case Text:
  case CudaSource: return core::FileRole::Text;
  default: return core::FileRole::Trace; // also for kinds that no command parses
  }
}

} // namespace

FileKind fileKind(const SourceRef &source) {
  std::string_view text = source->text();
  std::string extension = fs::path(source->name()).extension().string();
  // The PTX is damaged; the parser reports the place.
  bool damaged = extension == ".ptx" && startsALine(text, ".version");
  if (FileKind bytes = kindOfBytes(text); bytes != FileKind::Text && !(damaged && bytes == FileKind::Bytes))
    return bytes;
  using Ending = std::pair<std::string_view, FileKind>;
  // The strings of a snippet may contain any text, so the ending decides that a file is a snippet. The other endings
  // decide too, even for a damaged file.
  constexpr std::array kEndings = {Ending{".py", FileKind::Snippet}, Ending{".ptx", FileKind::Ptx},
                                   Ending{".layout", FileKind::Layout}, Ending{".gui", FileKind::WindowScript}};
  for (const auto &[ending, kind] : kEndings)
    if (extension == ending)
      return kind;
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos ? FileKind::Empty : kindOfText(text, extension);
}

fs::path kernelOfPackage(const fs::path &path) {
  std::error_code ignored;
  for (const char *file :
       // A dump's folder may have the first two beside its module, but not meta.json.
       {"kernel.ptx", "launch.json", "meta.json"})
    if (!fs::exists(path / file, ignored))
      return path;
  return path / "kernel.ptx";
}

Result<OpenedFile> openFor(std::string_view command, const fs::path &path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    SourceRef folder = Source::make(path.string(), "");
    if (!takes(command, FileKind::Folder))
      return wrongKind(command, FileKind::Folder, folder);
    return OpenedFile{folder, FileKind::Folder};
  }
  SourceRef source = LANESCOPE_TRY(core::readSource(path, core::FileRole::Trace)); // this role has the largest limit
  FileKind kind = fileKind(source);
  LANESCOPE_CHECK(core::checkSize(path, source->text().size(), roleOf(kind)));
  // A snippet may have any ending except these, which belong to other texts.
  constexpr std::array<std::string_view, 5> kNoPrograms = {".txt", ".md", ".log", ".csv", ".html"};
  bool prose = kind == FileKind::Text && std::ranges::find(kNoPrograms, path.extension()) != kNoPrograms.end();
  if (!takes(command, kind) || (prose && (command == "run" || command == "compile")))
    return wrongKind(command, kind, source);
  return OpenedFile{source, kind};
}

bool namesFile(const std::string &argument) {
  std::error_code ignored;
  constexpr size_t kLongestName = 4096;
  return argument.size() <= kLongestName && fs::is_regular_file(argument, ignored);
}

Result<void> checkNoFile(std::string_view command, const std::string &argument) {
  if (!namesFile(argument))
    return {};
  auto source = core::readSource(argument, core::FileRole::Trace);
  if (!source)
    return {};
  return wrongKind(command, fileKind(*source), *source);
}

} // namespace lanescope::repl
