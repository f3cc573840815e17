#include "core/gpu/ir/TensorRules.h"

#include "layouts/Catalogue.h"
#include "layouts/fragments/MatrixInstruction.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>
#include <bit>

namespace lanescope::core {

using layouts::Dtype;
using layouts::Shape;
using layouts::tupleText;
using Part = Tcgen05Problem::Part;
using Found = std::optional<Tcgen05Problem>;

namespace {

std::string layoutText(const layouts::TMEMLayout &layout) {
  return layouts::catalogueName(layout).value_or(layouts::jaxText(layout));
}

bool isByte(Dtype dtype) { return dtype == Dtype::I8 || dtype == Dtype::U8; }
bool isNarrowFloat(Dtype dtype) { return dtype == Dtype::F8E4M3FN || dtype == Dtype::F8E5M2; }

/// The checks of one product. A check may rely on those before it.
class Checks {
public:
  explicit Checks(const Tcgen05Product &product)
      : p_(product), m_(product.a.shape.empty() ? 0 : product.a.shape[0]), blocks_(product.collective ? 2 : 1) {}

  Found run() {
    using Check = Found (Checks::*)() const;
    constexpr Check kInOrder[] = {&Checks::ranks,    &Checks::bothScales, &Checks::allocations, &Checks::depths,
                                  &Checks::types,    &Checks::sums,       &Checks::leftMemory,  &Checks::rows,
                                  &Checks::columns,  &Checks::scaleTypes, &Checks::steps,       &Checks::scaleShapes,
                                  &Checks::sparsity, &Checks::majors};
    for (Check check : kInOrder)
      if (Found found = (this->*check)())
        return found;
    return std::nullopt;
  }

private:
  template <typename... Parts> static Found problem(Part part, std::string kind, Parts &&...parts) {
    return Tcgen05Problem{part, std::move(kind), text(std::forward<Parts>(parts)...)};
  }

  bool scaled() const { return p_.aScale || p_.bScale; }
  bool sparse() const { return p_.metadata.has_value(); }
  int bits() const { return layouts::bitwidth(p_.b.dtype); }
  int64_t n() const { return p_.b.shape[1]; } // per block
  int64_t k() const { return p_.b.shape[0]; }

  Found ranks() const {
    auto matrix = [](const Tcgen05Operand &operand, Part part) -> Found {
      if (operand.shape.size() == 2)
        return std::nullopt;
      return problem(part, "shape-mismatch", "`tcgen05_mma` multiplies matrices, but `", operand.name, "` has shape ",
                     tupleText(operand.shape),
                     operand.shape.size() > 2 ? text("; choose one of them: `", operand.name, ".at[i]`") : text());
    };
    for (auto [operand, part] : {std::pair(&p_.acc, Part::Acc), {&p_.a, Part::A}, {&p_.b, Part::B}})
      if (Found found = matrix(*operand, part))
        return found;
    for (auto [operand, part] :
         {std::pair(&p_.aScale, Part::AScale), {&p_.bScale, Part::BScale}, {&p_.metadata, Part::Metadata}})
      if (Found found = *operand ? matrix(**operand, part) : std::nullopt)
        return found;
    return std::nullopt;
  }

  Found bothScales() const {
    if (p_.aScale.has_value() == p_.bScale.has_value())
      return std::nullopt;
    return problem(p_.aScale ? Part::AScale : Part::BScale, "arguments",
                   "a product has scales for both operands or "
                   "for none; `",
                   p_.aScale ? "b_scale" : "a_scale", "` is missing");
  }

  Found allocations() const {
    if (!p_.collective)
      return std::nullopt;
    for (auto [operand, part] : {std::pair(&p_.acc, Part::Acc), {&p_.a, Part::A}})
      if (operand->inTensor && !operand->collective.value_or(true))
        return problem(part, "value",
                       "a product of two blocks (`collective_axis`) takes tensor memory that is "
                       "allocated in both: declare `",
                       operand->name, "` with `collective=True`");
    return std::nullopt;
  }

  Found depths() const {
    int64_t depth = p_.a.shape[1] * (sparse() ? 2 : 1);
    if (depth != k())
      return problem(Part::Call, "shape-mismatch", "`", p_.a.name, "` of shape ", tupleText(p_.a.shape), " times `",
                     p_.b.name, "` of shape ", tupleText(p_.b.shape), " do not go together: ",
                     sparse() ? "half of a sparse `a` is stored, so it has half as many columns as `b` has rows"
                              : "a has as many columns as b has rows");
    Shape sum{m_, n() * blocks_};
    if (p_.acc.shape != sum)
      return problem(Part::Call, "shape-mismatch", "`", p_.a.name, "` of shape ", tupleText(p_.a.shape), " times `",
                     p_.b.name, "` of shape ", tupleText(p_.b.shape),
                     p_.collective ? " (each of the two blocks has half of its columns)" : "", " gives the shape ",
                     tupleText(sum), ", and the accumulator `", p_.acc.name, "` has ", tupleText(p_.acc.shape));
    return std::nullopt;
  }

