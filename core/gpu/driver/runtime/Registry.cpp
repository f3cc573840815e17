#include "core/gpu/driver/runtime/Registry.h"

#include "core/gpu/driver/runtime/Thread.h"

namespace lanescope::core::runtime {

using namespace driver;

Registry &Registry::get() {
  static Registry *registry = new Registry; // never destroyed: destructors of the program may still launch
  return *registry;
}

RegisteredImage *Registry::add(const void *image) { return new RegisteredImage{image}; }

void Registry::remove(RegisteredImage *image) {
  std::scoped_lock lock(mutex_);
  auto ofImage = [&](const auto &one) { return one.second.image == image; };
  std::erase_if(functions_, ofImage);
  std::erase_if(variables_, ofImage);
  delete image;
}

void Registry::addFunction(RegisteredImage *image, const void *host, std::string name) {
  std::scoped_lock lock(mutex_);
  functions_[host] = {image, std::move(name)};
}

void Registry::addVariable(RegisteredImage *image, const void *host, std::string name, void **managed) {
  std::scoped_lock lock(mutex_);
  variables_[host] = {image, std::move(name), managed};
}

Error Registry::load(RegisteredImage &image) {
  if (!image.module && !image.status)
    image.status = cuModuleLoadData(&image.module, image.image);
  return errorOf(image.status);
}

Error Registry::function(const void *host, Function *&out) {
  if (Error problem = enterDevice())
    return problem;
  std::scoped_lock lock(mutex_);
  auto found = functions_.find(host);
  if (found == functions_.end()) { // the handle is a cudaKernel_t or a cudaFunction_t
    int loaded = 0;
    out = static_cast<Function *>(const_cast<void *>(host));
    return cuFuncIsLoaded(&loaded, out) ? kInvalidDeviceFunction : runtime::kSuccess;
  }
  Named &one = found->second;
  if (Error problem = load(*one.image))
    return problem;
  if (!one.function && cuModuleGetFunction(&one.function, one.image->module, one.name.c_str()))
    return kInvalidDeviceFunction;
  out = one.function;
  return runtime::kSuccess;
}

Error Registry::variable(const void *host, DevicePointer &out, size_t &bytes) {
  if (Error problem = enterDevice())
    return problem;
  std::scoped_lock lock(mutex_);
  auto found = variables_.find(host);
  if (found == variables_.end())
    return kInvalidSymbol;
  if (Error problem = load(*found->second.image))
    return problem;
  return cuModuleGetGlobal_v2(&out, &bytes, found->second.image->module, found->second.name.c_str())
             ? kInvalidSymbol
             : runtime::kSuccess;
}

Error Registry::loadManaged() {
  if (Error problem = enterDevice())
    return problem;
  std::scoped_lock lock(mutex_);
  for (auto &[host, one] : variables_) {
    DevicePointer place = 0;
    if (!one.managed || load(*one.image))
      continue;
    if (!cuModuleGetGlobal_v2(&place, nullptr, one.image->module, one.name.c_str()))
      *one.managed = reinterpret_cast<void *>(place);
  }
  return runtime::kSuccess;
}

} // namespace lanescope::core::runtime
