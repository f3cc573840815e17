#include "core/gpu/lowering/thread/InstructionTargets.h"

#include "layouts/support/Text.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"

#include <array>

namespace lanescope::core {

using namespace mlir;

namespace {

using Feature = bool GpuTarget::*;

/// A part of an instruction's name, and what a target needs for it. `.` stands for `_` and `::` as well, so that one
/// row finds PTX, operations of NVVM and LLVM's intrinsics.
struct Row {
  StringRef part;
  Feature feature;
  StringRef needs;
};
constexpr StringRef kSince90 = "sm_90 or newer", kSpecificSince90 = "sm_90a, or a newer target that ends in `a` or `f`",
                    kSpecificSince100 = "sm_100a, or another target since sm_100 that ends in `a` or `f`",
                    kNarrowMma = "sm_120a, sm_120f or sm_121a";
const std::array kRows = {
    Row{"wgmma", &GpuTarget::wgmma, "sm_90a"},
    Row{"tcgen05", &GpuTarget::tcgen05, "sm_100a, sm_100f, sm_103a, sm_110a or sm_110f"},
    Row{"tcgen05.shift", &GpuTarget::tensorShift, "sm_100a, sm_103a or sm_110a"},
    Row{"mma.sync.aligned.m16n8k32.row.col.kind", &GpuTarget::narrowMma, kNarrowMma},
    Row{"mma.sync.aligned.m16n8k64.row.col.kind", &GpuTarget::narrowMma, kNarrowMma},
    Row{"cp.async.bulk", &GpuTarget::tma, kSince90},
    Row{"cp.reduce.async.bulk", &GpuTarget::tma, kSince90},
    Row{"mbarrier.try.wait", &GpuTarget::tma, kSince90},
    Row{"expect.tx", &GpuTarget::tma, kSince90},
    Row{"elect.sync", &GpuTarget::tma, kSince90},
    Row{"stmatrix", &GpuTarget::tma, kSince90},
    Row{"setmaxn", &GpuTarget::setmaxnreg, kSpecificSince90},
    Row{"tensormap.replace", &GpuTarget::setmaxnreg, kSpecificSince90}, // the same targets as setmaxnreg
    Row{"clusterlaunchcontrol", &GpuTarget::launchControl, "sm_100 or newer"},
    Row{"griddepcontrol", &GpuTarget::tma, kSince90},
    Row{"fence.proxy.async", &GpuTarget::tma, kSince90},
    Row{"fence.mbarrier.init", &GpuTarget::tma, kSince90},
    Row{"barrier.cluster", &GpuTarget::tma, kSince90},
    Row{"cluster.arrive", &GpuTarget::tma, kSince90},
    Row{"cluster.wait", &GpuTarget::tma, kSince90},
    Row{"shared.cluster", &GpuTarget::tma, kSince90},
    Row{"st.async", &GpuTarget::tma, kSince90},
    Row{"red.async", &GpuTarget::tma, kSince90},
    Row{"multimem", &GpuTarget::tma, kSince90},
    Row{"tensormap", &GpuTarget::tma, kSince90},
    Row{"mapa", &GpuTarget::tma, kSince90},
    Row{"cluster.ctaid", &GpuTarget::tma, kSince90},
    Row{"e4m3", &GpuTarget::eightBitFloats, "sm_89 or newer"},
    Row{"e5m2", &GpuTarget::eightBitFloats, "sm_89 or newer"},
    Row{"e2m1", &GpuTarget::narrowFloats, kSpecificSince100},
    Row{"ue8m0", &GpuTarget::narrowFloats, kSpecificSince100},
};

/// The name in PTX's spelling, with `.` for what separates its parts elsewhere.
std::string plain(StringRef name) {
  std::string out;
  for (size_t n = 0; n < name.size(); ++n) {
    bool colons = name.substr(n).starts_with("::");
    out += colons || name[n] == '_' ? '.' : name[n];
    n += colons;
  }
  return out;
}

/// Returns the text of inline assembly without its comments, the name of a called intrinsic, or the name of an
/// operation of NVVM; empty for any other operation.
std::string instructionsOf(Operation *op) {
  if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op)) {
    std::string out;
    SmallVector<StringRef> lines;
    assembly.getAsmString().split(lines, '\n');
    for (StringRef line : lines)
      out += text(std::string_view(line.split("//").first), "\n");
    return plain(out);
  }
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return plain(call.getIntrin());
  StringRef name = op->getName().getStringRef();
  return name.starts_with("nvvm.") ? plain(name.drop_front(5)) : std::string();
}

} // namespace

void replaceSm90Operations(ModuleOp module, const GpuTarget &target) {
  if (target.tma)
    return;
  SmallVector<Operation *> replaced;
  module.walk([&](Operation *op) {
    if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op)) {
      if (assembly.getAsmString().trim() == "fence.mbarrier_init.release.cluster;" && op->use_empty())
        replaced.push_back(op);
    } else if (auto elect = dyn_cast<NVVM::ElectSyncOp>(op); elect && !elect.getMembermask()) {
      OpBuilder b(op);
      Value lane = NVVM::LaneIdOp::create(b, op->getLoc(), b.getI32Type());
      Value zero = LLVM::ConstantOp::create(b, op->getLoc(), b.getI32IntegerAttr(0));
      op->getResult(0).replaceAllUsesWith(LLVM::ICmpOp::create(b, op->getLoc(), LLVM::ICmpPredicate::eq, lane, zero));
      replaced.push_back(op);
    }
  });
  for (Operation *op : replaced)
    op->erase();
}

LogicalResult checkInstructions(ModuleOp module, const GpuTarget &target) {
  SmallVector<Row> lacking;
  llvm::copy_if(kRows, std::back_inserter(lacking), [&](const Row &row) { return !(target.*row.feature); });
  WalkResult walked = module.walk([&](Operation *op) {
    std::string name = instructionsOf(op);
    if (name.empty())
      return WalkResult::advance();
    for (const Row &row : lacking)
      if (StringRef(name).contains(row.part)) {
        op->emitError(text("`", std::string_view(row.part), "` needs ", std::string_view(row.needs),
                           ", and this kernel is for ", target.name));
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

} // namespace lanescope::core