  layouts::MatrixQuery query() const {
    layouts::MatrixQuery query{.family = layouts::MatrixFamily::Tcgen05, .inSnippetWords = true};
    query.sparse = sparse();
    query.ctas = static_cast<int>(blocks_);
    query.a = layouts::multiplicandNamed(p_.a.dtype);
    return query;
  }

  Found types() const {
    for (auto [operand, part] : {std::pair(&p_.a, Part::A), {&p_.b, Part::B}})
      if (operand->dtype == Dtype::F6E2M3FN || operand->dtype == Dtype::F6E3M2FN)
        return problem(part, "dtype-mismatch", "`tcgen05_mma` takes 6-bit floats packed, and in `", operand->name,
                       "` each ", name(operand->dtype), " has a byte: multiply f8e4m3fn, which holds f6e2m3fn ",
                       "exactly, or f8e5m2, which holds f6e3m2fn exactly");
    if (auto rows = layouts::chooseMatrixInstructions(query()); !rows)
      return problem(Part::A, "dtype-mismatch", rows.error().message);
    bool mixed = (isNarrowFloat(p_.a.dtype) && isNarrowFloat(p_.b.dtype)) || (isByte(p_.a.dtype) && isByte(p_.b.dtype));
    if (p_.a.dtype != p_.b.dtype && !mixed)
      return problem(Part::B, "dtype-mismatch", "`", p_.a.name, "` has dtype ", name(p_.a.dtype), " and `", p_.b.name,
                     "` has ", name(p_.b.dtype),
                     "; only f8e4m3fn and f8e5m2, and i8 and u8, are multiplied with each other");
    if (scaled() && !isNarrowFloat(p_.a.dtype) && p_.a.dtype != Dtype::F4E2M1FN)
      return problem(Part::AScale, "dtype-mismatch", "block scales go with f8e4m3fn, f8e5m2 and f4e2m1fn, not with ",
                     name(p_.a.dtype));
    if (!scaled() && p_.a.dtype == Dtype::F4E2M1FN)
      return problem(Part::A, "dtype-mismatch",
                     "f4e2m1fn is multiplied only with block scales: give `a_scale` and "
                     "`b_scale`");
    return std::nullopt;
  }

  Found sums() const {
    if (scaled() && p_.acc.dtype != Dtype::F32)
      return problem(Part::Acc, "dtype-mismatch", "a product with block scales is summed in f32, and the accumulator `",
                     p_.acc.name, "` has dtype ", name(p_.acc.dtype));
    layouts::MatrixQuery with = query();
    with.d = layouts::accumulatorNamed(p_.acc.dtype);
    if (auto rows = layouts::chooseMatrixInstructions(with); !rows)
      return problem(Part::Acc, "dtype-mismatch", rows.error().message);
    return std::nullopt;
  }

  Found leftMemory() const {
    if (!p_.a.inTensor)
      return std::nullopt;
    if (scaled() && sparse())
      return problem(Part::A, "unsupported", "a sparse product with block scales takes `a` from shared memory");
    if (m_ != layouts::kTmemLanes)
      return problem(Part::A, "unsupported", "a left operand in tensor memory has ", layouts::kTmemLanes,
                     " rows, and `", p_.a.name, "` has ", m_, "; pass it in shared memory");
    auto wanted = layouts::catalogue::tmemDefault(layouts::kTmemCellBits / layouts::bitwidth(p_.a.dtype));
    if (wanted && p_.a.layout && *wanted != *p_.a.layout)
      return problem(Part::A, "layout", "a left operand of ", name(p_.a.dtype), " in tensor memory has the layout ",
                     layoutText(*wanted), ", and `", p_.a.name, "` has ", layoutText(*p_.a.layout),
                     "; declare it with `packed=True`");
    return std::nullopt;
  }

