// verdict: cpu
// limits: cpu_s=0.1
#include <cstdio>

struct Slow {
    ~Slow()
    {
        for (volatile unsigned long more = 0;; more = more + 1)
            ;
    }
} slow;

int main() { std::puts("done"); }
