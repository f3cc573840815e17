// Whole modules: grids and windows, several functions, several devices, the assignment of arrays to operands, and
// refused modules.
#include "SparsecoreKernels.h"

#include "core/tpu/emulator/KernelOperands.h"

#include <random>

namespace lanescope::core::sparsecore::test {
namespace {

using Ints = std::vector<int64_t>;

Array counting(Shape shape, int64_t first = 0) {
  Array array = Array::zeros(Dtype::I32, std::move(shape));
  for (int64_t k = 0; k < array.size(); ++k)
    array.setInteger(k, first + k);
  return array;
}

const std::string kSpaces =
    "#hbm = #tpu.memory_space<hbm>\n#vmem = #tpu.memory_space<vmem>\n#smem = #tpu.memory_space<smem>\n"
    "#shared = #tpu.memory_space<vmem_shared>\n#sem = #tpu.memory_space<semaphore_mem>\n";

/// A kernel whose operands come in windows of 1 x 8, with index maps by name.
std::string windowed(std::string_view grid, std::string_view first, std::string_view maps, std::string_view body) {
  return kSpaces + "module {\n" +
         text("func.func @main(%i: i32, %a: memref<1x8xi32, #vmem>", first,
              ", %o: memref<1x8xi32, #vmem>) attributes {dimension_semantics = "
              "[#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: ",
              grid,
              ">, scratch_operands = 0 : i64, tpu.core_type = "
              "#tpu.core_type<sc_vector_subcore>, window_params = [",
              maps, "]} {\n%c0 = arith.constant 0 : index\n", body, "return\n}\n") +
         "func.func @rows(%i: i32) -> (i32, i32) {\n%z = arith.constant 0 : i32\nreturn %i, %z : i32, i32\n}\n"
         "func.func @back(%i: i32) -> (i32, i32) {\n%z = arith.constant 0 : i32\n%l = arith.constant 3 : i32\n%j = "
         "arith.subi %l, %i : i32\n"
         "return %j, %z : i32, i32\n}\n"
         "func.func @ones(%i: i32) -> i32 {\nreturn %i : i32\n}\n"
         "func.func @first(%i: i32) -> (i32, i32) {\n%z = arith.constant 0 : i32\nreturn %z, %z : i32, i32\n}\n}\n";
}
const std::string kRows = "{transform_indices = @rows, window_bounds = array<i64: 1, 8>}",
                  kBack = "{transform_indices = @back, window_bounds = array<i64: 1, 8>}";
const std::string kThrough =
    "%x = tpu.vector_load %a[%c0, %c0] {strides = array<i32>} : memref<1x8xi32, #vmem>, vector<1x8xi32>, \n"
    "tpu.vector_store %o[%c0, %c0], %x {strides = array<i32>} : memref<1x8xi32, #vmem>, vector<1x8xi32>, \n";

std::string kindOf(const Result<RunResult> &result) {
  if (!result)
    return result.error().front().kind;
  return result->diagnostics.empty() ? "" : result->diagnostics.front().kind;
}

TEST(Windows, FollowTheIndexMaps) {
  auto result = run(windowed("4", "", kRows + ", " + kBack, kThrough), {counting({4, 8})});
  ASSERT_TRUE(result && result->diagnostics.empty()) << errorText(result ? result->diagnostics : result.error());
  ASSERT_EQ(result->outputs[0].shape, (Shape{4, 8})); // the blocks determine the shape
  for (int64_t row = 0; row < 4; ++row)
    EXPECT_EQ(result->outputs[0].integer(row * 8 + 3), (3 - row) * 8 + 3);
}

TEST(Windows, FollowAffineMaps) {
  std::string rows = "{transform_indices = affine_map<(d0) -> ((d0 * 3 + 1) mod 4, d0 floordiv 4)>, window_bounds = "
                     "array<i64: 1, 8>}",
              back = "{transform_indices = affine_map<(d0) -> (3 - d0, 0)>}"; // the window is as large as its reference
  auto result = run(windowed("4", "", rows + ", " + back, kThrough), {counting({4, 8})});
  ASSERT_TRUE(result && result->diagnostics.empty()) << errorText(result ? result->diagnostics : result.error());
  ASSERT_EQ(result->outputs[0].shape, (Shape{4, 8}));
  for (int64_t step = 0; step < 4; ++step)
    EXPECT_EQ(result->outputs[0].integer((3 - step) * 8 + 3), (step * 3 + 1) % 4 * 8 + 3);
  std::string beyond = "{transform_indices = affine_map<(d0) -> (d0 - 1, 0)>}";
  EXPECT_EQ(kindOf(run(windowed("4", "", beyond + ", " + back, kThrough), {counting({4, 8})})), "memref-out-of-bounds");
}

TEST(Windows, StayWhereTheirBlockDoes) {
  std::string first = "{transform_indices = @first, window_bounds = array<i64: 1, 8>}";
  std::string sum =
      "%x = tpu.vector_load %a[%c0, %c0] {strides = array<i32>} : memref<1x8xi32, #vmem>, vector<1x8xi32>, \n"
      "%z = arith.constant 0 : i32\n%begin = arith.cmpi eq, %i, %z : i32\nscf.if %begin {\n"
      "tpu.vector_store %o[%c0, %c0], %x {strides = array<i32>} : memref<1x8xi32, #vmem>, vector<1x8xi32>, \n} else {\n"
      "tpu.vector_store %o[%c0, %c0], %x {add = true, strides = array<i32>} : memref<1x8xi32, #vmem>, vector<1x8xi32>, "
      "\n}\n";
  auto result = run(windowed("4", "", kRows + ", " + first, sum), {counting({4, 8})});
  ASSERT_TRUE(result && result->diagnostics.empty()) << errorText(result ? result->diagnostics : result.error());
  EXPECT_EQ(result->outputs[0].shape, (Shape{1, 8}));
  EXPECT_EQ(result->outputs[0].integer(2), 2 + 10 + 18 + 26);
}

TEST(Windows, AreGatheredByAnotherOperand) {
  std::string module = windowed(
      "4", " {sc.indexed_by = 1 : i32, sc.indexed_dim = 0 : i32}, %n: memref<1xi32, #vmem>",
      "{transform_indices = @first, window_bounds = array<i64: 1, 8>}, {transform_indices = @ones, window_bounds = "
      "array<i64: 1>}, " +
          kRows,
      kThrough);
  auto result = run(module, {counting({5, 8}), ints({4, 0, 2, 2})});
  ASSERT_TRUE(result && result->diagnostics.empty()) << errorText(result ? result->diagnostics : result.error());
  for (int64_t row = 0; row < 4; ++row)
    EXPECT_EQ(result->outputs[0].integer(row * 8), (Ints{4, 0, 2, 2})[static_cast<size_t>(row)] * 8);
  result = run(module, {counting({5, 8}), ints({4, 5, 2, 2})});
  ASSERT_TRUE(result && !result->diagnostics.empty());
  EXPECT_EQ(result->diagnostics[0].kind, "memref-out-of-bounds");
}

TEST(Windows, AreCutOffAtTheEndOfTheirArray) {
  auto result = run(windowed("2", "", kRows + ", " + kRows, kThrough), {counting({2, 5})}); // 8 columns at a time
  ASSERT_TRUE(result && result->diagnostics.empty()) << errorText(result ? result->diagnostics : result.error());
  EXPECT_EQ(result->outputs[0].integer(4), 4);
  EXPECT_EQ(result->outputs[0].integer(8), 5);
}

// A scalar subcore fetches and signals; a vector subcore adds and signals. Both share the core's memory.
TEST(Functions, RunTogether) {
  std::string operands = "%x: memref<16xi32, #hbm>, %o: memref<16xi32, #hbm>, %both: memref<16xi32, #shared>, "
                         "%toVector: memref<!tpu.semaphore, "
                         "#tpu.memory_space<semaphore_mem, sc_vector_subcore>>, %toScalar: memref<!tpu.semaphore, "
                         "#tpu.memory_space<semaphore_mem, "
                         "sc_scalar_subcore>>) attributes {scratch_operands = 3 : i64, ";
  std::string module =
      kSpaces + "module {\nfunc.func @scalar(%core: i32, " + operands +
      "dimension_semantics = [#tpu.dimension_semantics<core_parallel>], iteration_bounds = array<i64: 2>, "
      "tpu.core_type = #tpu.core_type<sc_scalar_subcore>} {\n"
      "%zero = arith.constant 0 : i32\n%one = arith.constant 1 : i32\n\"tpu.region\"() ({\n%s = tpu.sem_alloc : "
      "memref<!tpu.dma_semaphore, #sem>\n"
      "tpu.enqueue_dma source(%x : memref<16xi32, #hbm>) target(%both : memref<16xi32, #shared>) target_semaphore(%s : "
      "memref<!tpu.dma_semaphore, #sem>)\n"
      "tpu.wait_dma2 semaphore(%s : memref<!tpu.dma_semaphore, #sem>) src(%x : memref<16xi32, #hbm>) dst(%both : "
      "memref<16xi32, #shared>)\n"
      "tpu.sem_signal %toVector, %one core_id %core subcore_id %zero : memref<!tpu.semaphore, "
      "#tpu.memory_space<semaphore_mem, "
      "sc_vector_subcore>>\n"
      "tpu.sem_wait %toScalar, %one : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem, sc_scalar_subcore>>\n"
      "%is = arith.cmpi eq, %core, %one : i32\nscf.if %is {\n"
      "tpu.enqueue_dma source(%both : memref<16xi32, #shared>) target(%o : memref<16xi32, #hbm>) target_semaphore(%s : "
      "memref<!tpu.dma_semaphore, #sem>)\n"
      "tpu.wait_dma2 semaphore(%s : memref<!tpu.dma_semaphore, #sem>) src(%both : memref<16xi32, #shared>) dst(%o : "
      "memref<16xi32, #hbm>)\n}\ntpu.yield\n}) : () -> ()\nreturn\n}\n"
      "func.func @vector(%core: i32, %sub: i32, " +
      operands +
      "dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], "
      "iteration_bounds = array<i64: 2, 1>, "
      "tpu.core_type = #tpu.core_type<sc_vector_subcore>} {\n%one = arith.constant 1 : i32\n%c0 = arith.constant 0 : "
      "index\n\"tpu.region\"() ({\n"
      "%s = tpu.sem_alloc : memref<!tpu.dma_semaphore, #sem>\n%v = memref.alloca() : memref<16xi32, #vmem>\n"
      "tpu.sem_wait %toVector, %one : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem, sc_vector_subcore>>\n"
      "tpu.enqueue_dma source(%both : memref<16xi32, #shared>) target(%v : memref<16xi32, #vmem>) target_semaphore(%s "
      ": memref<!tpu.dma_semaphore, #sem>)\n"
      "tpu.wait_dma2 semaphore(%s : memref<!tpu.dma_semaphore, #sem>) src(%both : memref<16xi32, #shared>) dst(%v : "
      "memref<16xi32, #vmem>)\n"
      "%a = tpu.vector_load %v[%c0] {strides = array<i32>} : memref<16xi32, #vmem>, vector<16xi32>, \n%b = "
      "vector.broadcast %core : i32 to vector<16xi32>\n"
      "%d = arith.addi %a, %b : vector<16xi32>\ntpu.vector_store %v[%c0], %d {strides = array<i32>} : memref<16xi32, "
      "#vmem>, vector<16xi32>, \n"
      "tpu.enqueue_dma source(%v : memref<16xi32, #vmem>) target(%both : memref<16xi32, #shared>) target_semaphore(%s "
      ": memref<!tpu.dma_semaphore, #sem>)\n"
      "tpu.wait_dma2 semaphore(%s : memref<!tpu.dma_semaphore, #sem>) src(%v : memref<16xi32, #vmem>) dst(%both : "
      "memref<16xi32, #shared>)\n"
      "tpu.sem_signal %toScalar, %one core_id %core : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem, "
      "sc_scalar_subcore>>\ntpu.yield\n}) : () -> ()\nreturn\n}\n}\n";
  for (uint64_t seed : {0, 1, 2, 3}) {
    EmulatorOptions options;
    options.seed = seed;
    auto result = run(module, {counting({16})}, options);
    ASSERT_TRUE(result && result->diagnostics.empty()) << errorText(result ? result->diagnostics : result.error());
    EXPECT_EQ(result->outputs[0].integer(7), 8); // core 1 added 1
  }
}

// Each device sends to the next one, and waits for its own data.
TEST(Devices, CopyToEachOther) {
  std::string module =
      kSpaces +
      "func.func @ring(%core: i32, %x: memref<8xi32, #hbm>, %o: memref<8xi32, #hbm>, %ready: memref<!tpu.semaphore, "
      "#sem>, %send: "
      "memref<!tpu.dma_semaphore, #sem>, %recv: memref<!tpu.dma_semaphore, #sem>) attributes {dimension_semantics = "
      "[#tpu.dimension_semantics<core_parallel>], iteration_bounds = array<i64: 1>, scratch_operands = 3 : i64, "
      "tpu.core_type = "
      "#tpu.core_type<sc_scalar_subcore>} {\n%one = arith.constant 1 : i32\n%n = arith.constant 3 : i32\n%me = "
      "tpu.device_id : i32\n"
      "%up = arith.addi %me, %one : i32\n%next = arith.remsi %up, %n : i32\n"
      "tpu.sem_signal %ready, %one device_id %next : memref<!tpu.semaphore, #sem>\ntpu.sem_wait %ready, %one : "
      "memref<!tpu.semaphore, #sem>\n"
      "tpu.enqueue_dma source(%x : memref<8xi32, #hbm>) target(%o : memref<8xi32, #hbm>) source_semaphore(%send : "
      "memref<!tpu.dma_semaphore, "
      "#sem>) target_semaphore(%recv : memref<!tpu.dma_semaphore, #sem>) device_id(%next)\n"
      "tpu.wait_dma2 semaphore(%send : memref<!tpu.dma_semaphore, #sem>) src(%o : memref<8xi32, #hbm>) dst(%x : "
      "memref<8xi32, #hbm>)\n"
      "tpu.wait_dma2 semaphore(%recv : memref<!tpu.dma_semaphore, #sem>) src(%x : memref<8xi32, #hbm>) dst(%o : "
      "memref<8xi32, #hbm>)\nreturn\n}\n";
  EmulatorOptions options;
  options.devices = 3;
  auto result = run(module, {counting({8}), counting({8}, 100), counting({8}, 200)}, options);
  ASSERT_TRUE(result && result->diagnostics.empty()) << errorText(result ? result->diagnostics : result.error());
  ASSERT_EQ(result->outputs.size(), 3u);
  EXPECT_EQ(result->outputs[0].integer(0), 200);
  EXPECT_EQ(result->outputs[1].integer(0), 0);
  EXPECT_EQ(result->outputs[2].integer(0), 100);
  options.devices = 1; // there is no next device
  result = run(module, {counting({8})}, options);
  ASSERT_TRUE(result && !result->diagnostics.empty());
  EXPECT_EQ(result->diagnostics[0].kind, "memref-out-of-bounds");
}

std::string copies(std::string_view operands, std::string_view from, std::string_view to) {
  return kSpaces + text("func.func @k(%core: i32, ", operands,
                        ", %s: memref<!tpu.dma_semaphore, #sem>) attributes {dimension_semantics = "
                        "[#tpu.dimension_semantics<core_parallel>], iteration_bounds = array<i64: 1>, scratch_operands "
                        "= 1 : i64, tpu.core_type = "
                        "#tpu.core_type<sc_scalar_subcore>} {\ntpu.enqueue_dma source(",
                        from, " : memref<8xi32, #hbm>) target(", to,
                        " : memref<8xi32, #hbm>) target_semaphore(%s : memref<!tpu.dma_semaphore, "
                        "#sem>)\ntpu.wait_dma2 semaphore(%s : "
                        "memref<!tpu.dma_semaphore, #sem>) src(",
                        from, " : memref<8xi32, #hbm>) dst(", to, " : memref<8xi32, #hbm>)\nreturn\n}\n");
}

TEST(Operands, AreInputsAndThenOutputs) {
  std::string t = ": memref<8xi32, #hbm>";
  auto outputs = [&](const std::string &operands, size_t given, std::string_view from, std::string_view to) {
    auto program = decoded(Source::make("m.mlir", copies(operands, from, to)));
    EXPECT_TRUE(program) << errorText(program ? Diagnostics{} : program.error());
    return program ? outputOperands(*program, given) : std::vector<uint32_t>{};
  };
  EXPECT_EQ(outputs("%x" + t + ", %o" + t, 1, "%x", "%o"), (std::vector<uint32_t>{1}));
  // P is an output like o.
  EXPECT_EQ(outputs("%x" + t + ", %o" + t + ", %p" + t, 1, "%x", "%o"), (std::vector<uint32_t>{1}));
  EXPECT_EQ(outputs("%x" + t + ", %o" + t + ", %p" + t, 2, "%x", "%o"),
            (std::vector<uint32_t>{1})); // o already has an input
  // The inputs are x and y.
  EXPECT_EQ(outputs("%x" + t + ", %o" + t + ", %y" + t + ", %p" + t, 2, "%y", "%o").front(), 1u);
  EXPECT_EQ(outputs("%x" + t + ", %o" + t + ", %q: memref<4xi32, #hbm>", 1, "%x", "%o"),
            (std::vector<uint32_t>{1, 2})); // q has another type
}

TEST(Operands, AreWhatTheProgramsMakerSays) {
  std::string t = ": memref<8xi32, #hbm>";
  // Operand 0 is an output although no function writes it, so it keeps its input. The copy writes operand 1, an input
  // that is not an output.
  auto program = decoded(Source::make("m.mlir", copies("%x" + t + ", %y" + t + ", %o" + t, "%x", "%y")));
  ASSERT_TRUE(program);
  EmulatorOptions options;
  options.operands = {{.input = 0, .output = 1}, {.input = 1, .output = -1}, {.input = -1, .output = 0}};
  std::vector<Array> inputs = {counting({8}), Array::zeros(Dtype::I32, {8})};
  auto result = emulate(*program, inputs, options);
  ASSERT_TRUE(result && !hasErrors(result->diagnostics)) << errorText(result ? result->diagnostics : result.error());
  ASSERT_EQ(result->outputs.size(), 2u);
  EXPECT_EQ(result->outputs[0].bytes, Array::zeros(Dtype::I32, {8}).bytes);
  EXPECT_EQ(result->outputs[1].bytes, inputs[0].bytes);
}

TEST(Operands, ThatDoNotFitAreToldByNumber) {
  std::string module = copies("%x: memref<8xi32, #hbm>, %o: memref<8xi32, #hbm>", "%x", "%o");
  EXPECT_EQ(kindOf(run(module, {})), "module-inputs");
  EXPECT_EQ(kindOf(run(module, {counting({8}), counting({8}), counting({8})})), "module-inputs");
  EXPECT_EQ(kindOf(run(module, {counting({9})})), "module-inputs");
  EXPECT_EQ(kindOf(run(module, {Array::zeros(Dtype::F32, {8})})), "module-inputs");
  EXPECT_EQ(kindOf(run(module, {Array::zeros(Dtype::U32, {8})})), ""); // the same bits
  auto wrong = run(module, {counting({2, 4})});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error()[0].message, "array 0 has shape (2, 4), and it is for operand 0 (i32 (8,))");
}

TEST(Operands, TakeTheBitsOfFloatsThatFilesLack) {
  Kernel k;
  k.element = "bf16";
  k.body = k.copy("%x", "hbm", "%v", "vmem") + k.load("%a", "%v") + "%b = arith.addf %a, %a : vector<16xbf16>\n" +
           k.store("%w", "%b") + k.copy("%w", "vmem", "%o", "hbm");
  Array bits = Array::zeros(Dtype::U16, {16});
  bits.setInteger(3, 0x3f80); // 1
  auto result = run(k.module(), {bits});
  ASSERT_TRUE(result && result->diagnostics.empty()) << errorText(result ? result->diagnostics : result.error());
  EXPECT_EQ(result->outputs[0].dtype, Dtype::BF16);
  EXPECT_EQ(result->outputs[0].number(3), 2);
}

TEST(Functions, CallOthers) {
  Kernel k;
  k.body = "%two = arith.constant 2 : i32\n%four = arith.constant 4 : i32\n"
           "%a:2 = func.call @choose(%two, %m) : (i32, memref<4xi32, #smem>) -> (i32, memref<4xi32, #smem>)\n"
           "%b:2 = func.call @choose(%four, %a#1) : (i32, memref<4xi32, #smem>) -> (i32, memref<4xi32, #smem>)\n"
           "%sum = arith.addi %a#0, %b#0 : i32\ntpu.log \"sum\" : [%sum] : i32\n"
           "%kept = memref.load %b#1[%c0] : memref<4xi32, #smem>\ntpu.log \"kept\" : [%kept] : i32\n";
  std::string callees =
      "func.func @choose(%n: i32, %at: memref<4xi32, #smem>) -> (i32, memref<4xi32, #smem>) {\n"
      "%c = arith.constant 3 : i32\n%z = arith.constant 0 : index\n%less = arith.cmpi slt, %n, %c : i32\n"
      "cf.cond_br %less, ^small, ^large(%n : i32)\n^small:\n%d = func.call @double(%n) : (i32) -> i32\n"
      "return %d, %at : i32, memref<4xi32, #smem>\n^large(%v: i32):\nmemref.store %v, %at[%z] : memref<4xi32, #smem>\n"
      "%e = func.call @double(%v) : (i32) -> i32\n%f = func.call @double(%e) : (i32) -> i32\n"
      "return %f, %at : i32, memref<4xi32, #smem>\n}\n"
      "func.func @double(%n: i32) -> i32 {\n%d = arith.addi %n, %n : i32\nreturn %d : i32\n}\n";
  auto result = run(k.module() + callees, {counting({16})});
  ASSERT_TRUE(result && result->diagnostics.empty()) << errorText(result ? result->diagnostics : result.error());
  EXPECT_NE(result->printed.find("sum, data: s32[1] { 20 }"), std::string::npos) << result->printed;
  EXPECT_NE(result->printed.find("kept, data: s32[1] { 4 }"), std::string::npos) << result->printed;
  k.body = "%a = func.call @again(%i1) : (i32) -> i32\n";
  auto refused = run(k.module() + "func.func @again(%n: i32) -> i32 {\n%m = func.call @again(%n) : (i32) -> i32\n"
                                  "return %m : i32\n}\n",
                     {counting({16})});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error()[0].message.find("`again` calls itself"), std::string::npos);
}

