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
    `tpu.iota {dimensions = array<i32: 2, 0>} : vector<4x3x2xi16>` holds at (i, j, k) the number k * 4 + i.
  }];
  let arguments = (ins DenseI32ArrayAttr:$dimensions);
  let results = (outs VectorOfNonZeroRankOf<[AnyInteger, Index]>:$output);
  let assemblyFormat = "attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def Tpu_ConcatenateOp : Tpu_Op<"concatenate", [Pure]> {
  let summary = "Vectors one after the other along `dimension`";
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$sources, I32Attr:$dimension);
  let results = (outs AnyVectorOfNonZeroRank:$output);
  let assemblyFormat = "$sources `in` $dimension attr-dict `:` type($sources) `->` type($output)";
  let hasVerifier = 1;
}

def Tpu_DynamicGatherOp : Tpu_Op<"dynamic_gather", [Pure, AllShapesMatch<["indices", "output"]>,
                                                    AllElementTypesMatch<["source", "output"]>]> {
  let summary = "Takes elements of `source` by their indices along `dimensions`";
  let description = [{
    The dimensions are collapsed in the order given; an index counts there, modulo their size. The others keep their
    own.
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
  let arguments = (ins AnyVectorOfNonZeroRank:$input);
  let results = (outs AnyVectorOfNonZeroRank:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def Tpu_PackSubelementsOp : Tpu_Op<"pack_subelements", [Pure, SameTypeOperands]> {
  let summary = "Narrows several vectors into one; `positions` says which part of a word each source fills";
  let description = [{
    `interleaved` alternates the sources' elements, `compressed` puts each lane's elements side by side in a dimension
    of its own. Floats round to nearest even, integers keep their low bits.
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
  let description = "Integers are sign-extended, or zero-extended with `unsigned_integers`; see `pack_subelements`.";
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
  let description = "For a mask: the number of lanes that are set (`sum`), or the first of them (`find_first_set`).";
  let arguments = (ins AnyVectorOfNonZeroRank:$input, I64Attr:$dim, Tpu_ReductionKindAttr:$kind);
  let results = (outs AnyVectorOfNonZeroRank:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def Tpu_ScanOp : Tpu_Op<"scan"> {
  let summary = "Running sum, maximum or minimum along the minor dimension";
  let description = [{
    Masked-out elements do not take part; what comes before the first one that does is undefined. `max` and `min` of
    integers compare unsigned. JAX since 2026 also writes the dimension.
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
    Counts start at 1, elements that the mask leaves out keep 1. The mask of the result is set at the last occurrence of
    each value. Vectors of more dimensions: along the minor one.
  }];
  let arguments = (ins Tpu_Mask:$in_mask, AnyVectorOfNonZeroRank:$values);
  let results = (outs Tpu_Mask:$out_mask, VectorOfNonZeroRankOf<[I32]>:$counts);
  let assemblyFormat = [{
    `mask` `(` $in_mask `:` type($in_mask) `)` `value` `(` $values `:` type($values) `)` attr-dict `:` type(results)
  }];
}

def Tpu_SortOp : Tpu_Op<"sort", [Pure]> {
  let summary = "Sorts pairs of key and value by key, stably; masked-out pairs go last";
  let description = "Integer keys compare unsigned. The mask of the result is set where a pair took part.";
  let arguments = (ins VectorOfNonZeroRankOf<[I32, F32]>:$keys, VectorOfNonZeroRankOf<[I32, F32]>:$values,
                       Optional<Tpu_Mask>:$mask, DefaultValuedAttr<BoolAttr, "false">:$descending);
  let results = (outs Tpu_Mask:$output_mask, VectorOfNonZeroRankOf<[I32, F32]>:$sorted_keys,
                      VectorOfNonZeroRankOf<[I32, F32]>:$sorted_values);
  let assemblyFormat = "$keys `,` $values (`masked` $mask^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

//===------------------------------------ scalars -----------------------------------------------------------------===//

def Tpu_AssumeMultipleOp : Tpu_Op<"assume_multiple", [Pure, SameOperandsAndResultType]> {
  let summary = "The value, promised to be a multiple of a number";
  let arguments = (ins AnyTypeOf<[Index, AnyInteger]>:$value, I32Attr:$multiple);
  let results = (outs AnyTypeOf<[Index, AnyInteger]>:$result);
  let assemblyFormat = "$value `,` $multiple attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tpu_DeviceIdOp : Tpu_Op<"device_id", [Pure]> {
  let summary = "The number of this device";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tpu_CoreIdOp : Tpu_Op<"core_id", [Pure]> {
  let summary = "The number of this core";
  let description = "Functions with dimension semantics do not use it: their grid gives the number.";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tpu_SubcoreIdOp : Tpu_Op<"subcore_id", [Pure]> {
  let summary = "The number of this subcore in its core";
  let description = "Functions with dimension semantics do not use it: their grid gives the number.";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif
