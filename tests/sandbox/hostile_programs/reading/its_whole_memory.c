// verdict: survives
// limits: cpu_s=5 wall_s=20
// What the launcher forgot to clear: environment, arguments, the stack above main, freed memory, all mappings.
#include "attack.h"

static void look(uintptr_t from, uintptr_t until, const char *where)
{
    for (uintptr_t at = from; at < until; at += 4096)
        if (access((char *)at, F_OK) == 0 || errno != EFAULT) {  // the kernel says whether the page is there
            uintptr_t end = at + 4096 < until ? at + 4096 : until;
            if (has_marker((char *)at, end - at))
                got("found in", where);
        }
}

extern char **environ;

static void attack(void)
{
    int local;
    for (char **one = environ; *one; one++)
        if (has_marker(*one, strlen(*one)))
            got("environment", "");
    uintptr_t stack = (uintptr_t)&local & ~4095UL, heap = (uintptr_t)sbrk(0) & ~4095UL;
    look(stack - (64 << 10), stack + (256 << 10), "the stack");
    look(heap - (256 << 10), heap, "the heap");
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1000];
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long from, until;
        if (sscanf(line, "%lx-%lx r", &from, &until) == 2 && strstr(line, " r") && !strstr(line, "[v"))
            look(from, until, line);
    }
}
