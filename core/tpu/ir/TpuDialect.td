// The part of the `tpu` dialect that SparseCore kernels use: its name, types, attributes and enums. The syntax is JAX's
// (jax-ml/jax, jaxlib/mosaic/dialect/tpu), so that each project can read the other's modules.
#ifndef LANESCOPE_CORE_TPU_IR_TPUDIALECT_TD
#define LANESCOPE_CORE_TPU_IR_TPUDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Tpu_Dialect : Dialect {
  let name = "tpu";
  let summary = "Kernels for one subcore of a SparseCore: vectors of lanes, memories, asynchronous copies, semaphores";
  let cppNamespace = "::lanescope::core::tpu";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes(); // in the file that defines them
  }];
}

//===------------------------------------ types -------------------------------------------------------------------===//

class Tpu_Type<string name, string mnemonic_, list<Trait> traits = []> : TypeDef<Tpu_Dialect, name, traits> {
  let mnemonic = mnemonic_;
}

def Tpu_Semaphore : Tpu_Type<"Semaphore", "semaphore", [MemRefElementTypeInterface]> {
  let summary = "A counter that cores signal and wait for; element type of references in `semaphore_mem`";
}

def Tpu_DMASemaphore : Tpu_Type<"DMASemaphore", "dma_semaphore", [MemRefElementTypeInterface]> {
  let summary = "Counts the bytes of finished copies; element type of references in `semaphore_mem`";
}

//===------------------------------------ enums: stored as i32, printed `#tpu.name<value>` ------------------------===//

class Tpu_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::lanescope::core::tpu";
  let genSpecializedAttr = 0;
}

class Tpu_EnumAttr<EnumInfo values, string mnemonic> : EnumAttr<Tpu_Dialect, values, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def Tpu_CoreType : Tpu_Enum<"CoreType", "which of a TPU's cores runs a function", [
  I32EnumAttrCase<"Tc", 0, "tc">, I32EnumAttrCase<"ScScalarSubcore", 1, "sc_scalar_subcore">,
  I32EnumAttrCase<"ScVectorSubcore", 2, "sc_vector_subcore">]>;
def Tpu_CoreTypeAttr : Tpu_EnumAttr<Tpu_CoreType, "core_type">;

def Tpu_DimensionSemantics : Tpu_Enum<"DimensionSemantics", "how a dimension of the grid may be run", [
  I32EnumAttrCase<"Parallel", 0, "parallel">, I32EnumAttrCase<"Arbitrary", 1, "arbitrary">,
  I32EnumAttrCase<"CoreParallel", 2, "core_parallel">, I32EnumAttrCase<"SubcoreParallel", 3, "subcore_parallel">]>;
def Tpu_DimensionSemanticsAttr : Tpu_EnumAttr<Tpu_DimensionSemantics, "dimension_semantics">;

def Tpu_MemorySpace : Tpu_Enum<"MemorySpace", "a memory of the machine", [
  I32EnumAttrCase<"Any", 4294967295, "any">, I32EnumAttrCase<"Vmem", 0, "vmem">, I32EnumAttrCase<"Smem", 1, "smem">,
  I32EnumAttrCase<"Hbm", 2, "hbm">, I32EnumAttrCase<"Cmem", 3, "cmem">,
  I32EnumAttrCase<"SemaphoreMem", 4, "semaphore_mem">, I32EnumAttrCase<"VmemShared", 5, "vmem_shared">,
  I32EnumAttrCase<"Host", 6, "host">]>;

def Tpu_ReductionKind : Tpu_Enum<"ReductionKind", "how elements combine", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"Min", 2, "min">,
  I32EnumAttrCase<"ArgMax", 3, "arg_max">, I32EnumAttrCase<"ArgMin", 4, "arg_min">,
  I32EnumAttrCase<"FindFirstSet", 5, "find_first_set">]>;
def Tpu_ReductionKindAttr : Tpu_EnumAttr<Tpu_ReductionKind, "reduction_kind">;

def Tpu_PackFormat : Tpu_Enum<"PackFormat", "where packed elements go", [
  I32EnumAttrCase<"Compressed", 0, "compressed">, I32EnumAttrCase<"Interleaved", 1, "interleaved">]>;
def Tpu_PackFormatAttr : Tpu_EnumAttr<Tpu_PackFormat, "pack_format">;

//===------------------------------------ attributes --------------------------------------------------------------===//

class Tpu_Attr<string name, string mnemonic_, list<Trait> traits = []> : AttrDef<Tpu_Dialect, name, traits> {
  let mnemonic = mnemonic_;
}

def Tpu_MemorySpaceAttr : Tpu_Attr<"MemorySpace", "memory_space"> {
  let summary = "Memory space of a reference; another core's memory also names the type of that core";
  let description = "`#tpu.memory_space<vmem>`, `#tpu.memory_space<semaphore_mem, sc_vector_subcore>`.";
  let parameters = (ins EnumParameter<Tpu_MemorySpace>:$value,
                        OptionalParameter<"::std::optional<CoreType>">:$core_type);
  let assemblyFormat = "`<` $value (`,` $core_type^)? `>`";
  let builders = [AttrBuilder<(ins "MemorySpace":$value), [{ return get($_ctxt, value, ::std::nullopt); }]>];
}

def Tpu_TiledLayoutAttr : Tpu_Attr<"TiledLayout", "tiled",
    [DeclareAttrInterfaceMethods<MemRefLayoutAttrInterface, ["verifyLayout"]>]> {
  let summary = "Layout of a reference whose trailing dimensions are stored tile by tile";
  let description = [{
    `#tpu.tiled<(8,128)(2,1),[2,1]>`: tiles, first to last, then one stride for each dimension of the array, in first
    tiles. The text form of a lanescope::layouts::TiledMemoryLayout, which says what it means.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::DenseI64ArrayAttr">:$tiles, ArrayRefParameter<"int64_t">:$strides);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif
