// The tables of this folder. Each is in its own file.
#pragma once

#include "layouts/support/kinds/Kinds.h"

namespace lanescope {

KindArea fileKinds();
KindArea languageKinds();
KindArea kernelKinds();
KindArea runningKinds();
KindArea emulatorKinds();
KindArea sparseCoreKinds();
KindArea layoutKinds();
KindArea memoryKinds();
KindArea notationKinds();
KindArea costKinds();
KindArea pictureKinds();

} // namespace lanescope
