#include "core/gpu/codegen/Assembler.h"

#include "core/gpu/runtime/CudaTools.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace lanescope::core {

namespace {

constexpr unsigned kToolSeconds = 120;

/// A temporary file that is removed by the destructor.
class TemporaryFile {
public:
  explicit TemporaryFile(llvm::StringRef suffix) {
    valid_ = !llvm::sys::fs::createTemporaryFile("lanescope", suffix, path_);
  }
  ~TemporaryFile() {
    if (valid_)
      (void)llvm::sys::fs::remove(path_); // a file that stays does no harm
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  bool valid() const { return valid_; }
  llvm::StringRef path() const { return path_; }
  bool write(llvm::StringRef bytes) const {
    std::error_code problem;
    llvm::raw_fd_ostream stream(path_, problem);
    if (problem)
      return false;
    stream << bytes;
    stream.close();
    bool failed = stream.has_error();
    stream.clear_error();
    return !failed;
  }
  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path_, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }

private:
  llvm::SmallString<128> path_;
  bool valid_ = false;
};

std::unexpected<Diagnostics> noTemporaries() {
  return error("unwritable-file", "a temporary file could not be written; check the space and the rights of the "
                                  "temporary directory");
}

std::unexpected<Diagnostics> missing(std::string_view tool) {
  return error(tool == "ptxas" ? "no-ptxas" : "no-nvdisasm",
               text("`", tool,
                    "` was not found; it comes with the CUDA toolkit, which must be on the "
                    "PATH or in /usr/local/cuda"));
}

/// Runs a tool; its standard output goes to `out`, its errors to `problems`.
Result<void> runTool(const std::string &tool, llvm::ArrayRef<llvm::StringRef> arguments, llvm::StringRef kind,
                     const TemporaryFile &out, const TemporaryFile &problems) {
  std::string failure;
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), out.path(), problems.path()};
  int status = llvm::sys::ExecuteAndWait(tool, arguments, std::nullopt, redirects, kToolSeconds, 0, &failure);
  if (status == 0)
    return {};
  std::string said = problems.read() + out.read();
  while (!said.empty() && said.back() == '\n')
    said.pop_back();
  return error(kind.str(), text("`", tool, "` failed: ", failure.empty() ? said : failure));
}

struct Assembled {
  std::string cubin, said;
};

Result<Assembled> assembled(const std::string &ptx, std::string_view arch) {
  std::string tool = findCudaTool("ptxas");
  if (tool.empty())
    return missing("ptxas");
  TemporaryFile input("ptx"), output("cubin"), said("txt"), problems("txt");
  if (!input.valid() || !output.valid() || !said.valid() || !problems.valid() || !input.write(ptx))
    return noTemporaries();
  std::string target = text("-arch=", arch);
  LANESCOPE_CHECK(runTool(tool, {tool, target, "-v", "-lineinfo", input.path(), "-o", output.path()}, "ptx-rejected",
                          said, problems));
  return Assembled{output.read(), said.read() + problems.read()};
}

} // namespace

Result<std::string> assemble(const std::string &ptx, std::string_view arch) {
  return LANESCOPE_TRY(assembled(ptx, arch)).cubin;
}

std::optional<AssemblyReport> parseAssemblyReport(std::string_view said) {
  // "Used 168 registers, used 1 barriers, 1024 bytes smem"; "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill
  // loads".
  auto numberBefore = [&](std::string_view word) -> std::optional<int64_t> {
    size_t at = said.find(word);
    if (at == std::string_view::npos)
      return std::nullopt;
    size_t begin = at;
    while (begin > 0 && said[begin - 1] >= '0' && said[begin - 1] <= '9')
      --begin;
    return parseInteger<int64_t>(said.substr(begin, at - begin));
  };
  auto registers = numberBefore(" registers");
  if (!registers)
    return std::nullopt;
  return AssemblyReport{.registers = *registers,
                        .spillStoreBytes = numberBefore(" bytes spill stores").value_or(0),
                        .spillLoadBytes = numberBefore(" bytes spill loads").value_or(0),
                        .staticSharedBytes = numberBefore(" bytes smem").value_or(0)};
}

Result<AssemblyReport> assemblyReport(const std::string &ptx, std::string_view arch) {
  Assembled done = LANESCOPE_TRY(assembled(ptx, arch));
  auto report = parseAssemblyReport(done.said);
  if (!report)
    return error("ptx-rejected", "`ptxas` says nothing of the kernel's registers");
  return *report;
}

Result<std::string> disassemble(const std::string &cubin) {
  std::string tool = findCudaTool("nvdisasm");
  if (tool.empty())
    return missing("nvdisasm");
  TemporaryFile input("cubin"), said("txt"), problems("txt");
  if (!input.valid() || !said.valid() || !problems.valid() || !input.write(cubin))
    return noTemporaries();
  auto done = runTool(tool, {tool, "-c", "-ndf", "-g", "-gp", input.path()}, "nvdisasm", said, problems);
  if (!done)
    return std::unexpected(done.error());
  return said.read();
}

} // namespace lanescope::core
