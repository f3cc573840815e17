"""Small kernels from which PTX mutations start. Each ends in microseconds, and its output depends on all of its
instructions."""

HEAD = ".version 8.6\n.target sm_90a\n.address_size 64\n"


def entry(body, declarations="", parameters=".param .u64 in, .param .u64 out"):
    return f"""{HEAD}{declarations}.visible .entry k({parameters}) .maxntid 64
{{
.reg .pred %p<8>;
.reg .b16 %h<8>;
.reg .b32 %r<32>;
.reg .f32 %f<16>;
.reg .b64 %rd<16>;
ld.param.u64 %rd1, [in];
ld.param.u64 %rd2, [out];
cvta.to.global.u64 %rd1, %rd1;
cvta.to.global.u64 %rd2, %rd2;
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r1, 4;
add.u64 %rd4, %rd1, %rd3;
add.u64 %rd5, %rd2, %rd3;
{body}
ret;
}}
"""


KERNELS = {
    "arithmetic": entry("""ld.global.u32 %r2, [%rd4];
mad.lo.s32 %r3, %r2, 3, %r1;
shl.b32 %r4, %r3, 2;
xor.b32 %r5, %r4, %r2;
popc.b32 %r6, %r5;
cvt.rn.f32.u32 %f1, %r6;
fma.rn.f32 %f2, %f1, 0f40000000, 0f3F800000;
sqrt.rn.f32 %f3, %f2;
mov.b32 %r7, %f3;
add.u32 %r8, %r7, %r5;
st.global.u32 [%rd5], %r8;"""),
    "loop": entry("""ld.global.u32 %r2, [%rd4];
mov.u32 %r3, 0;
mov.u32 %r4, 0;
LOOP:
add.u32 %r3, %r3, %r2;
add.u32 %r4, %r4, 1;
setp.lt.u32 %p1, %r4, 5;
@%p1 bra LOOP;
and.b32 %r5, %r1, 1;
setp.eq.u32 %p2, %r5, 0;
@%p2 bra EVEN;
add.u32 %r3, %r3, 100;
bra DONE;
EVEN:
sub.u32 %r3, %r3, 7;
DONE:
selp.b32 %r6, %r3, %r4, %p2;
add.u32 %r6, %r6, %r3;
st.global.u32 [%rd5], %r6;"""),
    "shared": entry("""ld.global.u32 %r2, [%rd4];
mov.u32 %r3, tile;
shl.b32 %r4, %r1, 2;
add.u32 %r5, %r3, %r4;
st.shared.u32 [%r5], %r2;
bar.sync 0;
xor.b32 %r6, %r4, 4;
add.u32 %r7, %r3, %r6;
ld.shared.u32 %r8, [%r7];
atom.shared.add.u32 %r9, [total], 1;
bar.sync 0;
ld.shared.u32 %r10, [total];
add.u32 %r11, %r8, %r10;
shfl.sync.bfly.b32 %r12|%p3, %r11, 1, 31, -1;
vote.sync.ballot.b32 %r13, %p3, -1;
add.u32 %r14, %r12, %r13;
st.global.u32 [%rd5], %r14;""", ".shared .align 16 .b8 tile[256];\n.shared .align 4 .u32 total;\n"),
    "call": entry("""{
.param .b32 value;
.param .b32 result;
ld.global.u32 %r2, [%rd4];
st.param.b32 [value], %r2;
call.uni (result), twice, (value);
ld.param.b32 %r3, [result];
}
ld.const.u32 %r4, [table+4];
add.u32 %r5, %r3, %r4;
st.global.u32 [%rd5], %r5;""", """.const .align 4 .u32 table[4] = {1, 2, 3, 4};
.func (.param .b32 back) twice(.param .b32 given)
{
.reg .b32 %a<4>;
ld.param.b32 %a1, [given];
add.u32 %a2, %a1, %a1;
st.param.b32 [back], %a2;
ret;
}
"""),
    "copy": entry("""mov.u32 %r20, bar;
mov.u32 %r21, tile;
setp.eq.u32 %p1, %r1, 0;
@%p1 mbarrier.init.shared::cta.b64 [%r20], 1;
@%p1 fence.mbarrier_init.release.cluster;
bar.sync 0;
@!%p1 bra WAIT;
mbarrier.arrive.expect_tx.shared::cta.b64 %rd6, [%r20], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r21], [%rd1], 256, [%r20];
WAIT:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r20], 0;
@!%p2 bra WAIT;
shl.b32 %r22, %r1, 2;
add.u32 %r23, %r21, %r22;
ld.shared.u32 %r24, [%r23];
add.u32 %r25, %r24, 1;
st.global.u32 [%rd5], %r25;""", ".shared .align 16 .b8 tile[256];\n.shared .align 8 .b64 bar;\n"),
    "matrix": entry("""cvt.u16.u32 %h1, %r1;
mov.b32 %r2, {%h1, %h1};
mov.u32 %r3, 0x3C003C00;
mov.f32 %f1, 0f00000000;
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, %f5}, {%r3, %r3, %r3, %r3}, {%r3, %r3}, {%f1, %f1, %f1, %f1};
add.f32 %f6, %f2, %f3;
add.f32 %f7, %f6, %f5;
cvt.rzi.u32.f32 %r4, %f7;
ld.global.v2.u32 {%r5, %r6}, [%rd1];
add.u32 %r7, %r4, %r5;
prmt.b32 %r8, %r7, %r2, 0x5410;
st.global.u32 [%rd5], %r8;"""),
}

LAUNCH = {"entry": "k", "grid": [1, 1, 1], "cluster": [1, 1, 1], "block": [64, 1, 1], "dynamic_smem": 0,
          "params": [{"kind": "buffer", "dtype": "u32", "shape": [64], "name": "in"},
                     {"kind": "buffer", "dtype": "u32", "shape": [64], "name": "out", "out": "out.npy"}]}

# A launch with one member of each kind, for mutations of launch descriptions.
RICH_LAUNCH = {"entry": "k", "grid": [2, 1, 1], "cluster": [1, 1, 1], "block": [64, 1, 1], "dynamic_smem": 1024, "cooperative": False,
               "params": [{"kind": "buffer", "dtype": "u32", "shape": [64], "name": "in"},
                          {"kind": "buffer", "dtype": "f16", "shape": [8, 8], "name": "out", "out": "out.npy"},
                          {"kind": "scalar", "dtype": "i32", "value": -3}, {"kind": "scalar", "dtype": "f32", "value": "inf"},
                          {"kind": "pointer", "buffer": 0, "at": 16},
                          {"kind": "bytes", "size": 192, "align": 64, "hex": "00ff", "values": [{"offset": 8, "dtype": "f32", "value": 2.5}],
                           "buffers": [{"dtype": "f16", "shape": [64, 128], "name": "b"}],
                           "tensor_maps": [{"offset": 64, "buffer": 0, "dtype": "f16", "shape": [64, 128], "strides_bytes": [256],
                                            "box": [8, 64], "swizzle": 128, "oob_fill": "zeros"}],
                           "pointers": [{"offset": 0, "buffer": 0, "at": 8}]}],
               "variables": [{"variable": "v", "dtype": "u32", "shape": [4]}],
               "pointers": [{"in": 0, "offset": 8, "buffer": 1, "at": 0}],
               "shared": [{"name": "tile", "dtype": "f16", "shape": [8, 64], "offset": 0, "tiling": [8, 64], "swizzle": 128}]}