TEST(Modules, ThatAreNoneForSparseCoresAreRefused) {
  EXPECT_EQ(kindOf(run("func.func @f() {\nreturn\n}\n", {})), "not-a-sparsecore-module");
  EXPECT_EQ(kindOf(run("func.func @f() attributes {tpu.core_type = #tpu.core_type<tc>} {\nreturn\n}\n", {})),
            "not-a-sparsecore-module");
  EXPECT_EQ(
      kindOf(run("func.func @f(%i: i32) attributes {tpu.core_type = #tpu.core_type<sc_scalar_subcore>} {\nreturn\n}\n",
                 {})),
      "not-a-sparsecore-module");
}

TEST(Modules, WhatTheEmulatorDoesNotKnowIsNamed) {
  Kernel k;
  k.body = "%f = arith.constant 1.0 : f32\n%g = math.acos %f : f32\n";
  auto result = run(k.module(), {counting({16})});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].kind, "unknown-operation");
  EXPECT_EQ(result.error()[0].message, "the emulator has no `math.acos`");
  EXPECT_EQ(result.error()[0].span.source->lineColumn(result.error()[0].span.begin).line, k.lineOf("math.acos"));
  k.body = "%f = arith.constant 1 : i3\n";
  EXPECT_EQ(kindOf(run(k.module(), {counting({16})})), "unknown-operation");
}

TEST(Modules, ViewsOfOtherElementsAreNarrowerOnes) {
  Kernel k;
  std::string narrow = "%two = memref.alloca() : memref<2x8xi32, #vmem>\n%n = tpu.memref_bitcast %two : "
                       "memref<2x8xi32, #vmem> -> memref<4x8xi16, #vmem>\n"
                       "%one = arith.constant dense<1> : vector<4x8xi16>\ntpu.vector_store %n[%c0, %c0], %one {strides "
                       "= array<i32>} : memref<4x8xi16, #vmem>, "
                       "vector<4x8xi16>, \n%back = tpu.vector_load %two[%c0, %c0] {strides = array<i32>} : "
                       "memref<2x8xi32, #vmem>, vector<2x8xi32>, \n"
                       "tpu.log \"words\" : [%back] : vector<2x8xi32>\n";
  k.body = narrow;
  auto result = run(k.module(), {counting({16})});
  ASSERT_TRUE(result && result->diagnostics.empty()) << errorText(result ? result->diagnostics : result.error());
  EXPECT_NE(result->printed.find("{ 65537, 65537,"), std::string::npos) << result->printed;
}

// Rows 0 and 1 of 16-bit elements are the low and the high halves of row 0 of words. For bytes there are four rows.
TEST(Modules, ViewsOfOtherElementsAreWiderOnes) {
  Kernel k;
  k.body =
      "%four = memref.alloca() : memref<4x8xi16, #vmem>\n%wide = tpu.memref_bitcast %four : memref<4x8xi16, #vmem> -> "
      "memref<2x8xi32, #vmem>\n%word = arith.constant dense<196610> : vector<2x8xi32>\n" // the halves are 3 and 2
      "tpu.vector_store %wide[%c0, %c0], %word {strides = array<i32>} : memref<2x8xi32, #vmem>, vector<2x8xi32>, \n"
      "%half = tpu.vector_load %four[%c0, %c0] {strides = array<i32>} : memref<4x8xi16, #vmem>, vector<4x8xi16>, \n"
      "tpu.log \"halves\" : [%half] : vector<4x8xi16>\n"
      "%part = tpu.memref_slice %wide[%i1, %i0] : memref<2x8xi32, #vmem> -> memref<1x8xi32, #vmem>\n"
      "%row = tpu.memref_squeeze %part : memref<1x8xi32, #vmem> -> memref<8xi32, #vmem>\n"
      "tpu.log_buffer \"row\" {shape = array<i64: 8>} : %row : memref<8xi32, #vmem>\n"
      "%b = tpu.memref_bitcast %wide : memref<2x8xi32, #vmem> -> memref<8x8xi8, #vmem>\n"
      "%bytes = tpu.vector_load %b[%c0, %c0] {strides = array<i32>} : memref<8x8xi8, #vmem>, vector<8x8xi8>, \n"
      "tpu.log \"bytes\" : [%bytes] : vector<8x8xi8>\n";
  auto result = run(k.module(), {counting({16})});
  ASSERT_TRUE(result && result->diagnostics.empty()) << errorText(result ? result->diagnostics : result.error());
  EXPECT_NE(result->printed.find("{ 2, 2, 2, 2, 2, 2, 2, 2 },\n  { 3, 3,"), std::string::npos) << result->printed;
  EXPECT_NE(result->printed.find("row, data: s32[8] { 196610, 196610,"), std::string::npos) << result->printed;
}