  Found rows() const {
    constexpr int64_t kHalf = layouts::kTmemLanes / 2;
    if (m_ != layouts::kTmemLanes && m_ != kHalf)
      return problem(Part::A, "shape-mismatch", "each block multiplies ", layouts::kTmemLanes, " or ", kHalf,
                     " rows, and `", p_.a.name, "` has ", m_);
    if (m_ == kHalf && scaled() && !p_.collective)
      return problem(Part::A, "unsupported", "a product with block scales has ", layouts::kTmemLanes, " rows, or ",
                     kHalf, " in each of two blocks, and `", p_.a.name, "` has ", m_);
    if (m_ == kHalf && sparse())
      return problem(Part::A, "unsupported", "a sparse product has ", layouts::kTmemLanes, " rows, and `", p_.a.name,
                     "` has ", m_);
    auto wanted = layouts::catalogue::inferTmem(p_.acc.shape, p_.collective, 1);
    if (!wanted)
      return problem(Part::Acc, "shape-mismatch", wanted.error().front().message);
    if (p_.acc.layout && *wanted != *p_.acc.layout)
      return problem(Part::Acc, "layout", "an accumulator of shape ", tupleText(p_.acc.shape), " has the layout ",
                     layoutText(*wanted), ", and `", p_.acc.name, "` has ", layoutText(*p_.acc.layout),
                     layouts::bitwidth(p_.acc.dtype) < layouts::kTmemCellBits ? "; declare it with `packed=False`"
                                                                              : "; leave its `layout` out");
    return std::nullopt;
  }

  Found columns() const {
    // A single block with 64 rows computes the left half of the columns, then the right half.
    int64_t halves = m_ < layouts::kTmemLanes && !p_.collective ? 2 : 1;
    int64_t step = 8 * blocks_ * (p_.acc.dtype == Dtype::I32 ? 2 : 1);
    int64_t most = p_.collective ? 128 : layouts::kTmemColumns;
    std::string who =
        text(p_.collective ? "a product of two blocks" : "a product", p_.acc.dtype == Dtype::I32 ? " of integers" : "",
             halves == 2 ? text(" of ", m_, " rows") : text());
    if (n() / halves % step != 0 || n() % halves != 0)
      return problem(Part::B, "shape-mismatch", who, " has a multiple of ", step * halves, " columns",
                     p_.collective ? " in each block" : "", ", and `", p_.b.name, "` has ", n());
    if (sparse() && n() % 16 != 0)
      return problem(Part::B, "unsupported", "a sparse product has a multiple of 16 columns, and `", p_.b.name,
                     "` has ", n());
    if (n() > most)
      return problem(Part::B, "shape-mismatch", who, " has at most ", most, " columns", p_.collective ? " in each" : "",
                     ", and `", p_.b.name, "` has ", n());
    if (n() > 256 && !std::has_single_bit(static_cast<uint64_t>(n())))
      return problem(Part::B, "unsupported", "a product has up to 256 columns, or 512, and `", p_.b.name, "` has ",
                     n());
    if (n() > 256 && (scaled() || sparse()))
      return problem(Part::B, "unsupported", scaled() ? "a product with block scales" : "a sparse product",
                     " has up to 256 columns, and `", p_.b.name, "` has ", n());
    return std::nullopt;
  }

  /// Number of elements of K that share a scale.
  int64_t block() const { return k() / p_.aScale->shape[1]; }

  Found scaleTypes() const {
    if (!scaled())
      return std::nullopt;
    for (auto [operand, part] : {std::pair(&*p_.aScale, Part::AScale), {&*p_.bScale, Part::BScale}}) {
      if (!operand->inTensor)
        return problem(part, "type", "scales lie in tensor memory, and `", operand->name,
                       "` does not; copy them with "
                       "`async_copy_scales_to_tmem`");
      if (operand->dtype != Dtype::F8E8M0FNU && operand->dtype != Dtype::F8E4M3FN)
        return problem(part, "dtype-mismatch", "scales are f8e8m0fnu or f8e4m3fn, and `", operand->name, "` has dtype ",
                       name(operand->dtype));
    }
    if (p_.aScale->dtype != p_.bScale->dtype)
      return problem(Part::BScale, "dtype-mismatch", "the scales of both operands have one dtype; `", p_.aScale->name,
                     "` has ", name(p_.aScale->dtype), " and `", p_.bScale->name, "` has ", name(p_.bScale->dtype));
    return std::nullopt;
  }

  Found steps() const {
    int64_t step = 256 / bits() * (sparse() ? 2 : 1);
    if (k() % step != 0)
      return problem(Part::Call, "shape-mismatch", "one instruction multiplies ", step, " of K",
                     sparse() ? " (before half of `a` is left out)" : "", " for ", name(p_.b.dtype), ", and K = ", k(),
                     " is not a multiple of that");
    return std::nullopt;
  }

