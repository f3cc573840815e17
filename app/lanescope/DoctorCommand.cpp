#include "app/lanescope/Common.h"

#include "core/gpu/runtime/Doctor.h"

#include <iostream>

namespace lanescope::app {

int runDoctor(const DoctorArguments &) {
  std::cout << core::findingsText(core::examineMachine());
  return kDone;
}

} // namespace lanescope::app
