#include "layouts/fragments/MatrixInstruction.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

using Words = std::vector<std::string>;

/// Joins words: "x, y or z".
std::string either(const Words &words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i)
    out += text(i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i]);
  return out;
}

void addOnce(Words &words, std::string word) {
  if (std::ranges::find(words, word) == words.end())
    words.push_back(std::move(word));
}

void addRule(const SizeRule &rule, Words &words) {
  for (int64_t size : rule.listed)
    addOnce(words, text(size));
  if (rule.step > 0)
    addOnce(words, text("a multiple of ", rule.step, " up to ", rule.most));
}

std::string snippetName(MatrixType type) {
  if (type == MatrixType::TF32)
    return "f32 (as tf32)";
  std::optional<Dtype> dtype = dtypeOf(type);
  return dtype ? std::string(name(*dtype)) : std::string();
}

/// Narrows the table step by step; the first step that leaves nothing is the problem.
class Choice {
public:
  explicit Choice(const MatrixQuery &query) : q_(query) {
    for (const MatrixInstruction &row : matrixInstructions())
      if (row.family == q_.family && row.sparse == q_.sparse && row.weightStationary == q_.weightStationary &&
          row.ctas == q_.ctas && (q_.maxBits == 0 || row.elementBits() <= q_.maxBits) &&
          (q_.ptxIsa == 0 || row.ptxIsa <= q_.ptxIsa))
        rows_.push_back(&row);
    if (rows_.empty())
      refuse(MatrixPart::Variant, text("there is no ", who()));
  }

  void kind() {
    keep(
        MatrixPart::Kind, [&](const MatrixInstruction &row) { return row.kind == *q_.kind; },
        [&](const MatrixInstruction &row, Words &there) {
          addOnce(there, row.kind.empty() ? "" : text('`', row.kind, '`'));
        },
        [&](const std::string &there) { return text(who(), " has no `kind::", *q_.kind, "`; there is ", there); });
    kindKnown_ = !q_.kind->empty();
  }

  void left() {
    keep(
        MatrixPart::A, [&](const MatrixInstruction &row) { return q_.a->type && row.inputs.contains(*q_.a->type); },
        [&](const MatrixInstruction &row, Words &there) { addTypes(row.inputs, there); },
        [&](const std::string &there) {
          return text(who(), " does not multiply ", quoted(q_.a->name), "; there is ", there);
        });
  }
  void right() {
    keep(
        MatrixPart::B, [&](const MatrixInstruction &row) { return q_.b->type && row.inputs.contains(*q_.b->type); },
        [&](const MatrixInstruction &row, Words &there) { addTypes(row.inputs, there); },
        [&](const std::string &there) {
          return text(q_.a ? quoted(q_.a->name) + " and " : std::string(), quoted(q_.b->name),
                      " are not multiplied together by ", who(), "; B must be ", there);
        });
  }
  void sum() {
    keep(
        MatrixPart::D, [&](const MatrixInstruction &row) { return q_.d->type && row.outputs.contains(*q_.d->type); },
        [&](const MatrixInstruction &row, Words &there) { addTypes(row.outputs, there); },
        [&](const std::string &there) {
          return text(who(), " does not sum products", of(), " in ", quoted(q_.d->name), "; there is ", there);
        });
  }

  /// Narrows by the type of C, once D is known.
  void summand() {
    auto mixes = [](const MatrixInstruction *row) { return row->mixesSums; };
    std::string mixed = std::ranges::any_of(rows_, mixes) ? " (D may be f32 with C f16)" : "";
    keep(
        MatrixPart::C,
        [&](const MatrixInstruction &row) {
          return q_.c->type && (q_.c->type == q_.d->type ||
                                (row.mixesSums && q_.d->type == MatrixType::F32 && q_.c->type == MatrixType::F16));
        },
        [](const MatrixInstruction &, Words &) {},
        [&](const std::string &) {
          return text("the types of C and D must be equal", mixed, ", got ", quoted(q_.c->name), " and ",
                      quoted(q_.d->name));
        });
  }

