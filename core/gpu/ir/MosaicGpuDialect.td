// The `mosaic_gpu` dialect: its name, its barrier type, its attributes. The syntax is JAX's: a module dumped by JAX
// parses here, and our modules read like JAX's.
#ifndef LANESCOPE_CORE_IR_MOSAICGPUDIALECT_TD
#define LANESCOPE_CORE_IR_MOSAICGPUDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def MosaicGpu_Dialect : Dialect {
  let name = "mosaic_gpu";
  let summary = "Kernels at the level of a warpgroup: arrays in registers, asynchronous copies, barriers, tensor cores";
  let cppNamespace = "::lanescope::core::mosaic_gpu";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes(); // in the file that defines them
  }];
}

class MosaicGpu_Type<string name, string mnemonic_, list<Trait> traits = []>
    : TypeDef<MosaicGpu_Dialect, name, traits> {
  let mnemonic = mnemonic_;
}

class MosaicGpu_Attr<string name, string mnemonic_> : AttrDef<MosaicGpu_Dialect, name> {
  let mnemonic = mnemonic_;
}

def MosaicGpu_Barrier : MosaicGpu_Type<"Barrier", "barrier", [MemRefElementTypeInterface]> {
  let summary = "An mbarrier: 8 bytes of shared memory with a phase, pending arrivals and pending bytes";
  let description = [{
    Element type of barrier references: `memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>` is one barrier.
    PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier".
  }];
  let parameters = (ins DefaultValuedParameter<"bool", "false">:$orders_tensor_core);
  let assemblyFormat = "(`<` `orders_tensor_core` `=` $orders_tensor_core^ `>`)?";
}

class MosaicGpu_SixBits<string name, string mnemonic> : MosaicGpu_Type<name, mnemonic, [MemRefElementTypeInterface]> {
  let parameters = (ins "::mlir::Type":$element_type);
  let assemblyFormat = "`<` $element_type `>`";
  let genVerifyDecl = 1;
}

def MosaicGpu_B6x16P32 : MosaicGpu_SixBits<"B6x16P32", "b6x16_p32"> {
  let summary = "16 elements of 6 bits and 32 bits of padding, as a copy to shared memory for `tcgen05` leaves them";
}

def MosaicGpu_P2B6 : MosaicGpu_SixBits<"P2B6", "p2b6"> {
  let summary = "An element of 6 bits in the low bits of a byte";
}

//===------------------------------------ layouts of arrays in registers ------------------------------------------===//
// Each attribute is the text form of a lanescope::layouts value (core/gpu/ir/LayoutAttributes.h converts both ways).
// The verifiers use that library, so an attribute cannot be an invalid layout.

def MosaicGpu_WGSplatFragLayout : MosaicGpu_Attr<"WGSplatFragLayout", "WGSplatFragLayout"> {
  let summary = "Every thread holds the one value of a constant array";
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$shape);
  let assemblyFormat = "`<` $shape `>`";
  let genVerifyDecl = 1;
}

def MosaicGpu_WGStridedFragLayout : MosaicGpu_Attr<"WGStridedFragLayout", "WGStridedFragLayout"> {
  let summary = "Row-major chunks of `vector_size` elements dealt to the 128 threads in turn";
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$shape, "int64_t":$vector_size);
  let assemblyFormat = "`<` $shape `,` $vector_size `>`";
  let genVerifyDecl = 1;
}

def MosaicGpu_Replicated : MosaicGpu_Attr<"Replicated", "Replicated"> {
  let summary = "An entry of warp_dims or lane_dims that stands for `times` copies";
  let parameters = (ins "int64_t":$times);
  let assemblyFormat = "`<` `times` `=` $times `>`";
  let genVerifyDecl = 1;
}

def MosaicGpu_TiledLayout : MosaicGpu_Attr<"TiledLayout", "TiledLayout"> {
  let summary = "Dimensions of the tiled array dealt to warps, lanes and vector positions";
  let description = [{
    ```mlir
    #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>
    ```
  }];
  let parameters = (ins "::mlir::ArrayAttr":$tiling, "::mlir::ArrayAttr":$warp_dims, "::mlir::ArrayAttr":$lane_dims,
                        "int64_t":$vector_dim);
  let assemblyFormat = [{
    `<` $tiling `,` `warp_dims` `=` $warp_dims `,` `lane_dims` `=` $lane_dims `,` `vector_dim` `=` $vector_dim `>`
  }];
  let genVerifyDecl = 1;
}

//===------------------------------------ transforms of shared memory ---------------------------------------------===//

def MosaicGpu_TileTransform : MosaicGpu_Attr<"TileTransform", "tile"> {
  let summary = "Stores the trailing dimensions of a reference tile by tile: (128, 128) tiled by (8, 64) is (16, 2, 8, 64)";
  let parameters = (ins "::mlir::DenseI32ArrayAttr":$tiling);
  let assemblyFormat = "`<` $tiling `>`";
  let genVerifyDecl = 1;
}