TEST(Modules, ThatNeedMoreMemoryThanThereIsAreRefusedBeforeItIsTaken) {
  Kernel k;
  for (std::string_view type : {"memref<999999999999xi32, #vmem>", "memref<9999999999x9999999999xi32, #hbm>",
                                "memref<99999999999xi8, #shared>"}) {
    k.body = text("%big = memref.alloca() : ", type, "\n");
    EXPECT_EQ(kindOf(run(k.module(), {counting({16})})), "scratch-memory") << type;
  }
  k.body = "%many = tpu.sem_alloc : memref<99999999x!tpu.semaphore, #sem>\n";
  EXPECT_EQ(kindOf(run(k.module(), {counting({16})})), "scratch-memory");
  k.body = "";
  k.elements = int64_t{1} << 40;
  EXPECT_EQ(kindOf(run(k.module(), {})), "scratch-memory");
}

TEST(Modules, LoopsHaveAPositiveStep) {
  Kernel k;
  k.body = "scf.for %i = %i0 to %i1 step %i0 : i32 {\n}\n";
  EXPECT_EQ(kindOf(run(k.module(), {counting({16})})), "loop-step");
}

TEST(Modules, ThatNeverEndAreStopped) {
  Kernel k;
  k.body = "%true = arith.constant true\nscf.while : () -> () {\nscf.condition(%true)\n} do {\nscf.yield\n}\n";
  EmulatorOptions options;
  options.timeoutSeconds = 0.2;
  EXPECT_EQ(kindOf(run(k.module(), {counting({16})}, options)), "timeout");
  std::atomic<bool> interrupted = true;
  options.interrupted = &interrupted;
  EXPECT_EQ(kindOf(run(k.module(), {counting({16})}, options)), "interrupted");
}

