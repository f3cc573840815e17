#include "core/gpu/record/library/Compilers.h"

#include "core/gpu/record/Recorder.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core::record {

namespace {

// The functions of the libraries that the program loaded last. The first argument of each is a handle of its library.
using GetSize = int (*)(void *, size_t *);
using GetText = int (*)(void *, char *);
using Create = int (*)(void **, uint32_t, const char *const *);
using AddData = int (*)(void *, int, const void *, size_t, const char *);
using AddFile = int (*)(void *, int, const char *);
using Complete = int (*)(void *);
using GetCode = int (*)(void *, void *);
using Destroy = int (*)(void **);

struct Nvrtc {
  std::atomic<GetSize> ptxBytes, cubinBytes;
  std::atomic<GetText> ptx, cubin;
} nvrtc;

struct JitLink {
  std::atomic<Create> create;
  std::atomic<AddData> add;
  std::atomic<AddFile> addFile;
  std::atomic<Complete> complete;
  std::atomic<GetSize> cubinBytes, ptxBytes;
  std::atomic<GetCode> cubin;
  std::atomic<GetText> ptx;
  std::atomic<Destroy> destroy;
} jitLink;

/// The options and inputs of a linker of nvJitLink. With link-time optimisation (`-lto`) there is no PTX before the
/// link, and the linker returns either machine code or PTX. So the recorder links again, for the PTX.
struct LinkerInputs {
  struct Input {
    int type = 0;
    std::string data, name; // without data: `name` is a file's path
    bool file = false;
  };
  std::vector<std::string> options;
  std::vector<Input> inputs;
};
std::mutex linkersLock;
std::map<void *, LinkerInputs> linkers;

/// The PTX of a link with link-time optimisation; empty if there is none.
std::string linkAgain(LinkerInputs inputs) {
  std::string out;
  if (std::ranges::find(inputs.options, "-lto") == inputs.options.end() || !jitLink.complete || !jitLink.ptxBytes ||
      !jitLink.ptx || !jitLink.add || !jitLink.destroy)
    return out;
  inputs.options.emplace_back("-ptx");
  std::vector<const char *> options;
  for (const std::string &option : inputs.options)
    options.push_back(option.c_str());
  void *linker = nullptr;
  if (jitLink.create.load()(&linker, static_cast<uint32_t>(options.size()), options.data()) != 0)
    return out;
  bool good = true;
  for (const LinkerInputs::Input &each : inputs.inputs)
    good &=
        (each.file ? (jitLink.addFile ? jitLink.addFile.load()(linker, each.type, each.name.c_str()) : 1)
                   : jitLink.add.load()(linker, each.type, each.data.data(), each.data.size(), each.name.c_str())) == 0;
  size_t bytes = 0;
  if (good && jitLink.complete.load()(linker) == 0 && jitLink.ptxBytes.load()(linker, &bytes) == 0 && bytes) {
    out.resize(bytes);
    if (jitLink.ptx.load()(linker, out.data()) != 0)
      out.clear();
    out.resize(std::min(out.find('\0'), out.size()));
  }
  jitLink.destroy.load()(&linker);
  return out;
}

int getCubin(void *program, char *to) {
  int status = nvrtc.cubin.load()(program, to);
  size_t cubin = 0, ptx = 0;
  if (status != 0 || !nvrtc.ptx || !nvrtc.ptxBytes || !nvrtc.cubinBytes || nvrtc.cubinBytes.load()(program, &cubin) ||
      nvrtc.ptxBytes.load()(program, &ptx) || cubin == 0 || ptx <= 1)
    return status;
  std::string text(ptx, '\0');
  if (nvrtc.ptx.load()(program, text.data()) == 0) {
    text.resize(std::min(text.find('\0'), text.size()));
    Recorder::get().images.compiled(to, cubin, std::move(text));
  }
  return status;
}

int createLinker(void **linker, uint32_t count, const char *const *options) {
  int status = jitLink.create.load()(linker, count, options);
  if (status == 0 && linker) {
    std::lock_guard own(linkersLock);
    linkers[*linker] = {.options = {options, options + count}, .inputs = {}};
  }
  return status;
}

void note(void *linker, LinkerInputs::Input input) {
  std::lock_guard own(linkersLock);
  if (auto found = linkers.find(linker); found != linkers.end())
    found->second.inputs.push_back(std::move(input));
}

int addData(void *linker, int type, const void *data, size_t bytes, const char *name) {
  constexpr int kPtxInput = 2, kAnyInput = 10; // NVJITLINK_INPUT_PTX, NVJITLINK_INPUT_ANY
  int status = jitLink.add.load()(linker, type, data, bytes, name);
  if (status != 0 || !data)
    return status;
  std::string_view given(static_cast<const char *>(data), bytes);
  if (type == kPtxInput || (type == kAnyInput && given.contains(".entry")))
    Recorder::get().images.linkPtx(linker, data, bytes);
  note(linker, {type, std::string(given), name ? name : "", false});
  return status;
}

int addFile(void *linker, int type, const char *path) {
  int status = jitLink.addFile.load()(linker, type, path);
  if (status == 0 && path)
    note(linker, {type, {}, path, true});
  return status;
}

int getLinked(void *linker, void *to) {
  int status = jitLink.cubin.load()(linker, to);
  size_t bytes = 0;
  if (status != 0 || !jitLink.cubinBytes || jitLink.cubinBytes.load()(linker, &bytes) != 0 || bytes == 0)
    return status;
  LinkerInputs inputs;
  {
    std::lock_guard own(linkersLock);
    if (auto found = linkers.find(linker); found != linkers.end())
      inputs = found->second;
  }
  if (std::string ptx = linkAgain(std::move(inputs)); !ptx.empty())
    Recorder::get().images.compiled(to, bytes, std::move(ptx));
  else
    Recorder::get().images.linked(linker, to, bytes);
  return status;
}

int destroyLinker(void **linker) {
  if (linker) {
    Recorder::get().images.linkerEnds(*linker);
    std::lock_guard own(linkersLock);
    linkers.erase(*linker);
  }
  return jitLink.destroy.load()(linker);
}

/// The plain name of a versioned function: "nvJitLinkAddData" of "__nvJitLinkAddData_13_0".
std::string_view plainName(std::string_view symbol) {
  if (!symbol.starts_with("__nv"))
    return symbol;
  symbol.remove_prefix(2);
  return symbol.substr(0, symbol.find('_'));
}

/// Keeps the library's own function, and returns ours.
template <typename Function> void *instead(std::atomic<Function> &theirs, void *found, Function ours) {
  theirs = reinterpret_cast<Function>(found);
  return reinterpret_cast<void *>(ours);
}

} // namespace

