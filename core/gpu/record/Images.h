// The code that a program has loaded: the PTX of modules, libraries and their kernels, by the driver's handles.
//
//   images.loaded(module, pointer);               // after cuModuleLoadData
//   images.named(function, module, "scale");      // after cuModuleGetFunction
//   images.kernelOf(function)->ptx                // at a launch
//
// Machine code alone has no PTX; where a compiler has left it in a file beside the machine code (Triton's cache), or
// the program has given it to the driver's linker, it is found there.
#pragma once

#include "core/gpu/emulator/ptx/PtxModule.h"
#include "core/gpu/record/RealDriver.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::core::record {

/// PTX, read when it is first asked for.
struct PtxImage {
  SourceRef source;
  size_t hash = 0; // hash of its text
  std::optional<emulator::Module> parsed;
  std::string problem; // why it cannot be read
  std::mutex lock;

  /// Null: `problem` says why.
  const emulator::Module *read();
};

struct KernelImage {
  std::string name;
  void *module = nullptr;        // the handle that it was found in
  std::shared_ptr<PtxImage> ptx; // null: `problem` says why
  std::string problem;
};

class Images {
public:
  /// `ptxFolders`: where PTX of machine code is looked for, beside Triton's caches.
  void lookIn(std::vector<std::string> ptxFolders) { ptxFolders_ = std::move(ptxFolders); }

  /// `image` is the caller's, as the driver has just taken it.
  void loaded(void *module, const void *image);
  void loadedFile(void *module, const char *file);
  /// Forgets a module or library and its kernels.
  void unloaded(void *module);
  void named(void *function, void *module, const char *name);
  /// Another handle of the same kernel (cuKernelGetFunction), or of the same module (cuLibraryGetModule).
  void sameKernel(void *function, void *kernel);
  void sameModule(void *module, void *library);
  /// PTX that is given to the driver's linker, and the machine code that it makes of it.
  void linkPtx(void *linker, const void *text, size_t bytes);
  void linked(void *linker, const void *cubin, size_t bytes);
  void linkerEnds(void *linker);

  /// Nothing: a kernel whose loading was not seen.
  std::optional<KernelImage> kernelOf(void *function);

private:
  struct ModuleImage {
    std::vector<std::string> ptx;     // one text for each target
    std::vector<int> targets;         // 90 of sm_90, of each
    std::vector<bool> specific;       // sm_90a
    std::vector<std::byte> cubin;     // machine code by itself
    std::shared_ptr<PtxImage> chosen; // for the current GPU, or found for the cubin
    std::string problem;
    bool looked = false;
  };

  std::shared_ptr<PtxImage> ptxOf(ModuleImage &module, const std::string &kernel);
  std::shared_ptr<PtxImage> imageOf(std::string text, const std::string &kernel);

  std::mutex lock_;
  std::vector<std::string> ptxFolders_;
  std::map<void *, std::shared_ptr<ModuleImage>> modules_;
  std::map<void *, std::pair<void *, std::string>> kernels_; // module and name
  std::map<void *, std::string> linking_;
  std::map<std::vector<std::byte>, std::string> linkedPtx_; // by machine code
};

/// The bytes of an ELF file in memory, by its own headers; 0: it is none.
size_t elfBytes(const void *image);
/// PTX with that kernel: beside a file `KERNEL.cubin` of the same bytes in Triton's caches, or in one of `folders`.
/// Empty: there is none.
std::string findPtx(const std::string &kernel, const std::vector<std::byte> &cubin,
                    const std::vector<std::string> &folders);

} // namespace lanescope::core::record
