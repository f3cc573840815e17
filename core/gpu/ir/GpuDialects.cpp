#include "core/gpu/ir/GpuDialects.h"

namespace lanescope::core {

namespace {

constexpr SyntaxDifference kDifferences[] = {
    // After MLIR 22, properties became keywords in the assembly format (llvm/llvm-project, NVVMOps.td of 2026).
    {"nvvm.cp.async.bulk.wait_group $n read", "nvvm.cp.async.bulk.wait_group $n {read}"},
    {"nvvm.fence.proxy <$kind>, space = <$space>",
     "nvvm.fence.proxy {kind = #nvvm.proxy_kind<$kind>, space = #nvvm.shared_space<$space>}"},
    {"nvvm.fence.proxy <$kind>", "nvvm.fence.proxy {kind = #nvvm.proxy_kind<$kind>}"},
    {"nvvm.cp.async.bulk.tensor.global.shared.cta $d, $s, box $b predicate = $p",
     "nvvm.cp.async.bulk.tensor.global.shared.cta $d, $s, box $b, predicate = $p"},
    {"nvvm.cp.async.bulk.tensor.global.shared.cta $d, $s, box $b l2_cache_hint = $h predicate = $p",
     "nvvm.cp.async.bulk.tensor.global.shared.cta $d, $s, box $b l2_cache_hint = $h, predicate = $p"},
    {"nvvm.mbarrier.arrive.expect_tx $b, $n scope = $s :",
     "nvvm.mbarrier.arrive.expect_tx $b, $n {scope = #nvvm.mem_scope<$s>} :"},
    // Enums of both dialects that our version of MLIR prints only in the older form.
    {"#gpu.dim<$v>", "#gpu<dim $v>"},
    {"#gpu.all_reduce_op<$v>", "#gpu<all_reduce_op $v>"},
    {"#gpu.shuffle_mode<$v>", "#gpu<shuffle_mode $v>"},
    {"#gpu.broadcast<$v>", "#gpu<broadcast $v>"},
    {"#nvvm.redux_kind<$v>", "#nvvm<redux_kind $v>"},
    {"#nvvm.action<$v>", "#nvvm<action $v>"},
    {"#nvvm.shfl_kind<$v>", "#nvvm<shfl_kind $v>"},
    {"#nvvm.vote_sync_kind<$v>", "#nvvm<vote_sync_kind $v>"},
    {"#nvvm.load_cache_modifier<$v>", "#nvvm<load_cache_modifier $v>"},
    {"#nvvm.match_sync_kind<$v>", "#nvvm<match_sync_kind $v>"},
    {"nvvm.ldmatrix $p, num = $n, layout = <$l>, shape = <m = $m, n = $c>, element_type = <$t>",
     "nvvm.ldmatrix $p {num = $n : i32, layout = #nvvm.mma_layout<$l>, shape = #nvvm.ld_st_matrix_shape<m = $m, n = "
     "$c>, "
     "eltType = #nvvm.ld_st_matrix_elt_type<$t>}"},
    {"nvvm.stmatrix $p, $a layout = <$l>, shape = <m = $m, n = $c>, element_type = <$t>",
     "nvvm.stmatrix $p, $a {layout = #nvvm.mma_layout<$l>, shape = #nvvm.ld_st_matrix_shape<m = $m, n = $c>, "
     "eltType = #nvvm.ld_st_matrix_elt_type<$t>}"},
    {"nvvm.stmatrix $p, $a, $b layout = <$l>, shape = <m = $m, n = $c>, element_type = <$t>",
     "nvvm.stmatrix $p, $a, $b {layout = #nvvm.mma_layout<$l>, shape = #nvvm.ld_st_matrix_shape<m = $m, n = $c>, "
     "eltType = #nvvm.ld_st_matrix_elt_type<$t>}"},
    {"nvvm.stmatrix $p, $a, $b, $d, $e layout = <$l>, shape = <m = $m, n = $c>, element_type = <$t>",
     "nvvm.stmatrix $p, $a, $b, $d, $e {layout = #nvvm.mma_layout<$l>, shape = #nvvm.ld_st_matrix_shape<m = $m, n = "
     "$c>, eltType = #nvvm.ld_st_matrix_elt_type<$t>}"},
    // Before November 2025, operations on barriers in shared memory had their own names (llvm/llvm-project 165558,
    // 165993, 167567).
    {"nvvm.mbarrier.init.shared", "nvvm.mbarrier.init"},
    {"nvvm.mbarrier.inval.shared", "nvvm.mbarrier.inval"},
    {"nvvm.mbarrier.arrive.shared", "nvvm.mbarrier.arrive"},
    {"nvvm.mbarrier.arrive.nocomplete.shared", "nvvm.mbarrier.arrive.nocomplete"},
    {"nvvm.mbarrier.arrive.expect_tx.shared", "nvvm.mbarrier.arrive.expect_tx"},
    {"nvvm.mbarrier.test.wait.shared", "nvvm.mbarrier.test.wait"},
    {"nvvm.mbarrier.try_wait.parity.shared", "nvvm.mbarrier.try_wait.parity"},
};

/// JAX's tests use this operation with any type, but LLVM's own operation has only values of LLVM's types.
constexpr std::string_view kAnyValues[] = {"llvm.mlir.undef"};

} // namespace

ModuleDialects gpuDialects() { return {kDifferences, kAnyValues, /*keepsUnknown=*/true}; }

} // namespace lanescope::core
