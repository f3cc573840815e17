#include "core/gpu/record/Images.h"

#include "core/gpu/driver/FatBinary.h"
#include "core/gpu/emulator/ptx/PtxParser.h"
#include "core/gpu/record/Snapshot.h"
#include "layouts/support/Text.h"

#include <cstring>
#include <elf.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <tuple>

namespace lanescope::core::record {

namespace {

constexpr char kMachineCode[] = "only machine code: build it with PTX, or name a folder with its PTX (`--ptx`)";

std::vector<std::byte> bytesAt(const void *from, size_t size) {
  const auto *bytes = static_cast<const std::byte *>(from);
  return {bytes, bytes + size};
}

/// The compute capability of the current device, such as 90.
int currentGpu() {
  Device device = 0;
  int major = 0, minor = 0;
  if (!real().ctxGetDevice || real().ctxGetDevice(&device))
    return 0;
  real().deviceGetAttribute(&major, 75, device);
  real().deviceGetAttribute(&minor, 76, device);
  return major * 10 + minor;
}

} // namespace

/// Finds the numbers in an operand that may be addresses of the device.
static void collectAddresses(const emulator::Operand &operand, std::vector<uint64_t> &out) {
  if (operand.kind == emulator::Operand::Kind::Integer && mayBeAddress(operand.bits))
    out.push_back(operand.bits);
  for (const emulator::Operand &part : operand.parts)
    collectAddresses(part, out);
}

const emulator::Module *PtxImage::read() {
  std::lock_guard own(lock);
  if (!parsed && problem.empty()) {
    auto module = emulator::parsePtx(source);
    if (module) {
      parsed = *std::move(module);
      for (const emulator::Function &function : parsed->functions)
        for (const emulator::Instruction &instruction : function.instructions)
          for (const emulator::Operand &operand : instruction.operands)
            collectAddresses(operand, addresses);
    } else
      problem = text("its PTX cannot be read: ", module.error().front().message);
  }
  return parsed ? &*parsed : nullptr;
}

size_t elfBytes(const void *image) {
  if (std::strncmp(static_cast<const char *>(image), ELFMAG, SELFMAG) != 0)
    return 0;
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  const auto *bytes = static_cast<const std::byte *>(image);
  size_t end = std::max(header.e_shoff + size_t{header.e_shentsize} * header.e_shnum,
                        header.e_phoff + size_t{header.e_phentsize} * header.e_phnum);
  for (size_t n = 0; n < header.e_shnum; ++n) {
    Elf64_Shdr section;
    std::memcpy(&section, bytes + header.e_shoff + n * header.e_shentsize, sizeof section);
    if (section.sh_type != SHT_NOBITS)
      end = std::max<size_t>(end, section.sh_offset + section.sh_size);
  }
  return end;
}

void Images::loaded(void *module, const void *image) {
  auto made = std::make_shared<ModuleImage>();
  if (size_t bytes = elfBytes(image)) {
    made->cubin = bytesAt(image, bytes);
  } else if (auto read = readImage(image)) {
    for (PtxText &each : read->ptx) {
      made->ptx.push_back(std::move(each.text));
      made->targets.push_back(each.target);
      made->specific.push_back(each.specific);
    }
    if (made->ptx.empty())
      made->problem = kMachineCode;
  } else {
    made->problem = read.error().front().message;
  }
  std::lock_guard own(lock_);
  modules_[module] = std::move(made);
}

void Images::loadedFile(void *module, const char *file) {
  std::ifstream in(file, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(in), {}};
  if (content.size() >= sizeof(Elf64_Ehdr)) // the string ends with a zero byte, as a text image must
    loaded(module, content.c_str());
}

void Images::unloaded(void *module) {
  std::lock_guard own(lock_);
  modules_.erase(module);
  std::erase_if(kernels_, [&](const auto &each) {
    bool is = each.second.first == module;
    if (is)
      libraryKernels_.erase(each.first);
    return is;
  });
}

void Images::named(void *function, void *module, const char *name, bool ofLibrary) {
  std::lock_guard own(lock_);
  if (ofLibrary)
    libraryKernels_.insert(function);
  else
    libraryKernels_.erase(function);
  kernels_[function] = {module, name};
}

void Images::sameKernel(void *function, void *kernel) {
  std::lock_guard own(lock_);
  if (auto found = kernels_.find(kernel); found != kernels_.end()) {
    auto copy = found->second;
    kernels_[function] = std::move(copy);
  }
}

void Images::sameModule(void *module, void *library) {
  std::lock_guard own(lock_);
  if (auto found = modules_.find(library); found != modules_.end()) {
    auto copy = found->second;
    modules_[module] = std::move(copy);
  }
}

void Images::linkPtx(void *linker, const void *from, size_t bytes) {
  std::string_view given(static_cast<const char *>(from), bytes);
  std::lock_guard own(lock_);
  linking_[linker].emplace_back(given.substr(0, given.find('\0')));
}

void Images::compiled(const void *cubin, size_t bytes, std::string ptx) {
  std::lock_guard own(lock_);
  linkedPtx_[bytesAt(cubin, bytes)] = {std::move(ptx)};
}

void Images::linked(void *linker, const void *cubin, size_t bytes) {
  std::lock_guard own(lock_);
  if (auto found = linking_.find(linker); found != linking_.end() && cubin)
    linkedPtx_[bytesAt(cubin, bytes)] = found->second;
}

void Images::linkerEnds(void *linker) {
  std::lock_guard own(lock_);
  linking_.erase(linker);
}

std::shared_ptr<PtxImage> Images::imageOf(FoundPtx found, const std::string &kernel) {
  auto out = std::make_shared<PtxImage>();
  out->hash = std::hash<std::string>()(found.text);
  out->byName = std::move(found.byName);
  out->source = Source::make(kernel + ".ptx", std::move(found.text));
  return out;
}

std::shared_ptr<PtxImage> Images::ptxOf(ModuleImage &module, const std::string &kernel) {
  if (!module.cubin.empty()) {
    auto known = module.found.find(kernel);
    for (auto each = module.found.begin(); known == module.found.end() && each != module.found.end(); ++each)
      if (each->second && hasEntry(each->second->source->text(), kernel))
        known = module.found.emplace(kernel, each->second).first;
    if (known != module.found.end())
      return known->second;
    FoundPtx found;
    for (const auto &[cubin, texts] : linkedPtx_) // the driver's linker may report a size that is rounded up
      if (cubin.size() >= module.cubin.size() &&
          std::memcmp(cubin.data(), module.cubin.data(), module.cubin.size()) == 0)
        for (const std::string &text : texts)
          if (hasEntry(text, kernel))
            found = {text, {}};
    if (found.text.empty())
      found = findPtx(kernel, module.cubin, ptxFolders_);
    if (found.text.empty())
      module.problem = kMachineCode;
    return module.found[kernel] = found.text.empty() ? nullptr : imageOf(std::move(found), kernel);
  }
  if (auto known = module.found.find(kernel); known != module.found.end())
    return known->second;
  // The newest text that the GPU can run. Files that were compiled apart have a text each, of which one has the kernel.
  int gpu = currentGpu();
  std::optional<size_t> best;
  auto rank = [&](size_t n) {
    return std::tuple(module.targets[n], bool(module.specific[n]), hasEntry(module.ptx[n], kernel));
  };
  for (size_t n = 0; n < module.ptx.size(); ++n) {
    bool fits = gpu == 0 || (module.targets[n] <= gpu && (!module.specific[n] || module.targets[n] / 10 == gpu / 10));
    if (fits && (!best || rank(n) > rank(*best)))
      best = n;
  }
  std::shared_ptr<PtxImage> image;
  if (best) {
    std::shared_ptr<PtxImage> &chosen = module.chosen[*best];
    if (!chosen)
      chosen = imageOf({module.ptx[*best], {}}, kernel);
    image = chosen;
  } else if (module.problem.empty()) {
    module.problem = "its PTX is for other GPUs";
  }
  return module.found[kernel] = std::move(image);
}

void Images::findLibraryKernel(void *function) {
  const char *name = nullptr;
  if (!real().funcGetName || !real().kernelGetFunction || !function ||
      real().funcGetName(&name, static_cast<Function *>(function)) != kSuccess || !name)
    return;
  for (void *kernel : libraryKernels_) {
    Function *its = nullptr;
    auto known = kernels_.find(kernel);
    if (known != kernels_.end() && known->second.second == name &&
        real().kernelGetFunction(&its, static_cast<Function *>(kernel)) == kSuccess && its == function) {
      kernels_[function] = std::pair(known->second);
      return;
    }
  }
}

std::optional<KernelImage> Images::kernelOf(void *function) {
  Module *owner = nullptr;
  std::lock_guard own(lock_);
  if (!kernels_.contains(function))
    findLibraryKernel(function);
  auto found = kernels_.find(function);
  if (found == kernels_.end())
    return std::nullopt;
  KernelImage out{.name = found->second.second, .module = found->second.first, .ptx = nullptr, .problem = {}};
  auto module = modules_.find(out.module);
  if (module == modules_.end() && real().funcGetModule &&
      real().funcGetModule(&owner, static_cast<Function *>(function)) == kSuccess)
    module = modules_.find(owner);
  if (module == modules_.end()) {
    out.problem = "its module was loaded in a way that is not followed";
    return out;
  }
  out.ptx = ptxOf(*module->second, out.name);
  out.problem = module->second->problem;
  return out;
}

} // namespace lanescope::core::record
