// A program compiled by nvcc registers its images here before `main`, and the host's names of kernels and variables.
// Images are loaded when something of theirs is first used.
//
//   Function *kernel = Registry::get().function(&hostStub);    // null: nothing is registered by that address
#pragma once

#include "core/gpu/driver/runtime/RuntimeTypes.h"

#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

namespace lanescope::core::runtime {

struct RegisteredImage {
  const void *image = nullptr;
  Module *module = nullptr;
  driver::Status status = 0; // CUDA's answer to loading it
};

class Registry {
public:
  static Registry &get();

  RegisteredImage *add(const void *image);
  void remove(RegisteredImage *image);
  void addFunction(RegisteredImage *image, const void *host, std::string name);
  void addVariable(RegisteredImage *image, const void *host, std::string name, void **managed = nullptr);

  /// The kernel of a host function; errors are CUDA's runtime's.
  Error function(const void *host, Function *&out);
  Error variable(const void *host, driver::DevicePointer &out, size_t &bytes);
  /// Gives the host's pointers to managed variables their values.
  Error loadManaged();

private:
  struct Named {
    RegisteredImage *image = nullptr;
    std::string name;
    void **managed = nullptr;
    Function *function = nullptr;
  };
  Error load(RegisteredImage &image);

  std::mutex mutex_;
  std::unordered_map<const void *, Named> functions_, variables_;
};

} // namespace lanescope::core::runtime