def MosaicGpu_SwizzleTransform : MosaicGpu_Attr<"SwizzleTransform", "swizzle"> {
  let summary = "Permutes 16-byte units in rows of `swizzle` bytes as TMA and wgmma do";
  let description = "Printed `#mosaic_gpu.swizzle<128 : i32>` as JAX does; the type may be left out when read.";
  let parameters = (ins "int32_t":$swizzle);
  let assemblyFormat = "`<` custom<SwizzleBytes>($swizzle) `>`";
  let genVerifyDecl = 1;
}

def MosaicGpu_Tmem : MosaicGpu_Attr<"Tmem", "tmem"> {
  let summary = "Memory space: tensor memory, 128 lanes of 512 columns of 32 bits (PTX ISA, \"Tensor Memory\")";
}

//===------------------------------------ copies ------------------------------------------------------------------===//

/// The start of a slice along a dimension, or the rows that it selects.
defvar CopyIndex = AnyTypeOf<[I32, VectorOfRankAndType<[1], [I32, I16, I8]>]>;

/// Identifies allocations that may share their bytes. JAX's dialect declares 64 bits, but some of its modules have 32.
defvar AliasAttr = AnyAttrOf<[I64Attr, I32Attr]>;

//===------------------------------------ multi-block copies ------------------------------------------------------===//

def MosaicGpu_SmemCluster : MosaicGpu_Attr<"SmemCluster", "smem_cluster"> {
  let summary = "Memory space: the shared memory of a block of the cluster, maybe another one";
}

def MosaicGpu_CopyReplicated : MosaicGpu_Attr<"CopyReplicated", "copy_replicated"> {
  let summary = "Every block of the cluster loads the same data; the leader tracks completion";
}

def MosaicGpu_CopyPartitioned : MosaicGpu_Attr<"CopyPartitioned", "copy_partitioned"> {
  let summary = "The blocks of the cluster load parts along `axis`; the leader tracks completion";
  let parameters = (ins "int64_t":$axis);
  let assemblyFormat = "`<` `axis` `=` $axis `>`";
}

//===------------------------------------ enums: stored as i32, as JAX stores them ---------------------------------===//

class MosaicGpu_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::lanescope::core::mosaic_gpu";
}

def MosaicGpu_Dimension : MosaicGpu_Enum<"Dimension", "a dimension of the cluster", [
  I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">, I32EnumAttrCase<"Z", 2, "z">]>;

def MosaicGpu_OobFillMode : MosaicGpu_Enum<"OobFillMode", "what a copy writes for elements out of bounds", [
  I32EnumAttrCase<"Undefined", 0, "undefined">, I32EnumAttrCase<"PromiseInBounds", 1, "promise_in_bounds">,
  I32EnumAttrCase<"Zeros", 2, "zeros">]>;

def MosaicGpu_TmaReduction : MosaicGpu_Enum<"TmaReduction", "how an asynchronous store combines with memory", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Min", 1, "min">, I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"Inc", 3, "inc">, I32EnumAttrCase<"Dec", 4, "dec">, I32EnumAttrCase<"And", 5, "and">,
  I32EnumAttrCase<"Or", 6, "or">, I32EnumAttrCase<"Xor", 7, "xor">, I32EnumAttrCase<"Umin", 8, "umin">,
  I32EnumAttrCase<"Umax", 9, "umax">, I32EnumAttrCase<"Smin", 10, "smin">, I32EnumAttrCase<"Smax", 11, "smax">]>;

def MosaicGpu_TmemLoadReduction : MosaicGpu_Enum<"TmemLoadReduction", "what a load gives of each row", [
  I32EnumAttrCase<"Min", 0, "min">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"AbsMin", 2, "absmin">,
  I32EnumAttrCase<"AbsMax", 3, "absmax">]>;

def MosaicGpu_MultimemReduction : MosaicGpu_Enum<"MultimemReduction", "how a multimem load combines values", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Min", 1, "min">, I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"And", 3, "and">, I32EnumAttrCase<"Or", 4, "or">, I32EnumAttrCase<"Xor", 5, "xor">,
  I32EnumAttrCase<"Umin", 6, "umin">, I32EnumAttrCase<"Umax", 7, "umax">, I32EnumAttrCase<"Smin", 8, "smin">,
  I32EnumAttrCase<"Smax", 9, "smax">]>;

def MosaicGpu_AtomicOp : MosaicGpu_Enum<"AtomicOp", "how an atomic store combines with memory", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Min", 1, "min">, I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"And", 3, "and">, I32EnumAttrCase<"Or", 4, "or">, I32EnumAttrCase<"Xor", 5, "xor">]>;

#endif