void *compilerFunction(void *handle, const char *symbol, void *found) {
  std::string_view name = plainName(symbol);
  if (!found || !Recorder::get().active())
    return found;
  auto sibling = [&](auto &to, std::string_view plain) {
    std::string full(symbol);
    full.replace(full.find(name), name.size(), plain);
    to = reinterpret_cast<std::remove_reference_t<decltype(to)>::value_type>(systemSymbol(handle, full.c_str()));
  };
  if (name == "nvrtcGetCUBIN") {
    sibling(nvrtc.cubinBytes, "nvrtcGetCUBINSize");
    sibling(nvrtc.ptx, "nvrtcGetPTX");
    sibling(nvrtc.ptxBytes, "nvrtcGetPTXSize");
    return instead(nvrtc.cubin, found, &getCubin);
  }
  if (name == "nvJitLinkCreate") {
    sibling(jitLink.complete, "nvJitLinkComplete");
    sibling(jitLink.ptxBytes, "nvJitLinkGetLinkedPtxSize");
    sibling(jitLink.ptx, "nvJitLinkGetLinkedPtx");
    return instead(jitLink.create, found, &createLinker);
  }
  if (name == "nvJitLinkAddData")
    return instead(jitLink.add, found, &addData);
  if (name == "nvJitLinkAddFile")
    return instead(jitLink.addFile, found, &addFile);
  if (name == "nvJitLinkGetLinkedCubin") {
    sibling(jitLink.cubinBytes, "nvJitLinkGetLinkedCubinSize");
    return instead(jitLink.cubin, found, &getLinked);
  }
  if (name == "nvJitLinkDestroy")
    return instead(jitLink.destroy, found, &destroyLinker);
  return found;
}

} // namespace lanescope::core::record
