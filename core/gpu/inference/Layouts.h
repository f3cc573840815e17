// Reading what layout inference wrote: the layout of each array, the transforms of each shared-memory reference.
//
// As in JAX, an operation carries `in_layouts` and `out_layouts` (one entry per vector operand or result, in order),
// `in_transforms` and `out_transforms` (one per shared-memory reference), `in_tmem_layouts` and `out_tmem_layouts` (one
// per reference to tensor memory); each is absent when it would be empty.
#pragma once

#include "core/gpu/ir/LayoutAttributes.h"

#include "mlir/IR/Operation.h"

namespace lanescope::core {

constexpr llvm::StringLiteral kInLayouts = "in_layouts", kOutLayouts = "out_layouts", kInTransforms = "in_transforms",
                              kOutTransforms = "out_transforms", kInTmemLayouts = "in_tmem_layouts",
                              kOutTmemLayouts = "out_tmem_layouts";

/// The layout of a vector operand or result; nullopt when inference has not run, or `index` is no vector.
std::optional<layouts::RegisterLayout> operandLayout(mlir::Operation *op, unsigned index);
std::optional<layouts::RegisterLayout> resultLayout(mlir::Operation *op, unsigned index);

/// The layout of a result that is a reference to tensor memory.
std::optional<layouts::TMEMLayout> resultTmemLayout(mlir::Operation *op, unsigned index);

/// The tiled layout that deals the elements out as a strided one does, registers in the same order. Nothing where rows
/// and the chunks of 128 vectors do not divide each other.
std::optional<layouts::TiledLayout> tiledForm(const layouts::WGStridedFragLayout &layout);

/// The layout in which an array of `shape` may be read as one of `target` with every element where it is: the same
/// tiling when only what lies outside of the base tiles is cut differently. Nothing where elements would move.
std::optional<layouts::RegisterLayout> reshapedLayout(const layouts::RegisterLayout &layout,
                                                      const layouts::Shape &shape, const layouts::Shape &target);

/// The layout of an array of `shape` that is cut out of, or joined from, arrays in `layout`, every element where it is:
/// the same layout, in whole tiles. A strided layout counts its chunks through, so that it is cut along the first
/// dimension only (`leading`). Nothing where elements would move.
std::optional<layouts::RegisterLayout> partLayout(const layouts::RegisterLayout &layout, const layouts::Shape &shape,
                                                  bool leading);

/// The layout of an array of `shape` that repeats one in a strided layout along the dimensions `added` (in order), as a
/// whole: they come before all that it has, sizes of 1 aside. Nothing where they do not, or the layout is another.
std::optional<layouts::RegisterLayout> repeatedLayout(const layouts::RegisterLayout &layout,
                                                      const layouts::Shape &shape, const std::vector<int64_t> &added);

/// The layout of an array of `shape` after a reduction over `axes`, which are not all; a strided layout counts as its
/// tiled form. Nothing where the layout cannot be reduced.
std::optional<layouts::RegisterLayout> reducedLayout(const layouts::RegisterLayout &layout, const layouts::Shape &shape,
                                                     const std::vector<int64_t> &axes);

} // namespace lanescope::core
