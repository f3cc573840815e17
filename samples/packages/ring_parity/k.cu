#include "common.cuh"
#define ST 3
extern "C" __global__ void k(const float* x,float* y,int n){
  __shared__ alignas(128) float b[ST][64]; __shared__ uint64_t full[ST],empty[ST];
  int t=threadIdx.x;
  if(t==0){ for(int i=0;i<ST;i++){ mb_init(&full[i],1); mb_init(&empty[i],2);} fence_mb_init(); }
  __syncthreads();
  if(t<64){
    float a=0;
    for(int i=0;i<n;i++){ int s=i%ST; mb_wait(&full[s],(i/ST)&1); a+=b[s][t]; __syncwarp(); fence_async(); if(t%32==0) mb_arrive(&empty[s]); }
    y[t]=a;
  } else if(t==64){
    for(int i=0;i<n;i++){ int s=i%ST;
#if BUG
      mb_wait(&empty[s],(i/ST)&1);       // the first ST pass at once, but only if the parity were 1
#else
      mb_wait(&empty[s],((i/ST)&1)^1);
#endif
      mb_arrive_tx(&full[s],256); bulk_load(b[s],x+i*64,256,&full[s]); }
  }
}
