// The driver's linker, for programs that compile one PTX text with it. The "machine code" that it returns is the text.
#include "core/gpu/driver/api/DriverApi.h"
#include "core/gpu/driver/api/Entered.h"
#include "layouts/support/Text.h"

#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>

namespace lanescope::core::driver {

namespace {

constexpr int kPtxInput = 1; // CU_JIT_INPUT_PTX

struct Linker {
  std::string ptx;
  bool given = false;
};

/// The linkers of the process, guarded by the state's lock. Never destroyed, as the state.
std::map<void *, std::unique_ptr<Linker>> &linkers() {
  static auto *all = new std::map<void *, std::unique_ptr<Linker>>;
  return *all;
}

Status refuse(State &state, std::string_view function, std::string_view what) {
  state.journal->complain(text("`", function, "`: the emulator has no linker for ", what, ": load PTX that is whole"));
  return kNotSupported;
}

Status add(void *handle, int type, std::string_view function, std::string ptx) {
  LANESCOPE_ENTER(Needs::Context);
  auto found = linkers().find(handle);
  if (found == linkers().end())
    return kInvalidHandle;
  if (type != kPtxInput)
    return refuse(state, function, "machine code, fat binaries and libraries");
  if (found->second->given)
    return refuse(state, function, "several PTX texts");
  found->second->ptx = std::move(ptx);
  found->second->given = true;
  return kSuccess;
}

} // namespace

// The options choose how machine code is made, or ask for its log, which stays empty.
Status cuLinkCreate_v2(unsigned, int *, void **, void **out) {
  LANESCOPE_ENTER(Needs::Context);
  if (!out)
    return kInvalidValue;
  auto made = std::make_unique<Linker>();
  *out = made.get();
  linkers()[*out] = std::move(made);
  return kSuccess;
}
Status cuLinkCreate(unsigned count, int *options, void **values, void **out) {
  return cuLinkCreate_v2(count, options, values, out);
}

Status cuLinkAddData_v2(void *linker, int type, void *data, size_t bytes, const char *, unsigned, int *, void **) {
  if (!data)
    return kInvalidValue;
  std::string_view given(static_cast<const char *>(data), bytes);
  return add(linker, type, "cuLinkAddData", std::string(given.substr(0, given.find('\0'))));
}
Status cuLinkAddData(void *linker, int type, void *data, size_t bytes, const char *name, unsigned count, int *options,
                     void **values) {
  return cuLinkAddData_v2(linker, type, data, bytes, name, count, options, values);
}

Status cuLinkAddFile_v2(void *linker, int type, const char *path, unsigned, int *, void **) {
  if (!path)
    return kInvalidValue;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return kFileNotFound;
  return add(linker, type, "cuLinkAddFile", std::string{std::istreambuf_iterator<char>(file), {}});
}
Status cuLinkAddFile(void *linker, int type, const char *path, unsigned count, int *options, void **values) {
  return cuLinkAddFile_v2(linker, type, path, count, options, values);
}

Status cuLinkComplete(void *linker, void **out, size_t *bytes) {
  LANESCOPE_ENTER(Needs::Context);
  auto found = linkers().find(linker);
  if (found == linkers().end())
    return kInvalidHandle;
  if (!out || !found->second->given)
    return kInvalidValue;
  *out = found->second->ptx.data();
  if (bytes)
    *bytes = found->second->ptx.size() + 1;
  return kSuccess;
}

Status cuLinkDestroy(void *linker) {
  LANESCOPE_ENTER(Needs::Library);
  return linkers().erase(linker) ? kSuccess : kInvalidHandle;
}

} // namespace lanescope::core::driver
