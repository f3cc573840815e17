// A program compiled by nvcc registers its images here before `main`, with the host addresses of its kernels and
// variables. An image is loaded when a kernel or variable of it is first used.
//
//   Function *kernel = Registry::get().function(&hostStub);    // null: nothing is registered under that address
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
  driver::Status status = 0; // the error code of the attempt to load the image
};

class Registry {
public:
  static Registry &get();

  RegisteredImage *add(const void *image);
  void remove(RegisteredImage *image);
  void addFunction(RegisteredImage *image, const void *host, std::string name);
  void addVariable(RegisteredImage *image, const void *host, std::string name, void **managed = nullptr);

  /// Gets the kernel of a host function. Errors are the CUDA runtime's.
  Error function(const void *host, Function *&out);
  Error variable(const void *host, driver::DevicePointer &out, size_t &bytes);
  /// Sets the host's pointers to managed variables.
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
