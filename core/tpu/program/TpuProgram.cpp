#include "core/tpu/program/TpuProgram.h"

namespace lanescope::core::sparsecore {

std::string name(const Element &element) {
  switch (element.kind) {
  case Element::Kind::Index: return "index";
  case Element::Kind::Semaphore: return "semaphore";
  case Element::Kind::DmaSemaphore: return "dma_semaphore";
  case Element::Kind::Integer: return "i" + std::to_string(element.bits);
  case Element::Kind::Float: break;
  }
  return std::string(layouts::name(element.dtype));
}

std::string_view name(Space space) {
  constexpr std::string_view kNames[] = {"any", "vmem", "smem", "hbm", "cmem", "semaphore_mem", "vmem_shared", "host"};
  return kNames[static_cast<size_t>(space)];
}

std::string_view name(CoreType type) {
  constexpr std::string_view kNames[] = {"tc", "sc_scalar_subcore", "sc_vector_subcore"};
  return kNames[static_cast<size_t>(type)];
}

std::vector<uint32_t> Program::kernels() const {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < functions.size(); ++i)
    if (functions[i].kernel)
      found.push_back(i);
  return found;
}

} // namespace lanescope::core::sparsecore
