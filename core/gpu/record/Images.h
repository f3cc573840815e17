// The code that a program has loaded: the PTX of modules, libraries and their kernels, by the driver's handles.
//
//   images.loaded(module, pointer);               // after cuModuleLoadData
//   images.named(function, module, "scale");      // after cuModuleGetFunction
//   images.kernelOf(function)->ptx                // at a launch
//
// If the program loads only machine code, its PTX is found in three cases: a compiler left it in a file (beside the
// machine code in Triton's cache, or in a folder that the user names), the program passed it to a linker (the driver's,
// or nvJitLink), or NVRTC compiled the code.
#pragma once

#include "core/gpu/emulator/ptx/PtxModule.h"
#include "core/gpu/record/RealDriver.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lanescope::core::record {

/// PTX that is parsed on first use.
struct PtxImage {
  SourceRef source;
  size_t hash = 0; // the hash of its text
  // The file, if the PTX was found by its kernels' names alone. Another compilation may have these names, too.
  std::string byName;
  std::optional<emulator::Module> parsed;
  std::string problem;             // the reason why it cannot be parsed
  std::vector<uint64_t> addresses; // numbers in the instructions that may be addresses of the device; set by read()
  std::mutex lock;

  /// Returns null if the text cannot be parsed; `problem` then has the reason.
  const emulator::Module *read();
};

struct FoundPtx {
  std::string text;   // empty: none
  std::string byName; // PtxImage::byName
};

struct KernelImage {
  std::string name;
  void *module = nullptr;        // the handle of the module or library from which the program got the kernel
  std::shared_ptr<PtxImage> ptx; // null: `problem` has the reason
  std::string problem;
};

class Images {
public:
  /// `ptxFolders`: folders to search for PTX of machine code, in addition to Triton's caches.
  void lookIn(std::vector<std::string> ptxFolders) { ptxFolders_ = std::move(ptxFolders); }

  /// `image`: the caller's pointer, which the driver has just accepted.
  void loaded(void *module, const void *image);
  void loadedFile(void *module, const char *file);
  /// Forgets a module or library and its kernels.
  void unloaded(void *module);
  /// `ofLibrary`: the handle is a kernel of a library (cuLibraryGetKernel), not a function of a module.
  void named(void *function, void *module, const char *name, bool ofLibrary = false);
  /// Adds another handle of the same kernel (cuKernelGetFunction), or of the same module (cuLibraryGetModule).
  void sameKernel(void *function, void *kernel);
  void sameModule(void *module, void *library);
  /// Remembers the PTX that a compiler made together with machine code.
  void compiled(const void *cubin, size_t bytes, std::string ptx);
  /// Remembers the PTX that the program passes to a linker, and the machine code that the linker returns.
  void linkPtx(void *linker, const void *text, size_t bytes);
  void linked(void *linker, const void *cubin, size_t bytes);
  void linkerEnds(void *linker);

  /// Returns nothing if the recorder did not see the kernel being loaded.
  std::optional<KernelImage> kernelOf(void *function);

private:
  struct ModuleImage {
    std::vector<std::string> ptx;                           // one text per target and file (`nvcc -rdc=true`)
    std::vector<int> targets;                               // the target of each text: 90 for sm_90a
    std::vector<bool> specific;                             // for each text, true if its target ends in `a`, as sm_90a
    std::vector<std::byte> cubin;                           // machine code without a container
    std::map<size_t, std::shared_ptr<PtxImage>> chosen;     // the texts that kernels have used so far
    std::map<std::string, std::shared_ptr<PtxImage>> found; // the PTX of each kernel so far; null: none
    std::string problem;
  };

  std::shared_ptr<PtxImage> ptxOf(ModuleImage &module, const std::string &kernel);
  std::shared_ptr<PtxImage> imageOf(FoundPtx found, const std::string &kernel);
  /// Finds the kernel of a library whose function this is, by its name.
  void findLibraryKernel(void *function);

  std::mutex lock_;
  std::vector<std::string> ptxFolders_;
  std::map<void *, std::shared_ptr<ModuleImage>> modules_;
  std::map<void *, std::pair<void *, std::string>> kernels_; // module and name
  std::set<void *> libraryKernels_;
  using Texts = std::vector<std::string>;
  std::map<void *, Texts> linking_;
  std::map<std::vector<std::byte>, Texts> linkedPtx_; // keyed by machine code
};

/// The size of an ELF file in memory, as its headers state it; 0 if the image is not an ELF file.
size_t elfBytes(const void *image);
/// The names of the kernels in an ELF file of machine code.
std::set<std::string> entriesOf(const std::vector<std::byte> &cubin);
/// True if the PTX has the entry.
bool hasEntry(const std::string &text, const std::string &kernel);
/// Finds PTX that has the kernel: beside a file `KERNEL.cubin` with the same bytes in Triton's caches or in one of
/// `folders`, or the newest text in one of `folders` that has all kernels of the machine code, or else this kernel.
FoundPtx findPtx(const std::string &kernel, const std::vector<std::byte> &cubin,
                 const std::vector<std::string> &folders);

} // namespace lanescope::core::record
