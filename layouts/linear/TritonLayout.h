// A Triton layout as a Layout: an encoding, and the type in which it was written, if there is one.
//
//   auto layout = TritonLayout::make(encoding, TritonType{.shape = {128, 64}, .element = "f16", .bitwidth = 16});
//   layout->text()           ->  "tensor<128x64xf16, #ttg.blocked<{…}>>"
//   layout->shape()          ->  {128, 64}
//
// Registers: threads are block-major, (block*warps + warp)*threadsPerWarp + lane; for AMD's mfma, the maps have 64
// threads per warp. Shared and tensor memory: the parts of the blocks follow one another. A buffer with one more
// dimension than the encoding (`memdesc<2x128x64xf16, …>`) is that many buffers in a row.
#pragma once

#include "layouts/Layout.h"
#include "layouts/linear/TritonEncoding.h"

namespace lanescope::layouts {

/// The type of a layout's tensor or buffer: `tensor<128x64xf16, …>`, or `!ttg.memdesc<128x64xf16, …,
/// #ttg.shared_memory, mutable, 2x128x64>`.
struct TritonType {
  Shape shape;
  std::string element = "f32";
  int bitwidth = 32;
  bool memdesc = false;
  std::string space = {}; // "#ttg.shared_memory"; empty if none was written
  bool isMutable = false;
  std::optional<Shape> allocation = {}; // the shape of the buffer that contains this one
};

/// The bits of an element type, by its MLIR name: f16, bf16, i8, f8E4M3FN, !tt.ptr<…>; i1 takes a byte. 0: not a type.
int elementBits(std::string_view type);

class TritonLayout : public ForeignLayout {
public:
  explicit TritonLayout(TritonEncoding encoding, std::optional<TritonType> type = std::nullopt)
      : encoding_(std::move(encoding)), type_(std::move(type)) {}
  static Layout make(TritonEncoding encoding, std::optional<TritonType> type = std::nullopt) {
    return Foreign(std::make_shared<const TritonLayout>(std::move(encoding), std::move(type)));
  }

  const TritonEncoding &encoding() const { return encoding_; }
  const std::optional<TritonType> &type() const { return type_; }
  /// The linear layout for a shape; see toLinear(). If the shape has a leading dimension that counts buffers, this is
  /// the layout of one buffer.
  Result<LinearLayout> linear(const Shape &shape) const;

  std::string_view language() const override { return "triton"; }
  std::string text() const override;
  std::vector<Memory> memories() const override;
  std::optional<Shape> shape() const override;
  std::optional<int> bitwidth() const override;
  Result<ElementMap> elementMap(const Shape &shape) const override;
  Result<AddressMap> addressMap(const Shape &shape, int bitwidth) const override;
  Result<TmemMap> tmemMap(const Shape &shape, int bitwidth) const override;
  Result<std::vector<ExplainStep>> explain(const Shape &shape, const Shape &index) const override;

private:
  Layout self() const { return make(encoding_, type_); }

  TritonEncoding encoding_;
  std::optional<TritonType> type_;
};

/// A linear layout as a Layout of the language "linear": toString's text, or the text of linear-layout-viz.
class LinearForeign : public ForeignLayout {
public:
  explicit LinearForeign(LinearLayout layout) : layout_(std::move(layout)) {}
  static Layout make(LinearLayout layout) { return Foreign(std::make_shared<const LinearForeign>(std::move(layout))); }

  const LinearLayout &linear() const { return layout_; }

  std::string_view language() const override { return "linear"; }
  std::string text() const override { return layout_.toString(); }
  std::vector<Memory> memories() const override;
  std::optional<Shape> shape() const override;
  Result<ElementMap> elementMap(const Shape &shape) const override;
  Result<AddressMap> addressMap(const Shape &shape, int bitwidth) const override;
  Result<TmemMap> tmemMap(const Shape &shape, int bitwidth) const override;
  Result<std::vector<ExplainStep>> explain(const Shape &shape, const Shape &index) const override;

private:
  LinearLayout layout_;
};

} // namespace lanescope::layouts