TEST(Traces, HaveATrackForEachSubcoreAndTheCopiesInFlight) {
  Kernel k;
  k.cores = 2;
  k.subcores = 3;
  k.body = "\"tpu.trace_start\"() <{level = 10 : i32, message = \"fetch\"}> : () -> ()\n" +
           k.copy("%x", "hbm", "%v", "vmem") + "\"tpu.trace_stop\"() : () -> ()\n";
  EmulatorOptions options;
  options.trace = true;
  auto result = run(k.module(), {counting({16})}, options);
  ASSERT_TRUE(result && result->trace) << errorText(result ? result->diagnostics : result.error());
  const Trace &trace = *result->trace;
  EXPECT_TRUE(trace.emulated);
  ASSERT_EQ(trace.tracks.size(), 6u);
  EXPECT_EQ(trace.tracks[4].processName, "SparseCore 1");
  EXPECT_EQ(trace.tracks[4].threadName, "vector subcore 1");
  ASSERT_EQ(trace.tracks[0].slices.size(), 3u); // the kernel, the region, and the wait inside it
  EXPECT_EQ(trace.names[trace.tracks[0].slices[1].name], "fetch");
  ASSERT_EQ(trace.flights.size(), 6u);
  EXPECT_EQ(trace.names[trace.flights[0].name], "copy hbm → vmem");
  EXPECT_NE(trace.flights[0].detail.find("64 bytes, line "), std::string::npos);
  EXPECT_TRUE(parseChromeTrace(Source::make("t.json", toChromeJson(trace))));
}

