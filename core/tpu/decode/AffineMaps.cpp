#include "core/tpu/decode/AffineMaps.h"

#include <cassert>

namespace lanescope::core::sparsecore {
namespace {

class MapDecoder {
public:
  MapDecoder(Function &function, uint32_t indexType) : function_(function), indexType_(indexType) {}

  uint32_t value() {
    function_.values.push_back({.type = indexType_, .at = function_.cells++});
    return static_cast<uint32_t>(function_.values.size() - 1);
  }

  uint32_t decode(mlir::AffineExpr expression) {
    if (auto dimension = mlir::dyn_cast<mlir::AffineDimExpr>(expression))
      return function_.arguments[dimension.getPosition()];
    if (auto constant = mlir::dyn_cast<mlir::AffineConstantExpr>(expression)) {
      Instruction made{.op = Op::Constant, .place = function_.place};
      made.results = {value()};
      made.data = {static_cast<uint64_t>(constant.getValue())};
      function_.code.push_back(std::move(made));
      return function_.values.size() - 1;
    }
    auto both = mlir::cast<mlir::AffineBinaryOpExpr>(expression);
    uint32_t left = decode(both.getLHS()), right = decode(both.getRHS());
    switch (expression.getKind()) {
    case mlir::AffineExprKind::Add: return compute(Elementwise::AddInteger, left, right);
    case mlir::AffineExprKind::Mul: return compute(Elementwise::MulInteger, left, right);
    case mlir::AffineExprKind::FloorDiv: return compute(Elementwise::FloorDivSigned, left, right);
    case mlir::AffineExprKind::CeilDiv: return compute(Elementwise::CeilDivSigned, left, right);
    default: { // modulo, whose result is never negative
      assert(expression.getKind() == mlir::AffineExprKind::Mod);
      uint32_t whole = compute(Elementwise::MulInteger, compute(Elementwise::FloorDivSigned, left, right), right);
      return compute(Elementwise::SubInteger, left, whole);
    }
    }
  }

private:
  uint32_t compute(Elementwise what, uint32_t left, uint32_t right) {
    Instruction made{.op = Op::Elementwise, .sub = static_cast<uint8_t>(what), .place = function_.place};
    made.operands = {left, right};
    made.results = {value()};
    function_.code.push_back(std::move(made));
    return static_cast<uint32_t>(function_.values.size() - 1);
  }

  Function &function_;
  uint32_t indexType_;
};

} // namespace

Function functionOf(mlir::AffineMap map, std::string name, uint32_t indexType, uint32_t place) {
  Function function;
  function.name = std::move(name);
  function.place = place;
  MapDecoder decoder(function, indexType);
  for (unsigned d = 0; d < map.getNumDims(); ++d)
    function.arguments.push_back(decoder.value());
  Instruction end{.op = Op::Return, .place = place};
  for (mlir::AffineExpr result : map.getResults())
    end.operands.push_back(decoder.decode(result));
  function.code.push_back(std::move(end));
  return function;
}

} // namespace lanescope::core::sparsecore