  /// Narrows by size: `mma` has a list of shapes, the others a rule for each size.
  void sizes() {
    if (q_.family != MatrixFamily::Mma || !q_.m || !q_.n || !q_.k) {
      size(MatrixPart::M, "M", q_.m);
      size(MatrixPart::N, "N", q_.n);
      size(MatrixPart::K, "K", q_.k);
      return;
    }
    keep(
        MatrixPart::K,
        [&](const MatrixInstruction &row) {
          return row.rows.allows(q_.m) && row.columns.allows(q_.n) && row.depths().contains(q_.k);
        },
        [&](const MatrixInstruction &row, Words &there) {
          for (int64_t m : row.rows.listed)
            for (int64_t k : row.depths())
              addOnce(there, text('`', shapeText({m, row.columns.smallest(), k}), '`'));
        },
        [&](const std::string &there) {
          return text('`', shapeText({q_.m, q_.n, q_.k}), "` is no shape of ", who(),
                      q_.a ? " with " + quoted(q_.a->name) : std::string(), "; there is ", there);
        });
  }

  /// Narrows by a size of a product that several instructions compute.
  void product(MatrixPart part, std::string_view dimension, int64_t value) {
    auto one = [&](const MatrixInstruction &row) {
      return part == MatrixPart::M ? row.rows.smallest() : row.depths().back();
    };
    if (value)
      keep(
          part, [&](const MatrixInstruction &row) { return value % one(row) == 0; },
          [&](const MatrixInstruction &row, Words &there) { addOnce(there, text("a multiple of ", one(row))); },
          [&](const std::string &there) { return notThere(dimension, there, value); });
  }

  void scale() {
    bool any = std::ranges::any_of(rows_, [](const MatrixInstruction *row) { return !row->scales.empty(); });
    keep(
        MatrixPart::Scale, [&](const MatrixInstruction &row) { return row.scale(q_).has_value(); },
        [&](const MatrixInstruction &row, Words &there) {
          for (const BlockScale &scale : row.scales)
            if (q_.ptxIsa == 0 || scale.ptxIsa <= q_.ptxIsa)
              addOnce(there, text("`scale_vec::", scale.count, "X` with ", typeName(scale.type)));
        },
        [&](const std::string &there) {
          return any ? text(who(), " has ", there)
                     : text("block scales need a `kind::mx…`, which ", who(), kindKnown_ ? std::string() : of(),
                            " lacks");
        });
  }

  std::expected<std::vector<const MatrixInstruction *>, MatrixProblem> done() && {
    if (problem_)
      return std::unexpected(*std::move(problem_));
    return std::move(rows_);
  }

private:
  void refuse(MatrixPart part, std::string message) { problem_ = {part, std::move(message)}; }

  /// Keeps the rows that fit. If none does, `offer` collects each row's alternative.
  template <typename Fits, typename Offer, typename Say> void keep(MatrixPart part, Fits fits, Offer offer, Say say) {
    if (problem_)
      return;
    std::vector<const MatrixInstruction *> kept;
    Words there;
    for (const MatrixInstruction *row : rows_) {
      if (fits(*row))
        kept.push_back(row);
      offer(*row, there);
    }
    if (kept.empty()) {
      std::erase(there, "");
      return refuse(part, say(either(there)));
    }
    rows_ = std::move(kept);
  }

  void size(MatrixPart part, std::string_view dimension, int64_t value) {
    if (!value)
      return;
    keep(
        part,
        [&](const MatrixInstruction &row) {
          return part == MatrixPart::M   ? row.rows.allows(value)
                 : part == MatrixPart::N ? row.columns.allows(value)
                                         : row.depths().contains(value);
        },
        [&](const MatrixInstruction &row, Words &there) {
          if (part == MatrixPart::K)
            addRule({row.depths()}, there);
          else
            addRule(part == MatrixPart::M ? row.rows : row.columns, there);
        },
        [&](const std::string &there) { return notThere(dimension, there, value); });
  }
  std::string notThere(std::string_view dimension, const std::string &there, int64_t value) const {
    return text(who(), kindKnown_ ? std::string() : of(), " has ", dimension, " = ", there, ", not ", value);
  }

