#pragma once
#include <cstdint>
#define DEV static __device__ __forceinline__
typedef unsigned long long u64;
struct alignas(64) TMap { char b[128]; };
DEV uint32_t s2u(const void* p){ return (uint32_t)__cvta_generic_to_shared(p); }
DEV void mb_init(uint64_t* b,uint32_t n){ asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"::"r"(s2u(b)),"r"(n):"memory"); }
DEV void mb_inval(uint64_t* b){ asm volatile("mbarrier.inval.shared::cta.b64 [%0];"::"r"(s2u(b)):"memory"); }
DEV void fence_mb_init(){ asm volatile("fence.mbarrier_init.release.cluster;":::"memory"); }
DEV void fence_async(){ asm volatile("fence.proxy.async.shared::cta;":::"memory"); }
DEV void fence_async_all(){ asm volatile("fence.proxy.async;":::"memory"); }
DEV void mb_arrive(uint64_t* b){ asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"::"r"(s2u(b)):"memory"); }
DEV void mb_arrive_n(uint64_t* b,uint32_t n){ asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;"::"r"(s2u(b)),"r"(n):"memory"); }
DEV void mb_arrive_tx(uint64_t* b,uint32_t n){ asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"::"r"(s2u(b)),"r"(n):"memory"); }
DEV void mb_expect(uint64_t* b,uint32_t n){ asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;"::"r"(s2u(b)),"r"(n):"memory"); }
DEV void mb_wait(uint64_t* b,uint32_t par){ asm volatile("{\n.reg .pred P;\nLW:\nmbarrier.try_wait.parity.shared::cta.b64 P, [%0], %1;\n@P bra LD;\nbra LW;\nLD:\n}"::"r"(s2u(b)),"r"(par):"memory"); }
DEV void mb_wait_cl(uint64_t* b,uint32_t par){ asm volatile("{\n.reg .pred P;\nLW:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 P, [%0], %1;\n@P bra LD;\nbra LW;\nLD:\n}"::"r"(s2u(b)),"r"(par):"memory"); }
DEV uint32_t mb_test(uint64_t* b,uint32_t par){ uint32_t r; asm volatile("{\n.reg .pred P;\nmbarrier.test_wait.parity.shared::cta.b64 P, [%1], %2;\nselp.u32 %0,1,0,P;\n}":"=r"(r):"r"(s2u(b)),"r"(par):"memory"); return r; }
DEV uint32_t mapa(uint32_t a,uint32_t r){ uint32_t o; asm volatile("mapa.shared::cluster.u32 %0, %1, %2;":"=r"(o):"r"(a),"r"(r)); return o; }
DEV void mb_arrive_cl(uint32_t a){ asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"::"r"(a):"memory"); }
DEV uint32_t ctarank(){ uint32_t r; asm volatile("mov.u32 %0, %%cluster_ctarank;":"=r"(r)); return r; }
DEV void cl_arrive(){ asm volatile("barrier.cluster.arrive.release.aligned;":::"memory"); }
DEV void cl_arrive_rel(){ asm volatile("barrier.cluster.arrive.relaxed.aligned;":::"memory"); }
DEV void cl_wait(){ asm volatile("barrier.cluster.wait.acquire.aligned;":::"memory"); }
DEV void cluster_sync(){ cl_arrive(); cl_wait(); }
DEV float ld_ds(uint32_t a){ float v; asm volatile("ld.shared::cluster.f32 %0, [%1];":"=f"(v):"r"(a):"memory"); return v; }
DEV void st_ds(uint32_t a,float v){ asm volatile("st.shared::cluster.f32 [%0], %1;"::"r"(a),"f"(v):"memory"); }
DEV void st_async(uint32_t a,float v,uint32_t b){ asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];"::"r"(a),"f"(v),"r"(b):"memory"); }
DEV void bulk_load(void* s,const void* g,uint32_t n,uint64_t* b){ asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"::"r"(s2u(s)),"l"(g),"r"(n),"r"(s2u(b)):"memory"); }
DEV void bulk_store(void* g,const void* s,uint32_t n){ asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"::"l"(g),"r"(s2u(s)),"r"(n):"memory"); }
DEV void bulk_red(void* g,const void* s,uint32_t n){ asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;"::"l"(g),"r"(s2u(s)),"r"(n):"memory"); }
DEV void bulk_s2s(uint32_t d,const void* s,uint32_t n,uint32_t b){ asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"::"r"(d),"r"(s2u(s)),"r"(n),"r"(b):"memory"); }
DEV void bulk_commit(){ asm volatile("cp.async.bulk.commit_group;":::"memory"); }
template<int N> DEV void bulk_wait_read(){ asm volatile("cp.async.bulk.wait_group.read %0;"::"n"(N):"memory"); }
template<int N> DEV void bulk_wait(){ asm volatile("cp.async.bulk.wait_group %0;"::"n"(N):"memory"); }
DEV void tma_load2(void* s,const void* m,uint64_t* b,int x,int y){ asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3,%4}], [%2];"::"r"(s2u(s)),"l"(m),"r"(s2u(b)),"r"(x),"r"(y):"memory"); }
DEV void tma_load2_mc(void* s,const void* m,uint64_t* b,int x,int y,uint16_t mask){ asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3,%4}], [%2], %5;"::"r"(s2u(s)),"l"(m),"r"(s2u(b)),"r"(x),"r"(y),"h"(mask):"memory"); }
DEV void tma_store2(const void* m,const void* s,int x,int y){ asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2,%3}], [%1];"::"l"(m),"r"(s2u(s)),"r"(x),"r"(y):"memory"); }
DEV void cpa4(void* s,const void* g){ asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"::"r"(s2u(s)),"l"(g):"memory"); }
DEV void cpa16(void* s,const void* g){ asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"::"r"(s2u(s)),"l"(g):"memory"); }
DEV void cpa_commit(){ asm volatile("cp.async.commit_group;":::"memory"); }
template<int N> DEV void cpa_wait(){ asm volatile("cp.async.wait_group %0;"::"n"(N):"memory"); }
DEV void cpa_mb(uint64_t* b){ asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];"::"r"(s2u(b)):"memory"); }
DEV void cpa_mb_noinc(uint64_t* b){ asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];"::"r"(s2u(b)):"memory"); }
DEV void bar_sync(int i,int n){ asm volatile("bar.sync %0, %1;"::"r"(i),"r"(n):"memory"); }
DEV void bar_arrive(int i,int n){ asm volatile("bar.arrive %0, %1;"::"r"(i),"r"(n):"memory"); }
DEV bool elect(){ uint32_t p; asm volatile("{\n.reg .pred P;\nelect.sync _|P, 0xffffffff;\nselp.u32 %0,1,0,P;\n}":"=r"(p)); return p; }
DEV uint32_t ld_acq(const uint32_t* p){ uint32_t v; asm volatile("ld.acquire.gpu.global.u32 %0,[%1];":"=r"(v):"l"(p):"memory"); return v; }
DEV uint32_t ld_rlx(const uint32_t* p){ uint32_t v; asm volatile("ld.relaxed.gpu.global.u32 %0,[%1];":"=r"(v):"l"(p):"memory"); return v; }
DEV uint32_t ld_acq_cta(const uint32_t* p){ uint32_t v; asm volatile("ld.acquire.cta.global.u32 %0,[%1];":"=r"(v):"l"(p):"memory"); return v; }
DEV void st_rel(uint32_t* p,uint32_t v){ asm volatile("st.release.gpu.global.u32 [%0],%1;"::"l"(p),"r"(v):"memory"); }
DEV void st_rel_cta(uint32_t* p,uint32_t v){ asm volatile("st.release.cta.global.u32 [%0],%1;"::"l"(p),"r"(v):"memory"); }
DEV void st_rlx(uint32_t* p,uint32_t v){ asm volatile("st.relaxed.gpu.global.u32 [%0],%1;"::"l"(p),"r"(v):"memory"); }
DEV uint32_t add_ar(uint32_t* p,uint32_t v){ uint32_t o; asm volatile("atom.acq_rel.gpu.global.add.u32 %0,[%1],%2;":"=r"(o):"l"(p),"r"(v):"memory"); return o; }
DEV uint32_t add_rlx(uint32_t* p,uint32_t v){ uint32_t o; asm volatile("atom.relaxed.gpu.global.add.u32 %0,[%1],%2;":"=r"(o):"l"(p),"r"(v):"memory"); return o; }
DEV void red_rel(uint32_t* p,uint32_t v){ asm volatile("red.release.gpu.global.add.u32 [%0],%1;"::"l"(p),"r"(v):"memory"); }
DEV void red_rlx(uint32_t* p,uint32_t v){ asm volatile("red.relaxed.gpu.global.add.u32 [%0],%1;"::"l"(p),"r"(v):"memory"); }
DEV void fence_gpu(){ asm volatile("fence.acq_rel.gpu;":::"memory"); }
// tcgen05
DEV void tm_alloc(uint32_t* s,uint32_t n){ asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;"::"r"(s2u(s)),"r"(n):"memory"); }
DEV void tm_relinq(){ asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;":::"memory"); }
DEV void tm_free(uint32_t a,uint32_t n){ asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;"::"r"(a),"r"(n):"memory"); }
DEV void tm_st1(uint32_t a,uint32_t v){ asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};"::"r"(a),"r"(v):"memory"); }
DEV uint32_t tm_ld1(uint32_t a){ uint32_t v; asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];":"=r"(v):"r"(a):"memory"); return v; }
DEV void tm_wait_ld(){ asm volatile("tcgen05.wait::ld.sync.aligned;":::"memory"); }
DEV void tm_wait_st(){ asm volatile("tcgen05.wait::st.sync.aligned;":::"memory"); }
DEV void tc_before(){ asm volatile("tcgen05.fence::before_thread_sync;":::"memory"); }
DEV void tc_after(){ asm volatile("tcgen05.fence::after_thread_sync;":::"memory"); }
DEV void tm_commit(uint64_t* b){ asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];"::"r"(s2u(b)):"memory"); }
DEV void tm_cp128(uint32_t a,uint64_t d){ asm volatile("tcgen05.cp.cta_group::1.128x256b [%0], %1;"::"r"(a),"l"(d):"memory"); }
DEV void tm_mma(uint32_t d,uint64_t a,uint64_t b,uint32_t id,uint32_t acc){ asm volatile("{\n.reg .pred P;\nsetp.ne.u32 P, %4, 0;\ntcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, P;\n}"::"r"(d),"l"(a),"l"(b),"r"(id),"r"(acc):"memory"); }
// wgmma m64n8k16 f16 -> f32
DEV uint64_t desc0(const void* s){ uint64_t a=(s2u(s)&0x3ffff)>>4; return a | ((uint64_t)(128>>4)<<16) | ((uint64_t)(256>>4)<<32); }
DEV void wg_fence(){ asm volatile("wgmma.fence.sync.aligned;":::"memory"); }
DEV void wg_commit(){ asm volatile("wgmma.commit_group.sync.aligned;":::"memory"); }
template<int N> DEV void wg_wait(){ asm volatile("wgmma.wait_group.sync.aligned %0;"::"n"(N):"memory"); }
DEV void wg_mma(float* d,uint64_t a,uint64_t b,int acc){ asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %6, 0;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, p, 1, 1, 0, 0;\n}":"+f"(d[0]),"+f"(d[1]),"+f"(d[2]),"+f"(d[3]):"l"(a),"l"(b),"r"(acc):"memory"); }
DEV void wg_mma_r(float* d,uint32_t*a,uint64_t b,int acc){ asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %9, 0;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, p, 1, 1, 0;\n}":"+f"(d[0]),"+f"(d[1]),"+f"(d[2]),"+f"(d[3]):"r"(a[0]),"r"(a[1]),"r"(a[2]),"r"(a[3]),"l"(b),"r"(acc):"memory"); }
