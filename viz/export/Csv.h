// The subject of a scene as CSV with a header line.
//   registers      row,col,thread,warp,lane,register,position   (a line per owner; other ranks: i0,i1,… for row,col)
//   TMEM           row,col,lane,column,sub
//   shared memory  row,col,byte,line,bank
//   F2 matrix      bit,<a column per input bit>
//   two layouts    row,col,move,from_thread,from_value,to_thread,to_value   (value: register*vector + position)
//   trace          process,thread,name,depth,begin_ns,end_ns
#pragma once

#include "viz/scene/Scene.h"

#include <string>

namespace lanescope::viz {

/// Error: the scene has no subject.
Result<std::string> toCsv(const Scene &scene);

} // namespace lanescope::viz
