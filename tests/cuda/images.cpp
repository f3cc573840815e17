// Images: fat binaries with PTX for several architectures, with and without LZ4 compression; images with machine code
// only; invalid PTX.
#include "tests/cuda/CudaProgram.h"

#include <cstring>
#include <string>
#include <utility>

using namespace program;

static std::string ptxOf(const char *target, int value) {
  return std::string(".version 8.0\n.target ") + target +
         "\n.address_size 64\n.visible .entry give(.param .u64 to) { .reg .b64 %rd<2>; ld.param.u64 %rd1, [to]; "
         "st.global.u32 [%rd1], " +
         std::to_string(value) + "; ret; }\n";
}

/// An LZ4 block with one run of literals.
static std::string compressed(const std::string &text) {
  std::string out(1, char(0xf0));
  size_t rest = text.size() - 15;
  for (; rest >= 255; rest -= 255)
    out += char(255);
  out += char(rest);
  return out + text;
}

struct File {
  uint16_t kind = 1, version = 0x101;
  uint32_t headerBytes = 64, payload = 0, unknown0 = 0, compressedBytes = 0, unknown1 = 0, unknown2 = 0, target = 0,
           bits = 64, unknown3 = 0;
  uint64_t flags = 0x11, unknown5 = 0, text = 0;
};
static_assert(sizeof(File) == 64);

static std::string part(int target, std::string text, bool lz4, uint16_t kind = 1) {
  File file;
  file.kind = kind;
  file.target = static_cast<uint32_t>(target);
  std::string payload = text;
  if (lz4) {
    payload = compressed(text);
    file.compressedBytes = static_cast<uint32_t>(payload.size());
    file.flags |= 0x2000;
    file.text = text.size();
  }
  payload.resize((payload.size() + 7) / 8 * 8);
  file.payload = static_cast<uint32_t>(payload.size());
  return std::string(reinterpret_cast<const char *>(&file), sizeof file) + payload;
}

static std::string container(const std::string &parts) {
  struct {
    uint32_t magic = 0xba55ed50;
    uint16_t version = 1, headerBytes = 16;
    uint64_t bytes;
  } header;
  header.bytes = parts.size();
  return std::string(reinterpret_cast<const char *>(&header), sizeof header) + parts;
}

static unsigned given(const std::string &image) {
  Function *give = load(image.data(), "give");
  DevicePointer out = reserve(4);
  CALL(launch(give, 1, 1, nullptr, out));
  return read<unsigned>(out, 1)[0];
}

