// Operations of the `tpu` dialect on vectors in registers.
#ifndef LANESCOPE_CORE_TPU_IR_TPUVECTOROPS_TD
#define LANESCOPE_CORE_TPU_IR_TPUVECTOROPS_TD

include "core/tpu/ir/TpuDialect.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tpu_Op<string mnemonic, list<Trait> traits = []> : Op<Tpu_Dialect, mnemonic, traits>;

def Tpu_Mask : VectorOfNonZeroRankOf<[I1]>;

//===------------------------------------ making and rearranging --------------------------------------------------===//

def Tpu_IotaOp : Tpu_Op<"iota", [Pure]> {
  let summary = "Counts along `dimensions`, collapsed in row-major order";
  let description = [{
    Each element is the position of its index along `dimensions`, which are distinct: `tpu.iota {dimensions = array<i32:
    2, 0>} : vector<4x3x2xi16>` holds at (i, j, k) the number k * 4 + i. The elements are integers or `index`. JAX:
    `jax.lax.iota`, `jax.lax.broadcasted_iota`.

    ```mlir
    %lanes = tpu.iota {dimensions = array<i32: 0>} : vector<16xi32>
    ```
  }];
  let arguments = (ins DenseI32ArrayAttr:$dimensions);
  let results = (outs VectorOfNonZeroRankOf<[AnyInteger, Index]>:$output);
  let assemblyFormat = "attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def Tpu_ConcatenateOp : Tpu_Op<"concatenate", [Pure]> {
  let summary = "Vectors one after the other along `dimension`";
  let description = [{
    There are at least two sources, of one rank and element type and the same sizes in all dimensions but `dimension`,
    where the result has the sum of their sizes. JAX: `jax.lax.concatenate`.

    ```mlir
    %both = tpu.concatenate %first, %second in 0 : vector<16xf32>, vector<16xf32> -> vector<32xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$sources, I32Attr:$dimension);
  let results = (outs AnyVectorOfNonZeroRank:$output);
  let assemblyFormat = "$sources `in` $dimension attr-dict `:` type($sources) `->` type($output)";
  let hasVerifier = 1;
}

def Tpu_DynamicGatherOp : Tpu_Op<"dynamic_gather", [Pure, AllShapesMatch<["indices", "output"]>,
                                                    AllElementTypesMatch<["source", "output"]>]> {
  let summary = "Takes elements of `source` by their indices along `dimensions`";
  let description = [{
    The result has the shape of `indices`. The dimensions are distinct and collapsed in the order given; an index counts
    there, modulo their size. Along the other dimensions, source and result have one size, and an element keeps its
    place. JAX: `jax.lax.gather`, `jax.lax.rev`.

    ```mlir
    %taken = tpu.dynamic_gather %source[%indices] in [0] : vector<16xf32>, vector<16xi32> -> vector<16xf32>
    ```
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$source, VectorOfNonZeroRankOf<[AnyInteger]>:$indices,
                       DenseI32ArrayAttr:$dimensions);
  let results = (outs AnyVectorOfNonZeroRank:$output);
  let assemblyFormat = [{
    $source `[` $indices `]` `in` $dimensions attr-dict `:` type($source) `,` type($indices) `->` type($output)
  }];
  let hasVerifier = 1;
}

def Tpu_BitcastOp : Tpu_Op<"bitcast", [Pure]> {
  let summary = "The same bits as another element type; a change of width scales the second-minor dimension";
  let description = [{
    With elements of another width, the second-minor dimension grows or shrinks so that it has as many bits; such
    vectors have at least two dimensions. The elements are numbers of a fixed width. JAX:
    `jax.lax.bitcast_convert_type`.

    ```mlir
    %floats = tpu.bitcast %integers : vector<16xi32> -> vector<16xf32>
    ```
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$input);
  let results = (outs AnyVectorOfNonZeroRank:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def Tpu_PackSubelementsOp : Tpu_Op<"pack_subelements", [Pure, SameTypeOperands]> {
  let summary = "Narrows several vectors into one";
  let description = [{
    The sources have one type. `positions` says for each source which part of a word it fills; positions are distinct,
    and there are at most as many sources as parts. `interleaved` alternates the sources' elements: [a0, b0, a1, b1, …].
    `compressed` puts each lane's elements side by side in a dimension of their own: [[a0, b0], [a1, b1], …]. Floats
    round to nearest even, integers keep their low bits. JAX: `plsc.pack`.

    ```mlir
    %packed = tpu.pack_subelements %a, %b {pack_format = #tpu.pack_format<interleaved>, positions = array<i32: 0, 1>}
      : vector<16xf32>, vector<16xf32> -> vector<32xbf16>
    ```
  }];
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$sources, DenseI32ArrayAttr:$positions,
                       Tpu_PackFormatAttr:$pack_format,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$unsigned_integers);
  let results = (outs AnyVectorOfNonZeroRank:$output);
  let assemblyFormat = "$sources attr-dict `:` type($sources) `->` type($output)";
  let hasVerifier = 1;
}

def Tpu_UnpackSubelementsOp : Tpu_Op<"unpack_subelements", [Pure]> {
  let summary = "Widens the elements at position `index` of each word";
  let description = [{
    The reverse of `pack_subelements` for the source with the position `index`, which is below the number of parts of a
    word. Integers are sign-extended, or zero-extended with `unsigned_integers`. JAX: `plsc.unpack`.

    ```mlir
    %b = tpu.unpack_subelements %packed, 1 {pack_format = #tpu.pack_format<interleaved>}
      : vector<32xbf16> -> vector<16xf32>
    ```
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$source, I32Attr:$index, Tpu_PackFormatAttr:$pack_format,
                       DefaultValuedAttr<BoolAttr, "true">:$integer_extended,
                       DefaultValuedAttr<BoolAttr, "false">:$unsigned_integers);
  let results = (outs AnyVectorOfNonZeroRank:$output);
  let assemblyFormat = "$source `,` $index attr-dict `:` type($source) `->` type($output)";
  let hasVerifier = 1;
}

//===------------------------------------ across lanes ------------------------------------------------------------===//

def Tpu_AllReduceOp : Tpu_Op<"all_reduce", [Pure]> {
  let summary = "Combines the elements along `dim`; every element of the result holds it";
  let description = [{
    The kinds `sum`, `max` and `min` keep the type. `arg_max` and `arg_min` take f32 or bf16 and give integers of the
    same width. For a mask the result is i32: how many lanes are set (`sum`), or the first one that is
    (`find_first_set`; the number of lanes if there is none). JAX: `plsc.all_reduce_population_count`,
    `plsc.all_reduce_ffs`.

    ```mlir
    %first = tpu.all_reduce %mask {dim = 0 : i64, kind = #tpu.reduction_kind<find_first_set>}
      : vector<16xi1> -> vector<16xi32>
    ```
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$input, I64Attr:$dim, Tpu_ReductionKindAttr:$kind);
  let results = (outs AnyVectorOfNonZeroRank:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def Tpu_ScanOp : Tpu_Op<"scan"> {
  let summary = "Running sum, maximum or minimum along the minor dimension";
  let description = [{
    Lanes outside of the mask take no part and hold the result of the last lane before them that does; the lanes before
    the first one that takes part are undefined. `max` and `min` of integers compare unsigned. The vector has one or two
    dimensions, the mask one. A vector of i1 is counted: `sum`, without another mask, gives i32. JAX also writes the
    dimension since 2026. Only vector subcores have the operation. JAX: `plsc.cumsum`, `plsc.cummax`, `jax.lax.cumsum`.

    ```mlir
    %sums = tpu.scan <sum>, %values masked %mask {dimension = 0 : i64} : vector<16xi32>, vector<16xi1> -> vector<16xi32>
    %counts = tpu.scan <sum>, %mask : vector<16xi1>, -> vector<16xi32>
    ```
  }];
  let arguments = (ins VectorOfNonZeroRankOf<[I1, I16, I32, BF16, F32]>:$input, Tpu_ReductionKindAttr:$kind,
                       Optional<Tpu_Mask>:$mask, OptionalAttr<I64Attr>:$dimension);
  let results = (outs VectorOfNonZeroRankOf<[I16, I32, BF16, F32]>:$output);
  let assemblyFormat = [{
    $kind `,` $input (`masked` $mask^)? attr-dict `:` type($input) `,` type($mask) `->` type($output)
  }];
  let hasVerifier = 1;
}

def Tpu_ScanCountOp : Tpu_Op<"scan_count", [Pure, SameOperandsAndResultShape]> {
  let summary = "How often each element occurred so far, and which occurrence is its last";
  let description = [{
    Counts start at 1; elements outside of the mask do not count and keep 1. The mask of the result is set at the last
    occurrence of each value. In vectors of more dimensions, the minor one is scanned. JAX: `plsc.scan_count`.

    ```mlir
    %last, %counts = tpu.scan_count mask(%mask : vector<16xi1>) value(%values : vector<16xi32>)
      : vector<16xi1>, vector<16xi32>
    ```
  }];
  let arguments = (ins Tpu_Mask:$in_mask, AnyVectorOfNonZeroRank:$values);
  let results = (outs Tpu_Mask:$out_mask, VectorOfNonZeroRankOf<[I32]>:$counts);
  let assemblyFormat = [{
    `mask` `(` $in_mask `:` type($in_mask) `)` `value` `(` $values `:` type($values) `)` attr-dict `:` type(results)
  }];
}

def Tpu_SortOp : Tpu_Op<"sort", [Pure]> {
  let summary = "Sorts pairs of key and value by key, stably; masked-out pairs go last";
  let description = [{
    Keys, values and masks have one shape; elements are i32 or f32. The minor dimension is sorted. Integer keys compare
    unsigned. The mask of the result is set where a pair took part. JAX: `jax.lax.sort`, `plsc.sort_key_val`.

    ```mlir
    %taken, %sorted_keys, %sorted_values = tpu.sort %keys, %values masked %mask {descending = true}
      : (vector<16xi32>, vector<16xf32>, vector<16xi1>) -> (vector<16xi1>, vector<16xi32>, vector<16xf32>)
    ```
  }];
  let arguments = (ins VectorOfNonZeroRankOf<[I32, F32]>:$keys, VectorOfNonZeroRankOf<[I32, F32]>:$values,
                       Optional<Tpu_Mask>:$mask, DefaultValuedAttr<BoolAttr, "false">:$descending);
  let results = (outs Tpu_Mask:$output_mask, VectorOfNonZeroRankOf<[I32, F32]>:$sorted_keys,
                      VectorOfNonZeroRankOf<[I32, F32]>:$sorted_values);
  let assemblyFormat = "$keys `,` $values (`masked` $mask^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

//===------------------------------------ scalars -----------------------------------------------------------------===//

def Tpu_AssumeMultipleOp : Tpu_Op<"assume_multiple", [Pure, SameOperandsAndResultType]> {
  let summary = "The same number, with the promise that it is a multiple of `multiple`";
  let description = [{
    `multiple` is positive. A constant for which the promise is false is an error; other numbers are not checked. JAX:
    `pl.multiple_of`.

    ```mlir
    %offset = tpu.assume_multiple %number, 8 : i32
    ```
  }];
  let arguments = (ins AnyTypeOf<[Index, AnyInteger]>:$value, I32Attr:$multiple);
  let results = (outs AnyTypeOf<[Index, AnyInteger]>:$result);
  let assemblyFormat = "$value `,` $multiple attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tpu_DeviceIdOp : Tpu_Op<"device_id", [Pure]> {
  let summary = "The number of this device";
  let description = [{
    The number counts the devices that run the kernel together. JAX: `jax.lax.axis_index` of an axis of the device mesh.

    ```mlir
    %device = tpu.device_id : i32
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tpu_CoreIdOp : Tpu_Op<"core_id", [Pure]> {
  let summary = "The number of this core";
  let description = [{
    It is for functions of a SparseCore without dimension semantics. Functions with dimension semantics have the number
    among their arguments, the indices of the grid. JAX has no function for it: `jax.lax.axis_index` of a core axis is
    such an argument.

    ```mlir
    %core = tpu.core_id : i32
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tpu_SubcoreIdOp : Tpu_Op<"subcore_id", [Pure]> {
  let summary = "The number of this subcore in its core";
  let description = [{
    It is for functions of a SparseCore without dimension semantics. Functions with dimension semantics have the number
    among their arguments, the indices of the grid. JAX has no function for it: `jax.lax.axis_index` of a subcore axis
    is such an argument.

    ```mlir
    %subcore = tpu.subcore_id : i32
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif
