// verdict: blocked
#include "got.h"

int main(int argc, char **argv)
{
    setenv("LD_PRELOAD", "./evil.so", 1);
    execve("/proc/self/exe", argv, environ);
    printf("LEAK %d\n", argc);
}
