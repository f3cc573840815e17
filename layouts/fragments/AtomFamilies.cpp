#include "layouts/fragments/AtomFamilies.h"

#include "layouts/support/Text.h"

namespace lanescope::layouts::families {

MatrixTypeName typeNamed(std::string_view part) { return {matrixTypeNamed(part), part}; }

int scaleCount(std::string_view vectorSize) {
  if (vectorSize.empty())
    return 0;
  int count =
      vectorSize.ends_with('X') ? parseInteger<int>(vectorSize.substr(0, vectorSize.size() - 1)).value_or(0) : 0;
  return count > 0 ? count : -1;
}

const MatrixInstruction *rowOf(Mnemonic &in, const MatrixQuery &query, std::string_view vectorSize) {
  auto rows = chooseMatrixInstructions(query);
  if (rows)
    return rows->front();
  std::string_view part;
  switch (rows.error().part) {
  case MatrixPart::Variant: part = in.written(query.weightStationary ? "ws" : "sp"); break;
  case MatrixPart::Kind: part = *query.kind; break;
  case MatrixPart::A: part = query.a->name; break;
  case MatrixPart::B: part = query.b->name; break;
  case MatrixPart::C: part = query.c->name; break;
  case MatrixPart::D: part = query.d->name; break;
  case MatrixPart::M:
  case MatrixPart::N:
  case MatrixPart::K: part = in.written(shapeText({query.m, query.n, query.k})); break;
  case MatrixPart::Scale: part = vectorSize.empty() ? query.scale->name : vectorSize; break;
  }
  in.fail(part, std::move(rows.error().message));
  return nullptr;
}

void checkSaturation(Mnemonic &in, const MatrixInstruction &row, bool saturating, std::string_view a) {
  if (saturating && !row.saturates)
    in.fail(in.written("satfinite"), Message("`satfinite` is for integers of 4 and 8 bits, not `{}`", a));
}

} // namespace lanescope::layouts::families
