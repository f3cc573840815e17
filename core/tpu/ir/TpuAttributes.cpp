// Attributes of the `tpu` dialect: parsing, printing, and the meaning of a tiled layout for MLIR.
#include "core/tpu/ir/Tpu.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "core/tpu/ir/TpuEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "core/tpu/ir/TpuAttributes.cpp.inc"

namespace lanescope::core::tpu {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

void TpuDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "core/tpu/ir/TpuAttributes.cpp.inc"
      >();
}

static Result<layouts::TiledMemoryLayout> layoutOf(llvm::ArrayRef<mlir::DenseI64ArrayAttr> tiles,
                                                   llvm::ArrayRef<int64_t> strides) {
  std::vector<layouts::Shape> sizes;
  for (mlir::DenseI64ArrayAttr tile : tiles)
    sizes.push_back(tile.asArrayRef().vec());
  return layouts::TiledMemoryLayout::make(std::move(sizes), strides.vec());
}

layouts::TiledMemoryLayout toLayout(TiledLayoutAttr attribute) {
  // This cannot fail, because the verifier has already built the same layout.
  return *layoutOf(attribute.getTiles(), attribute.getStrides());
}

TiledLayoutAttr toAttribute(mlir::MLIRContext *context, const layouts::TiledMemoryLayout &layout) {
  llvm::SmallVector<mlir::DenseI64ArrayAttr> tiles;
  for (const layouts::Shape &tile : layout.tiles())
    tiles.push_back(mlir::DenseI64ArrayAttr::get(context, tile));
  return TiledLayoutAttr::get(context, tiles, layout.strides());
}

void TiledLayoutAttr::print(mlir::AsmPrinter &printer) const {
  std::string text = toLayout(*this).text();
  printer << std::string_view(text).substr(text.find('<'));
}

static mlir::ParseResult parseSizes(mlir::AsmParser &parser, mlir::AsmParser::Delimiter delimiter,
                                    llvm::SmallVectorImpl<int64_t> &sizes) {
  return parser.parseCommaSeparatedList(delimiter, [&] { return parser.parseInteger(sizes.emplace_back()); });
}

mlir::Attribute TiledLayoutAttr::parse(mlir::AsmParser &parser, mlir::Type) {
  llvm::SMLoc begin = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  llvm::SmallVector<mlir::DenseI64ArrayAttr> tiles;
  while (mlir::failed(parser.parseOptionalComma())) {
    llvm::SmallVector<int64_t> tile;
    if (parseSizes(parser, mlir::AsmParser::Delimiter::Paren, tile))
      return {};
    tiles.push_back(mlir::DenseI64ArrayAttr::get(parser.getContext(), tile));
  }
  llvm::SmallVector<int64_t> strides;
  if (parseSizes(parser, mlir::AsmParser::Delimiter::Square, strides) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(begin); }, parser.getContext(), tiles, strides);
}

mlir::LogicalResult TiledLayoutAttr::verify(EmitError emitError, llvm::ArrayRef<mlir::DenseI64ArrayAttr> tiles,
                                            llvm::ArrayRef<int64_t> strides) {
  Result<layouts::TiledMemoryLayout> layout = layoutOf(tiles, strides);
  if (layout)
    return mlir::success();
  for (const Diagnostic &problem : layout.error())
    emitError() << problem.message;
  return mlir::failure();
}

mlir::LogicalResult TiledLayoutAttr::verifyLayout(llvm::ArrayRef<int64_t> shape, EmitError emitError) const {
  if (shape.size() != getStrides().size())
    return emitError() << "the tiled layout has " << getStrides().size() << " strides for a reference of rank "
                       << shape.size();
  return mlir::success();
}

mlir::AffineMap TiledLayoutAttr::getAffineMap() const {
  layouts::TiledMemoryLayout layout = toLayout(*this);
  std::vector<mlir::AffineExpr> index;
  for (size_t d = 0; d < layout.rank(); ++d)
    index.push_back(mlir::getAffineDimExpr(static_cast<unsigned>(d), getContext()));
  auto [tile, position] = layout.placeOf<mlir::AffineExpr>(
      index, mlir::getAffineConstantExpr(0, getContext()), [](mlir::AffineExpr x, int64_t n) { return x.floorDiv(n); },
      [](mlir::AffineExpr x, int64_t n) { return x % n; });
  return mlir::AffineMap::get(static_cast<unsigned>(layout.rank()), 0, tile * layout.tileElements() + position);
}

} // namespace lanescope::core::tpu
