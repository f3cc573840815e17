// The operands of one tcgen05.mma, gathered from the memories of the CTAs: packed rows and columns, the positions of a
// sparse A's stored elements, and scales. Private to tensor/.
#pragma once

#include "core/gpu/emulator/tensor/ScaledSum.h"
#include "core/gpu/emulator/tensor/TmemMma.h"
#include "core/gpu/emulator/tensor/TmemPlaces.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core::emulator {

class TmemInputs {
public:
  TmemInputs(const TmemMma &mma, const TmemMmaOperands &operands, const TmemMmaMemory &memory);

  /// Returns the same errors as TmemMma::multiply().
  std::string read();

  const uint8_t *rowOfA(uint32_t cta, uint32_t row) const { return a_[cta].data() + size_t{row} * aRowBytes_; }
  const uint8_t *columnOfB(uint32_t n) const { return b_.data() + size_t{n} * bRowBytes_; }
  const std::vector<uint8_t> &columnsOfB() const { return b_; }
  /// The k of each element that a row of a sparse A stores.
  const uint8_t *positions(uint32_t cta, uint32_t row) const { return positions_[cta].data() + size_t{row} * stored_; }
  /// The scales of A, indexed by [row][scale]. Those of B are indexed by [n][scale].
  const std::vector<ScaleFactor> &scalesOfA(uint32_t cta) const { return scalesA_[cta]; }
  const std::vector<ScaleFactor> &scalesOfB(uint32_t cta) const { return scalesB_[cta]; }

private:
  const uint32_t *cell(uint32_t cta, uint32_t address, const TmemPlace &place) const;
  std::string differ(std::string_view what, uint32_t cta, uint32_t address, const TmemPlace &one,
                     const TmemPlace &other) const;
  uint32_t metadataField(uint32_t cta, uint32_t address, const TmemPlace &place) const;
  void readB();
  std::string readA(uint32_t cta);
  std::string readMetadata(uint32_t cta);
  std::string readScales(uint32_t cta, const TmemTable &table, uint32_t address, std::string_view operand,
                         std::vector<ScaleFactor> &out) const;

  const TmemMma &mma_;
  const TmemMmaOperands &operands_;
  const TmemMmaMemory &memory_;
  const TmemPlaces &places_;
  const uint32_t ctas_, rows_, columns_, stored_, aRowBytes_, bRowBytes_;
  std::array<std::vector<uint8_t>, 2> a_, positions_;
  std::vector<uint8_t> b_; // the columns of both CTAs
  std::array<std::vector<ScaleFactor>, 2> scalesA_, scalesB_;
};

} // namespace lanescope::core::emulator
