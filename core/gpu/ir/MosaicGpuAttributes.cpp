// Attributes and types of the `mosaic_gpu` dialect: parsing, printing, and verifiers, which use the layout library.
#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/MosaicGpu.h"

#include "layouts/RegisterLayout.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

namespace lanescope::core::mosaic_gpu {

static mlir::ParseResult parseSwizzleBytes(mlir::AsmParser &parser, int32_t &bytes) {
  if (parser.parseInteger(bytes))
    return mlir::failure();
  if (mlir::succeeded(parser.parseOptionalColon())) {
    mlir::Type type;
    llvm::SMLoc place = parser.getCurrentLocation();
    if (parser.parseType(type))
      return mlir::failure();
    if (!type.isInteger(32))
      return parser.emitError(place, "a swizzle is an `i32`");
  }
  return mlir::success();
}

static void printSwizzleBytes(mlir::AsmPrinter &printer, int32_t bytes) { printer << bytes << " : i32"; }

} // namespace lanescope::core::mosaic_gpu

#include "core/gpu/ir/MosaicGpuEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "core/gpu/ir/MosaicGpuAttributes.cpp.inc"

namespace lanescope::core::mosaic_gpu {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

void MosaicGpuDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "core/gpu/ir/MosaicGpuAttributes.cpp.inc"
      >();
}

static mlir::LogicalResult report(EmitError emitError, const Diagnostics &diagnostics) {
  for (const Diagnostic &diagnostic : diagnostics)
    emitError() << diagnostic.message;
  return mlir::failure();
}

static mlir::LogicalResult checkShape(EmitError emitError, mlir::DenseI64ArrayAttr shape) {
  for (int64_t size : shape.asArrayRef())
    if (size < 0)
      return emitError() << "the layout's shape has the negative size " << size;
  return mlir::success();
}

mlir::LogicalResult WGSplatFragLayoutAttr::verify(EmitError emitError, mlir::DenseI64ArrayAttr shape) {
  return checkShape(emitError, shape);
}

mlir::LogicalResult WGStridedFragLayoutAttr::verify(EmitError emitError, mlir::DenseI64ArrayAttr shape,
                                                    int64_t vectorSize) {
  if (mlir::failed(checkShape(emitError, shape)))
    return mlir::failure();
  auto layout = layouts::WGStridedFragLayout::make(shape.asArrayRef().vec(), vectorSize);
  return layout ? mlir::success() : report(emitError, layout.error());
}

mlir::LogicalResult ReplicatedAttr::verify(EmitError emitError, int64_t times) {
  if (times < 1)
    return emitError() << "a dimension cannot be replicated " << times << " times";
  return mlir::success();
}

mlir::LogicalResult TiledLayoutAttr::verify(EmitError emitError, mlir::ArrayAttr tiling, mlir::ArrayAttr warpDims,
                                            mlir::ArrayAttr laneDims, int64_t vectorDim) {
  auto layout = tiledLayoutFrom(tiling, warpDims, laneDims, vectorDim);
  return layout ? mlir::success() : report(emitError, layout.error());
}

static mlir::LogicalResult checkSixBits(EmitError emitError, mlir::Type element) {
  if (element.isIntOrFloat() && element.getIntOrFloatBitWidth() == 6)
    return mlir::success();
  return emitError() << "the element type has 6 bits, unlike " << element;
}

mlir::LogicalResult B6x16P32Type::verify(EmitError emitError, mlir::Type element) {
  return checkSixBits(emitError, element);
}

mlir::LogicalResult P2B6Type::verify(EmitError emitError, mlir::Type element) {
  return checkSixBits(emitError, element);
}

mlir::LogicalResult TileTransformAttr::verify(EmitError emitError, mlir::DenseI32ArrayAttr tiling) {
  if (tiling.empty())
    return emitError() << "a tile has at least one dimension";
  for (int32_t size : tiling.asArrayRef())
    if (size < 1)
      return emitError() << "the tile has the size " << size << ", expected a positive one";
  return mlir::success();
}

mlir::LogicalResult SwizzleTransformAttr::verify(EmitError emitError, int32_t bytes) {
  if (bytes != 16 && bytes != 32 && bytes != 64 && bytes != 128)
    return emitError() << "the swizzle is " << bytes << " bytes, expected 16 (none), 32, 64 or 128";
  return mlir::success();
}

} // namespace lanescope::core::mosaic_gpu
