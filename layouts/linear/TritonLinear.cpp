#include "layouts/linear/TritonLinear.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

/// The size in `shape` for an output named "dim<n>".
int64_t wanted(const Shape &shape, const std::string &output) {
  for (size_t d = 0; d < shape.size(); ++d)
    if (output == standardName(d))
      return shape[d];
  return 1;
}

struct ToLinear {
  const Shape &shape;
  Result<LinearLayout> operator()(const Blocked &e) const { return blockedToLinear(e, shape); }
  Result<LinearLayout> operator()(const NvidiaMma &e) const { return mmaToLinear(e, shape); }
  Result<LinearLayout> operator()(const DotOperand &e) const { return dotOperandToLinear(e, shape); }
  Result<LinearLayout> operator()(const Slice &e) const { return sliceToLinear(e, shape); }
  Result<LinearLayout> operator()(const LinearEncoding &e) const { return linearToShape(e, shape); }
  Result<LinearLayout> operator()(const SwizzledShared &e) const { return swizzledToLinear(e, shape); }
  Result<LinearLayout> operator()(const NvmmaShared &e) const { return nvmmaToLinear(e, shape); }
  Result<LinearLayout> operator()(const SharedLinear &e) const { return sharedLinearToShape(e, shape); }
  Result<LinearLayout> operator()(const PaddedShared &e) const { return paddedToShape(e, shape); }
  Result<LinearLayout> operator()(const PartitionedShared &e) const { return partitionedToLinear(e, shape); }
  Result<LinearLayout> operator()(const AmdMfma &e) const { return mfmaToLinear(e, shape); }
  Result<LinearLayout> operator()(const AmdWmma &e) const { return wmmaToLinear(e, shape); }
  Result<LinearLayout> operator()(const TensorMemory &e) const { return tmemToLinear(e, shape); }
  Result<LinearLayout> operator()(const TensorMemoryScales &e) const { return tmemScalesToLinear(e, shape); }
};

} // namespace

Result<LinearLayout> toLinear(const TritonEncoding &encoding, const Shape &shape) {
  if (shape.size() != encoding.rank())
    return error("layout-shape",
                 Message("the layout is for tensors of rank {rank}, but shape {shape} has rank {other_rank}",
                         encoding.rank(), tupleText(shape), shape.size()));
  int bits = 0;
  for (int64_t size : shape) {
    if (!isPowerOfTwo(size))
      return error("layout-shape", Message("shape {shape} has a size of {size}; Triton's layouts are for powers of two",
                                           tupleText(shape), size));
    bits += log2Exact(size);
  }
  if (bits > 27)
    return error("layout-shape",
                 Message("shape {shape} has 2^{} elements; at most 2^27 are supported", tupleText(shape), bits));
  return std::visit(ToLinear{shape}, encoding.data());
}

LinearLayout identityNd(std::string_view input, const Shape &sizes, const Shape &order) {
  LinearLayout layout;
  for (int64_t d : order)
    layout.extend(input, standardName(static_cast<size_t>(d)), sizes[static_cast<size_t>(d)]);
  return layout;
}

Shape matrixOrder(size_t rank, bool rowMajor) {
  Shape order;
  for (size_t d = rank; d-- > 0;)
    order.push_back(static_cast<int64_t>(d));
  if (!rowMajor && rank >= 2)
    std::swap(order[0], order[1]);
  return order;
}

LinearLayout cgaLayout(const CgaBases &cga, size_t rank) {
  LinearLayout layout;
  layout.mutableBases(kBlock);
  for (size_t d = 0; d < rank; ++d)
    layout.extend(kBlock, standardName(d), 1);
  layout.mutableBases(kBlock) = cga;
  Shape split = ctaSplit(cga, rank);
  for (size_t d = 0; d < rank; ++d)
    layout.setOutputSize(d, static_cast<int32_t>(split[d]));
  return layout;
}

Shape ctaSplit(const CgaBases &cga, size_t rank) {
  Shape split(rank, 1);
  for (const LinearLayout::Basis &basis : cga)
    for (size_t d = 0; d < rank; ++d)
      if (basis[d] != 0)
        split[d] *= 2;
  return split;
}

Shape shapePerCta(const CgaBases &cga, const Shape &shape) {
  Shape split = ctaSplit(cga, shape.size()), part;
  for (size_t d = 0; d < shape.size(); ++d)
    part.push_back(shape[d] / std::min(split[d], shape[d]));
  return part;
}

CgaBases withoutDimension(CgaBases cga, size_t dimension, bool remove) {
  for (LinearLayout::Basis &basis : cga) {
    if (remove)
      basis.erase(basis.begin() + static_cast<std::ptrdiff_t>(dimension));
    else
      basis[dimension] = 0;
  }
  return cga;
}

void shrinkTo(LinearLayout &layout, const Shape &shape, bool dropRegisters) {
  for (size_t d = 0; d < layout.outputs().size(); ++d) {
    int64_t size = wanted(shape, layout.outputs()[d].name);
    if (layout.outputs()[d].size <= size)
      continue;
    for (const LinearLayout::Input &input : layout.inputs()) {
      std::vector<LinearLayout::Basis> &bases = layout.mutableBases(input.name);
      if (dropRegisters && input.name == kRegister)
        std::erase_if(bases, [&](const LinearLayout::Basis &basis) { return basis[d] >= size; });
      else
        for (LinearLayout::Basis &basis : bases)
          basis[d] &= static_cast<int32_t>(size - 1);
    }
    layout.setOutputSize(d, static_cast<int32_t>(size));
  }
}

void growTo(LinearLayout &layout, const Shape &shape, std::string_view input) {
  for (const std::string &output : layout.outputNames()) {
    int64_t size = wanted(shape, output);
    if (layout.outputSize(output) < size)
      layout.extend(input, output, size / layout.outputSize(output));
  }
}

LinearLayout combineWithShape(LinearLayout cta, const CgaBases &cga, const Shape &shape, std::string_view input) {
  LinearLayout blocks = cgaLayout(cga, shape.size());
  shrinkTo(blocks, shape);
  Shape part;
  for (size_t d = 0; d < shape.size(); ++d)
    part.push_back(std::max<int64_t>(1, shape[d] / blocks.outputSize(standardName(d))));
  growTo(cta, part, input);
  shrinkTo(cta, part);
  cta *= blocks;
  cta.orderOutputs(standardNames(shape.size()));
  return cta;
}

} // namespace lanescope::layouts
