// verdict: exited 1 or cpu
// limits: cpu_s=0.2 errors=16384
#define L "longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglong"
#define M L L L L L L L L L L L L L L L L L L L L
#define N M M M M M M M M M M M M M M M M M M M M
#pragma message(N N N N N N N N N N N N N N N N N N N N)
#pragma message(N N N N N N N N N N N N N N N N N N N N)
#include __FILE__

int main() { return 0; }