// Kernels with random bytes changed give an error, a fault or a result, and never crash.
TEST(Modules, ThatAreDamagedDoNotCrash) {
  std::vector<std::string> texts{windowed("4", "", kRows + ", " + kBack, kThrough),
                                 copies("%x: memref<8xi32, #hbm>, %o: memref<8xi32, #hbm>", "%x", "%o")};
  Kernel k;
  k.subcores = 2;
  k.body = k.copy("%x", "hbm", "%v", "vmem") + k.load("%a", "%v") +
           "%mask = arith.cmpi slt, %a, %a : vector<16xi32>\n%q = tpu.scan <sum>, %a masked %mask {dimension = 0 : "
           "i64} : vector<16xi32>, vector<16xi1> -> vector<16xi32>\n"
           "%om, %ok, %ov = tpu.sort %a, %q masked %mask : (vector<16xi32>, vector<16xi32>, vector<16xi1>) -> "
           "(vector<16xi1>, vector<16xi32>, vector<16xi32>)\n"
           "tpu.vector_store_idx %v[%a], %q {add = true} : memref<16xi32, #vmem>[vector<16xi32>], vector<16xi32>, "
           "\ntpu.barrier barrier_id(%c0)\n"
           "%p = tpu.pack_subelements %a, %q {pack_format = #tpu.pack_format<interleaved>, positions = array<i32: 0, "
           "1>} : vector<16xi32>, vector<16xi32> -> vector<32xi16>\n"
           "%e = vector.extract_strided_slice %a {offsets = [2], sizes = [4], strides = [1]} : vector<16xi32> to "
           "vector<4xi32>\n"
           "%part = tpu.memref_slice %x[%sub] : memref<16xi32, #hbm> -> memref<8xi32, #hbm>\nscf.for %i = %i0 to %sub "
           "step %i1 : i32 {\ntpu.log \"n\" : [%i] : i32\n}\n";
  texts.push_back(k.module());
  k.body =
      "%til = memref.alloca() : memref<4x8xi32, #tpu.tiled<(2,4),[2,1]>, #vmem>\n%h = tpu.memref_reshape %til : "
      "memref<4x8xi32, #tpu.tiled<(2,4),[2,1]>, #vmem> -> memref<2x2x8xi32, #tpu.tiled<(2,4),[2,2,1]>, #vmem>\n"
      "%four = memref.alloca() : memref<4x8xi16, #vmem>\n%wide = tpu.memref_bitcast %four : memref<4x8xi16, #vmem> -> "
      "memref<2x8xi32, #vmem>\n%part = tpu.memref_slice %wide[%i1, %i0] : memref<2x8xi32, #vmem> -> memref<1x8xi32, "
      "#vmem>\n%row = tpu.memref_squeeze %part : memref<1x8xi32, #vmem> -> memref<8xi32, #vmem>\n"
      "%n = tpu.memref_bitcast %wide : memref<2x8xi32, #vmem> -> memref<8x8xi8, #vmem>\n"
      "%got = func.call @double(%sub) : (i32) -> i32\ntpu.log \"got\" : [%got] : i32\n"
      "tpu.log_buffer \"row\" {shape = array<i64: 8>} : %row : memref<8xi32, #vmem>\n"
      "tpu.log_buffer \"til\" {shape = array<i64: 2, 2, 8>} : %h : memref<2x2x8xi32, #tpu.tiled<(2,4),[2,2,1]>, "
      "#vmem>\n";
  texts.push_back(k.module() +
                  "func.func @double(%n: i32) -> i32 {\n%d = arith.addi %n, %n : i32\nreturn %d : i32\n}\n");
  std::string rows = "{transform_indices = affine_map<(d0) -> ((d0 * 3 + 1) mod 4, d0 floordiv 4)>, window_bounds = "
                     "array<i64: 1, 8>}";
  texts.push_back(windowed("4", "", rows + ", {transform_indices = affine_map<(d0) -> (3 - d0, 0)>}", kThrough));
  std::mt19937 random(7);
  const std::string letters = "0123456789-x<>,%:[]{}()ivfcsmb ";
  EmulatorOptions options;
  options.timeoutSeconds = 0.2;
  size_t ran = 0;
  for (int n = 0; n < 2500; ++n) {
    options.tensorCoreTiles = n % 3 == 0;
    std::string text = texts[random() % texts.size()];
    for (size_t changes = 1 + random() % 3; changes > 0; --changes) {
      size_t at = random() % text.size();
      if (random() % 3 == 0)
        text.erase(at, 1 + random() % 4);
      else
        text[at] = letters[random() % letters.size()];
    }
    auto program = decoded(Source::make("m.mlir", text));
    if (!program)
      continue;
    OperandPlan plan = planOperands(*program, 0);
    std::vector<Array> inputs;
    for (const auto &operand : plan.operands)
      if (operand.used && !operand.written &&
          checkedArrayBytes(operand.element.dtype, operand.shape).value_or(1 << 30) < 1 << 20)
        inputs.push_back(Array::zeros(operand.element.dtype, operand.shape));
    auto result = emulate(*program, inputs, options);
    ran += result.has_value();
  }
  EXPECT_GT(ran, 20u); // some changes leave a valid module
}

} // namespace
} // namespace lanescope::core::sparsecore::test