  Found scaleShapes() const {
    if (!scaled())
      return std::nullopt;
    if (p_.aScale->shape[1] == 0 || k() % p_.aScale->shape[1] != 0)
      return problem(Part::AScale, "shape-mismatch", "`", p_.aScale->name, "` has ", p_.aScale->shape[1],
                     " scales for each row, which do not divide K = ", k());
    int64_t base = block() / (sparse() ? 2 : 1);
    bool narrow = isNarrowFloat(p_.a.dtype), powers = p_.aScale->dtype == Dtype::F8E8M0FNU;
    bool good = narrow ? powers && base == 32 : powers ? base == 16 || base == 32 : base == 16;
    if (!good)
      return problem(Part::AScale, powers || !narrow ? "shape-mismatch" : "dtype-mismatch", name(p_.a.dtype), " has ",
                     narrow ? "scales of f8e8m0fnu for each 32 elements"
                            : "scales of f8e8m0fnu for each 16 or 32 elements, or of f8e4m3fn for each 16",
                     sparse() ? " (twice as many of K in a sparse product)" : "", "; `", p_.aScale->name, "` has ",
                     name(p_.aScale->dtype), " for each ", base);
    Shape left{layouts::kTmemLanes, k() / block()};
    if (p_.aScale->shape != left)
      return problem(Part::AScale, "shape-mismatch", "the scales of `a` have the shape ", tupleText(left), ", and `",
                     p_.aScale->name, "` has ", tupleText(p_.aScale->shape));
    int64_t all = n() * blocks_, rows = (all + layouts::kTmemLanes - 1) / layouts::kTmemLanes * layouts::kTmemLanes;
    const Shape &right = p_.bScale->shape;
    if (right[1] != left[1] || right[0] % layouts::kTmemLanes != 0 || right[0] < all)
      return problem(Part::BScale, "shape-mismatch", "the scales of `b` have the shape ", tupleText({rows, left[1]}),
                     ", one row for each of the ", all, " columns", p_.collective ? " of both blocks" : "",
                     " and up to a multiple of ", layouts::kTmemLanes, ", and `", p_.bScale->name, "` has ",
                     tupleText(right));
    return scaleLayouts();
  }

  Found scaleLayouts() const {
    const layouts::TMEMLayout &usual = layouts::catalogue::scales();
    const layouts::TMEMLayout &right = layouts::catalogue::bScales(m_, p_.collective);
    for (auto [operand, part, wanted] :
         {std::tuple(&*p_.aScale, Part::AScale, &usual), std::tuple(&*p_.bScale, Part::BScale, &right)})
      if (operand->layout && *operand->layout != *wanted)
        return problem(part, "layout", "these scales have the layout ", layoutText(*wanted), ", and `", operand->name,
                       "` has ", layoutText(*operand->layout), "; declare it with `layout=", layoutText(*wanted), "`");
    return std::nullopt;
  }

  Found sparsity() const {
    if (!sparse())
      return std::nullopt;
    const Tcgen05Operand &metadata = *p_.metadata;
    if (!metadata.inTensor)
      return problem(Part::Metadata, "type", "sparse metadata lie in tensor memory, and `", metadata.name,
                     "` does not; copy them with `async_copy_sparse_metadata_to_tmem`");
    if (metadata.dtype != Dtype::U2)
      return problem(Part::Metadata, "dtype-mismatch", "sparse metadata are u2, and `", metadata.name, "` has dtype ",
                     name(metadata.dtype));
    if (p_.a.dtype == Dtype::F32)
      return problem(Part::A, "unsupported", "a sparse product of f32 is not supported");
    // Sparsity keeps two elements of each group; for f4e2m1fn it keeps two pairs of neighbouring elements.
    int64_t group = sparseGroup(p_.a.dtype);
    Shape wanted{m_, 2 * k() / group};
    if (metadata.shape != wanted)
      return problem(Part::Metadata, "shape-mismatch", "the metadata of `a` have the shape ", tupleText(wanted),
                     " (two for each group of ", group, " elements), and `", metadata.name, "` has ",
                     tupleText(metadata.shape));
    if (metadata.layout && *metadata.layout != layouts::catalogue::sparseMeta())
      return problem(Part::Metadata, "layout", "sparse metadata have the layout ",
                     layoutText(layouts::catalogue::sparseMeta()), ", and `", metadata.name, "` has ",
                     layoutText(*metadata.layout));
    return std::nullopt;
  }

  /// 4-bit operands must be K-major.
  Found majors() const {
    if (bits() != 4)
      return std::nullopt;
    if (!p_.a.inTensor && p_.a.transposed.value_or(false))
      return problem(Part::A, "unsupported",
                     "elements of 4 bits lie along K in shared memory: store `a` as (M, K), "
                     "and do not transpose it");
    if (!p_.b.transposed.value_or(true))
      return problem(Part::B, "unsupported",
                     "elements of 4 bits lie along K in shared memory: store `b` as (N, K), "
                     "and pass `",
                     p_.b.name, ".T`");
    return std::nullopt;
  }

  const Tcgen05Product &p_;
  int64_t m_, blocks_;
};

} // namespace

int64_t sparseGroup(Dtype dtype) { return dtype == Dtype::F4E2M1FN ? 8 : 4; }

Found checkTcgen05(const Tcgen05Product &product) { return Checks(product).run(); }

} // namespace lanescope::core
