#include "app/lanescope/Common.h"

#include "core/gpu/runtime/Doctor.h"

namespace lanescope::app {

int runDoctor(const DoctorArguments &) {
  say(core::findingsText(core::examineMachine()));
  return kDone;
}

} // namespace lanescope::app
