// Small modules for tests: the frame of a kernel around a few lines.
//
//   Kernel kernel;
//   kernel.body = copyIn() + "%a = tpu.vector_load …";
//
// The body may use %core and %sub (on a scalar subcore only %core), the operands %x and %o, and the scratch %v, %w
// (VMEM), %shared (VMEM_SHARED), %m (SMEM), %s, %t (semaphores of copies) and %r (a plain semaphore).
#pragma once

#include "tests/unit/sparsecore/TpuSupport.h"

#include "layouts/support/Text.h"

namespace lanescope::core::sparsecore::test {

struct Kernel {
  int cores = 1, subcores = 1;
  bool scalar = false;
  int64_t elements = 16;
  std::string element = "i32";
  std::string body;

  std::string type(std::string_view space, int64_t count = 0) const {
    return text("memref<", count == 0 ? elements : count, "x", element, ", #", space, ">");
  }
  std::string module() const {
    std::string grid = scalar ? "%core: i32" : "%core: i32, %sub: i32";
    std::string out =
        "#hbm = #tpu.memory_space<hbm>\n#vmem = #tpu.memory_space<vmem>\n#smem = #tpu.memory_space<smem>\n"
        "#shared = #tpu.memory_space<vmem_shared>\n#sem = #tpu.memory_space<semaphore_mem>\n";
    out += text("func.func @kernel(", grid, ", %x: ", type("hbm"), ", %o: ", type("hbm"), ", %v: ", type("vmem"),
                ", %w: ", type("vmem"), ", %shared: ", type("shared"),
                ", %m: memref<4xi32, #smem>, %s: memref<!tpu.dma_semaphore, #sem>, ",
                "%t: memref<!tpu.dma_semaphore, #sem>, %r: memref<!tpu.semaphore, #sem>) attributes {");
    out += scalar ? "dimension_semantics = [#tpu.dimension_semantics<core_parallel>], "
                  : "dimension_semantics = [#tpu.dimension_semantics<core_parallel>, "
                    "#tpu.dimension_semantics<subcore_parallel>], ";
    out += scalar ? text("iteration_bounds = array<i64: ", cores, ">")
                  : text("iteration_bounds = array<i64: ", cores, ", ", subcores, ">");
    out += text(", scratch_operands = 7 : i64, tpu.core_type = #tpu.core_type<",
                scalar ? "sc_scalar_subcore" : "sc_vector_subcore", ">} {\n");
    out += "%c0 = arith.constant 0 : index\n%i0 = arith.constant 0 : i32\n%i1 = arith.constant 1 : i32\n";
    return out + body + "return\n}\n";
  }
  /// The number of the line (from 1) that contains `marker`.
  uint32_t lineOf(std::string_view marker) const {
    std::string all = module();
    size_t place = all.find(marker);
    return static_cast<uint32_t>(1 + std::count(all.begin(), all.begin() + static_cast<ptrdiff_t>(place), '\n'));
  }

  std::string semaphore(std::string_view name) const { return text(name, " : memref<!tpu.dma_semaphore, #sem>"); }
  std::string start(std::string_view from, std::string_view fromSpace, std::string_view to, std::string_view toSpace,
                    std::string_view sem = "%s", std::string_view comment = "") const {
    return text("tpu.enqueue_dma source(", from, " : ", type(fromSpace), ") target(", to, " : ", type(toSpace),
                ") target_semaphore(", semaphore(sem), ") ", comment, "\n");
  }
  std::string wait(std::string_view from, std::string_view fromSpace, std::string_view to, std::string_view toSpace,
                   std::string_view sem = "%s", std::string_view comment = "") const {
    return text("tpu.wait_dma2 semaphore(", semaphore(sem), ") src(", from, " : ", type(fromSpace), ") dst(", to, " : ",
                type(toSpace), ") ", comment, "\n");
  }
  std::string copy(std::string_view from, std::string_view fromSpace, std::string_view to, std::string_view toSpace,
                   std::string_view sem = "%s") const {
    return start(from, fromSpace, to, toSpace, sem) + wait(from, fromSpace, to, toSpace, sem);
  }
  std::string vector() const { return text("vector<", elements, "x", element, ">"); }
  /// Loads the whole VMEM reference into %name.
  std::string load(std::string_view name, std::string_view from, std::string_view comment = "") const {
    return text(name, " = tpu.vector_load ", from, "[%c0] {strides = array<i32>} : ", type("vmem"), ", ", vector(),
                ", ", comment, "\n");
  }
  std::string store(std::string_view to, std::string_view value, std::string_view comment = "") const {
    return text("tpu.vector_store ", to, "[%c0], ", value, " {strides = array<i32>} : ", type("vmem"), ", ", vector(),
                ", ", comment, "\n");
  }
};

} // namespace lanescope::core::sparsecore::test
