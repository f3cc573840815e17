// The layout view's state: the texts in its fields, the picture they give, or the error they give.
//
//   LayoutModel model(LayoutKind::Registers);
//   model.input.layout = "WGMMA";  model.input.shape = "64x64";
//   model.changed(requests);            // each edit; the picture follows when the worker has drawn it
//
// While an input has an error the last good picture stays, with the error beside it. No Dear ImGui in here.
#pragma once

#include "viz/gui/Host.h"
#include "viz/gui/Requests.h"
#include "viz/gui/SceneModel.h"
#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

enum class LayoutKind { Registers, Tmem };

struct LayoutInput {
  std::string layout, shape, dtype;
  ColourBy colourBy = ColourBy::Warp;
  View view = View::Auto; // Auto: the memory or array; Lanes: a row per thread
};

/// What one set of fields gives: exactly one of the two is there.
struct LayoutOutcome {
  std::shared_ptr<const PreparedScene> scene;
  Diagnostics diagnostics;
};

/// Arrays of more elements than this are refused: a picture of them would tell nothing, and memory is finite.
constexpr int64_t kMaxDrawnElements = int64_t(1) << 24;

/// Parses the fields and draws; slow for large shapes, so it runs on the worker.
LayoutOutcome drawLayout(LayoutKind kind, const LayoutInput &input);

class LayoutModel {
public:
  explicit LayoutModel(LayoutKind kind);

  const LayoutKind kind;
  LayoutInput input;
  SceneModel picture;

  /// The fields differ from what is drawn: draws them on the worker.
  void changed(Requests &requests);
  void apply(const LayoutRequest &request, Requests &requests);
  void take(LayoutOutcome outcome);

  const Diagnostics &diagnostics() const { return diagnostics_; }
  /// The canonical texts of the drawn layout, to copy: JAX's Python form and the MLIR attribute.
  std::string jax() const;
  std::string mlir() const;
  /// What is under the pointer or pinned, in words; empty when nothing is.
  std::vector<std::string> words() const;

private:
  Diagnostics diagnostics_;
};

/// The names that the catalogue list offers for a kind of layout, in the catalogue's order.
const std::vector<std::string> &catalogueNames(LayoutKind kind);

/// Splits a box's tooltip into its lines.
std::vector<std::string> linesOf(const std::string &text);

} // namespace lanescope::viz
