// The rows of MatrixInstruction.h. Sources are given by the titles of sections of PTX ISA 9.1. The rows of `mma` and
// `wgmma` and tcgen05's qualifiers were compared with the instructions that ptxas 13.0 assembles.
#include "layouts/fragments/MatrixInstruction.h"

namespace lanescope::layouts {

namespace {

using enum MatrixType;

constexpr SizeRule multiplesOf(int64_t step, int64_t most) { return {{}, step, most}; }
constexpr SizeRule only(std::initializer_list<int64_t> sizes) { return {sizes}; }

constexpr FewOf<MatrixType, 5> kNarrow = {E4M3, E5M2, E3M2, E2M3, E2M1};

/// The kinds with block scales ("Block Scaling for mma.sync", "Valid combinations of scale_vectorsize with types and
/// MMA-Kind"). `mma` has had `scale_vec::4X` with `ue8m0` since PTX 9.1, and tcgen05 since its first version.
constexpr FewOf<BlockScale, 3> kMxf8f6f4Scales = {{1, 32, UE8M0}}, kMxf4Scales = {{2, 32, UE8M0}},
                               kMxf4nvf4Scales = {{4, 16, UE4M3}, {4, 16, UE8M0}, {2, 32, UE8M0}},
                               kMmaMxf4nvf4Scales = {{4, 16, UE4M3}, {4, 16, UE8M0, 91}, {2, 32, UE8M0}};

//===------------------------------------ mma ---------------------------------------------------------------------===//

/// PTX ISA, "Matrix multiply-accumulate operation using mma instruction", "… using mma.sp instruction with sparse
/// matrix A".
void addMma(std::vector<MatrixInstruction> &all) {
  auto add = [&](MatrixInstruction row) {
    row.family = MatrixFamily::Mma;
    row.columns = only({8});
    all.push_back(row);
  };
  constexpr SizeRule kEight = only({8}), kSixteen = only({16});
  add({.inputs = {F16},
       .outputs = {F32, F16},
       .rows = kEight,
       .depthBits = {64},
       .mixesSums = true,
       .transposes = true});
  add({.inputs = {F16}, .outputs = {F32, F16}, .rows = kSixteen, .depthBits = {128, 256}});
  add({.inputs = {BF16}, .outputs = {F32}, .rows = kSixteen, .depthBits = {128, 256}});
  add({.inputs = {TF32}, .outputs = {F32}, .rows = kSixteen, .depthBits = {128, 256}});
  add({.inputs = {F64}, .outputs = {F64}, .rows = kEight, .depthBits = {256}});
  add({.inputs = {F64}, .outputs = {F64}, .rows = kSixteen, .depthBits = {256, 512, 1024}});
  for (FewOf<MatrixType, 5> integers : {FewOf<MatrixType, 5>{S8, U8}, {S4, U4}, {B1}}) {
    bool saturates = integers.front() != B1;
    add({.inputs = integers, .outputs = {S32}, .rows = kEight, .depthBits = {128}, .saturates = saturates});
    add({.inputs = integers, .outputs = {S32}, .rows = kSixteen, .depthBits = {128, 256}, .saturates = saturates});
  }
  add({.inputs = {E4M3, E5M2}, .outputs = {F32}, .rows = kSixteen, .depthBits = {128}, .ptxIsa = 87});
  add({.inputs = {E4M3, E5M2}, .outputs = {F32}, .rows = kSixteen, .depthBits = {256}});
  add({.inputs = {E4M3, E5M2}, .outputs = {F16}, .rows = kSixteen, .depthBits = {128, 256}, .ptxIsa = 87});
  auto addKinds = [&](bool sparse) {
    int bits = sparse ? 512 : 256;
    add({.kind = "f8f6f4",
         .sparse = sparse,
         .inputs = kNarrow,
         .outputs = {F32, F16},
         .rows = kSixteen,
         .depthBits = {bits},
         .container = 8});
    add({.kind = "mxf8f6f4",
         .sparse = sparse,
         .inputs = kNarrow,
         .outputs = {F32},
         .rows = kSixteen,
         .depthBits = {bits},
         .container = 8,
         .scales = kMxf8f6f4Scales});
    for (auto [kind, scales] : {std::pair("mxf4", kMxf4Scales), std::pair("mxf4nvf4", kMmaMxf4nvf4Scales)})
      add({.kind = kind,
           .sparse = sparse,
           .inputs = {E2M1},
           .outputs = {F32},
           .rows = kSixteen,
           .depthBits = {bits},
           .scales = scales});
  };
  addKinds(false);
  add({.sparse = true, .inputs = {F16}, .outputs = {F32, F16}, .rows = kSixteen, .depthBits = {256, 512}});
  add({.sparse = true, .inputs = {BF16}, .outputs = {F32}, .rows = kSixteen, .depthBits = {256, 512}});
  add({.sparse = true, .inputs = {TF32}, .outputs = {F32}, .rows = kSixteen, .depthBits = {256, 512}});
  for (FewOf<MatrixType, 5> integers : {FewOf<MatrixType, 5>{S8, U8}, {S4, U4}})
    add({.sparse = true,
         .inputs = integers,
         .outputs = {S32},
         .rows = kSixteen,
         .depthBits = {256, 512},
         .saturates = true});
  add({.sparse = true, .inputs = {E4M3, E5M2}, .outputs = {F32}, .rows = kSixteen, .depthBits = {512}});
  addKinds(true);
}

//===------------------------------------ wgmma, tcgen05 ----------------------------------------------------------===//

/// N for integers in one CTA: 8, 16, 24, 32, then steps of 16.
constexpr SizeRule kIntegerColumns = {{8, 24}, 16, 256};

/// PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions": "Matrix Shape", "Matrix
/// Data-types"; majors and signs: "wgmma.mma_async" (imm-trans-a, imm-scale-a).
void addWgmma(std::vector<MatrixInstruction> &all) {
  for (bool sparse : {false, true}) {
    auto add = [&](MatrixInstruction row) {
      bool integer = row.outputs.front() == S32;
      row.family = MatrixFamily::Wgmma;
      row.sparse = sparse;
      row.rows = only({64});
      row.columns = integer ? kIntegerColumns : multiplesOf(8, 256);
      row.depthBits = {sparse ? 512 : 256};
      row.negates = !integer;
      all.push_back(row);
    };
    add({.inputs = {F16}, .outputs = {F32, F16}, .transposes = true});
    add({.inputs = {BF16}, .outputs = {F32}, .transposes = true});
    add({.inputs = {TF32}, .outputs = {F32}});
    add({.inputs = {E4M3, E5M2}, .outputs = {F32, F16}});
    add({.inputs = {S8, U8}, .outputs = {S32}, .saturates = true});
    if (!sparse)
      add({.inputs = {B1}, .outputs = {S32}});
  }
}

/// PTX ISA, "Various combinations of .kind and shapes", "Transpose and Negate operations". The rows are for one CTA,
/// for a pair, and for `.ws`.
void addTcgen05(std::vector<MatrixInstruction> &all) {
  const MatrixInstruction kinds[] = {
      {.kind = "f16", .inputs = {F16}, .outputs = {F32, F16}, .negates = true, .transposes = true},
      {.kind = "f16", .inputs = {BF16}, .outputs = {F32}, .negates = true, .transposes = true},
      {.kind = "tf32", .inputs = {TF32}, .outputs = {F32}, .negates = true, .transposes = true},
      {.kind = "f8f6f4", .inputs = kNarrow, .outputs = {F32, F16}, .container = 8, .negates = true, .transposes = true},
      {.kind = "i8", .inputs = {S8, U8}, .outputs = {S32}, .saturates = true, .transposes = true},
      {.kind = "mxf8f6f4",
       .inputs = kNarrow,
       .outputs = {F32},
       .container = 8,
       .scales = kMxf8f6f4Scales,
       .negates = true,
       .transposes = true},
      {.kind = "mxf4", .inputs = {E2M1}, .outputs = {F32}, .scales = kMxf4Scales, .negates = true},
      {.kind = "mxf4nvf4", .inputs = {E2M1}, .outputs = {F32}, .scales = kMxf4nvf4Scales, .negates = true},
  };
  for (MatrixInstruction row : kinds) {
    bool scaled = !row.scales.empty(), integer = row.outputs.front() == S32;
    row.family = MatrixFamily::Tcgen05;
    for (bool sparse : {false, true}) {
      row.sparse = sparse;
      row.depthBits = {sparse ? 512 : 256};
      row.rows = scaled ? only({128}) : only({64, 128});
      row.columns = integer ? kIntegerColumns : multiplesOf(8, 256);
      all.push_back(row);

      row.ctas = 2;
      row.rows = scaled && sparse ? only({256}) : only({128, 256});
      row.columns = multiplesOf(integer ? 32 : 16, 256);
      all.push_back(row);
      // This is the only size with two values of K; the other one is 96, PTX's K1.
      if (row.elementBits() == 4 && !sparse) {
        row.rows = only({256});
        row.depthBits = {384};
        all.push_back(row);
      }
      row.ctas = 1;
      if (scaled)
        continue;
      row.weightStationary = true;
      row.rows = only({32, 64, 128});
      row.columns = sparse ? only({64, 128}) : only({64, 128, 256});
      all.push_back(row);
      row.weightStationary = false;
    }
  }
}

} // namespace

const std::vector<MatrixInstruction> &matrixInstructions() {
  static const std::vector<MatrixInstruction> all = [] {
    std::vector<MatrixInstruction> rows;
    addMma(rows);
    addWgmma(rows);
    addTcgen05(rows);
    return rows;
  }();
  return all;
}

} // namespace lanescope::layouts
