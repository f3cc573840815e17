// The shared-memory view's state: shape, element type, tiling and swizzle in; lines of 128 bytes by 32 banks out.
//
//   SmemModel model;  model.input.swizzle = 128;  model.changed(requests);
//
// No Dear ImGui in here.
#pragma once

#include "viz/gui/Host.h"
#include "viz/gui/Requests.h"
#include "viz/gui/SceneModel.h"
#include "viz/scene/SmemScene.h"

namespace lanescope::viz {

struct SmemInput {
  std::string shape = "64x64", dtype = "f16", tiling = "8x64";
  int swizzle = 128; // bytes; 0: none
  bool transpose = false;
  SmemStage stage = SmemStage::Swizzled;
  SmemColour colourBy = SmemColour::Chunk;
};

struct SmemOutcome {
  std::shared_ptr<const PreparedScene> scene;
  Diagnostics diagnostics;
};

/// Parses the fields and draws; runs on the worker.
SmemOutcome drawSmem(const SmemInput &input);

class SmemModel {
public:
  SmemInput input;
  SceneModel picture;

  void changed(Requests &requests);
  void apply(const SmemRequest &request, Requests &requests);
  void take(SmemOutcome outcome);
  const Diagnostics &diagnostics() const { return diagnostics_; }
  std::vector<std::string> words() const;

private:
  Diagnostics diagnostics_;
};

} // namespace lanescope::viz