  /// Names the instructions that the query requests: "`tcgen05.mma.ws.sp` of `kind::f16` on two CTAs".
  std::string who() const {
    std::string name = q_.family == MatrixFamily::Mma     ? "mma"
                       : q_.family == MatrixFamily::Wgmma ? "wgmma"
                                                          : "tcgen05.mma";
    name = text('`', name, q_.weightStationary ? ".ws" : "", q_.sparse ? ".sp" : "", '`');
    if (kindKnown_)
      name += text(" of `kind::", *q_.kind, '`');
    if (q_.family == MatrixFamily::Tcgen05)
      name += q_.ctas == 2 ? " on two CTAs" : " on one CTA";
    return name;
  }
  /// Names the type that the query requests: " of `f16`".
  std::string of() const { return q_.a ? " of " + quoted(q_.a->name) : std::string(); }

  std::string quoted(std::string_view word) const {
    return q_.inSnippetWords ? std::string(word) : text('`', word, '`');
  }
  std::string typeName(MatrixType type) const {
    return q_.inSnippetWords ? snippetName(type) : text('`', ptxName(type), '`');
  }
  template <size_t Max> void addTypes(const FewOf<MatrixType, Max> &types, Words &there) const {
    for (MatrixType type : types)
      addOnce(there, typeName(type));
  }
  const MatrixQuery &q_;
  std::vector<const MatrixInstruction *> rows_;
  std::optional<MatrixProblem> problem_;
  bool kindKnown_ = false;
};

} // namespace

std::string shapeText(const Mnk &shape) {
  return text('m', shape.m, 'n', shape.n, shape.k ? text('k', shape.k) : std::string());
}

std::optional<Mnk> readShape(std::string_view part) {
  size_t n = part.find('n'), k = part.find('k');
  if (part.empty() || part[0] != 'm' || n == std::string_view::npos || (k != std::string_view::npos && k < n))
    return std::nullopt;
  std::optional<int32_t> m = parseInteger<int32_t>(part.substr(1, n - 1));
  std::optional<int32_t> columns =
      parseInteger<int32_t>(k == std::string_view::npos ? part.substr(n + 1) : part.substr(n + 1, k - n - 1));
  std::optional<int32_t> depth = k == std::string_view::npos ? 0 : parseInteger<int32_t>(part.substr(k + 1));
  if (!m || !columns || !depth)
    return std::nullopt;
  return Mnk{*m, *columns, *depth};
}

std::string SizeRule::words() const {
  Words all;
  addRule(*this, all);
  return either(all);
}

FewOf<int64_t, 3> MatrixInstruction::depths() const {
  FewOf<int64_t, 3> out;
  for (int bits : depthBits)
    out.push(bits / elementBits());
  return out;
}

std::optional<BlockScale> MatrixInstruction::scale(const MatrixQuery &query) const {
  for (const BlockScale &scale : scales)
    if ((query.scaleCount == 0 || scale.count == query.scaleCount) &&
        (query.scaleBlock == 0 || scale.block == query.scaleBlock) &&
        (query.ptxIsa == 0 || scale.ptxIsa <= query.ptxIsa) && (!query.scale || query.scale->type == scale.type))
      return scale;
  return std::nullopt;
}

MatrixTypeName multiplicandNamed(Dtype dtype) { return {multiplicandType(dtype), name(dtype)}; }
MatrixTypeName accumulatorNamed(Dtype dtype) { return {accumulatorType(dtype), name(dtype)}; }

std::expected<std::vector<const MatrixInstruction *>, MatrixProblem>
chooseMatrixInstructions(const MatrixQuery &query) {
  Choice choice(query);
  if (query.kind)
    choice.kind();
  if (query.a)
    choice.left();
  if (query.b)
    choice.right();
  if (query.d)
    choice.sum();
  choice.sizes();
  choice.product(MatrixPart::M, "M", query.productM);
  choice.product(MatrixPart::K, "K", query.productK);
  if (query.c && query.d)
    choice.summand();
  if (query.scaleCount || query.scaleBlock || query.scale)
    choice.scale();
  return std::move(choice).done();
}

} // namespace lanescope::layouts
