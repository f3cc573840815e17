// What a scene is of, as CSV with a header line.
//   registers      row,col,thread,warp,lane,register,position   (a line per owner; other ranks: i0,i1,… for row,col)
//   TMEM           row,col,lane,column,sub
//   shared memory  row,col,byte,line,bank
//   trace          process,thread,name,depth,begin_ns,end_ns
#pragma once

#include "viz/scene/Scene.h"

#include <string>

namespace lanescope::viz {

/// Error: the scene has no subject.
Result<std::string> toCsv(const Scene &scene);

} // namespace lanescope::viz
