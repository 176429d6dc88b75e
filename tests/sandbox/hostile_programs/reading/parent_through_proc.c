// verdict: survives
#include "attack.h"

static void attack(void)
{
    const char *parts[] = {"environ", "cmdline", "maps", "mem", "fd/3", "root/tmp/quadrille-hostile/secret", "cwd/secret"};
    for (int pid = 1; pid < 30; pid++)
        for (size_t at = 0; pid != getpid() && at < sizeof parts / sizeof *parts; at++) {
            char name[100], content[16];
            snprintf(name, sizeof name, "/proc/%d/%s", pid, parts[at]);
            int file = open(name, O_RDONLY);
            if (file >= 0 && read(file, content, sizeof content) > 0)
                got("read", name);
        }
}