int main() {
  begin();
  EXPECT(given(ptxOf("sm_80", 1)) == 1);
  EXPECT(given(container(part(75, ptxOf("sm_75", 2), false))) == 2);
  EXPECT(given(container(part(80, ptxOf("sm_80", 3), true))) == 3);
  // The newest image that the GPU can run. An H100 can run neither Blackwell's image nor machine code of another GPU.
  EXPECT(given(container(part(90, "machine code of some sort", false, 2) + part(75, ptxOf("sm_75", 4), false) +
                         part(90, ptxOf("sm_90a", 5), true) + part(100, ptxOf("sm_100", 6), false))) == 5);
  std::string inner = container(part(80, ptxOf("sm_80", 7), false));
  struct {
    uint32_t magic = 0x466243b1, version = 1;
    const void *data, *more = nullptr;
  } wrapper;
  wrapper.data = inner.data();
  EXPECT(given(std::string(reinterpret_cast<const char *>(&wrapper), sizeof wrapper)) == 7);

  // Two files that were compiled apart: each has kernels, and statics of the same name. One uses the other's variable.
  std::string first = ptxOf("sm_80", 9) +
                      ".visible .global .u32 shared = 10;\n.global .u32 own = 1;\n"
                      ".visible .entry see(.param .u64 to) { .reg .b64 %rd<2>; .reg .b32 %r<2>; "
                      "ld.param.u64 %rd1, [to]; ld.global.u32 %r1, [own]; st.global.u32 [%rd1], %r1; ret; }\n";
  std::string second =
      ".version 8.0\n.target sm_80\n.address_size 64\n.extern .global .u32 shared;\n.global .u32 own = 30;\n"
      ".visible .entry sum(.param .u64 to) { .reg .b64 %rd<2>; .reg .b32 %r<4>; ld.param.u64 %rd1, [to]; "
      "ld.global.u32 %r1, [own]; ld.global.u32 %r2, [shared]; add.u32 %r3, %r1, %r2; st.global.u32 [%rd1], %r3; ret; "
      "}\n";
  for (bool turned : {false, true}) {
    std::string texts =
        turned ? part(80, second, false) + part(80, first, true) : part(80, first, true) + part(80, second, false);
    DevicePointer number = reserve(4), variable = 0;
    Module *module = nullptr, *owner = nullptr;
    unsigned count = 0;
    CALL(cuModuleLoadData(&module, container(texts).data()));
    CALL(cuModuleGetFunctionCount(&count, module));
    EXPECT(count == 3);
    for (auto [name, value] : {std::pair("give", 9u), {"see", 1u}, {"sum", 40u}}) {
      Function *kernel = nullptr;
      CALL(cuModuleGetFunction(&kernel, module, name));
      CALL(cuFuncGetModule(&owner, kernel));
      EXPECT(owner == module);
      CALL(launch(kernel, 1, 1, nullptr, number));
      EXPECT(read<unsigned>(number, 1)[0] == value);
    }
    CALL(cuModuleGetGlobal_v2(&variable, nullptr, module, "shared"));
    EXPECT(read<unsigned>(variable, 1)[0] == 10);
    CALL(cuModuleUnload(module));
    EXPECT(cuMemcpyDtoD_v2(number, variable, 4) == kInvalidValue);
  }

  // The linker takes one PTX text.
  void *linker = nullptr, *linked = nullptr;
  size_t bytes = 0;
  std::string whole = ptxOf("sm_80", 8);
  CALL(cuLinkCreate_v2(0, nullptr, nullptr, &linker));
  EXPECT(cuLinkComplete(linker, &linked, &bytes) == kInvalidValue);
  EXPECT(cuLinkAddData_v2(linker, 0, whole.data(), whole.size(), "cubin", 0, nullptr, nullptr) == kNotSupported);
  CALL(cuLinkAddData_v2(linker, 1, whole.data(), whole.size(), "ptx", 0, nullptr, nullptr));
  EXPECT(cuLinkAddData_v2(linker, 1, whole.data(), whole.size(), "ptx", 0, nullptr, nullptr) == kNotSupported);
  CALL(cuLinkComplete(linker, &linked, &bytes));
  EXPECT(given(std::string(static_cast<const char *>(linked), bytes)) == 8);
  CALL(cuLinkDestroy(linker));
  EXPECT(cuLinkDestroy(linker) == kInvalidHandle);

  Module *module = nullptr;
  std::string broken = container(part(80, ptxOf("sm_80", 3), true));
  broken[16 + 64] = char(0x0f); // a match that refers to before the beginning
  EXPECT(cuModuleLoadData(&module, broken.data()) == kInvalidImage);
  char log[256] = {};
  int options[] = {5, 6};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  EXPECT(cuModuleLoadDataEx(&module, ".version 8.0\n.target sm_80\n.entry oh no", 2, options, values) == kInvalidPtx);
  EXPECT(std::strstr(log, "error"));
  // The launch's error names the kernel and what is missing.
  std::string machine = container(part(90, "machine code of some sort", false, 2));
  Function *give = load(machine.data(), "give");
  DevicePointer out = reserve(4);
  EXPECT(launch(give, 1, 1, nullptr, out) == kNoBinaryForGpu);
  CALL(cuModuleUnload(lastModule()));
  EXPECT(launch(give, 1, 1, nullptr, out) == kInvalidHandle);
  EXPECT(cuModuleUnload(lastModule()) == kInvalidHandle);
  EXPECT(cuModuleGetFunction(&give, module, "give") == kInvalidHandle);
  std::printf("images are read\n");
}
