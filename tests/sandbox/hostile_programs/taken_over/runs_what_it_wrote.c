// verdict: blocked
// limits: cpu_s=2
// A compiler may start programs, so it may start its own; the walls are the same for them.
#include "got.h"

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "again") == 0) {
        TRY(open("/tmp/quadrille-hostile/secret", O_RDONLY) >= 0);
        syscall(SYS_ptrace, 0, 0, 0, 0);
        puts("LEAK");
        return 0;
    }
    char part[1 << 16], *again[] = {"./copy", "again", NULL};
    int from = open("/proc/self/exe", O_RDONLY), to = open("copy", O_WRONLY | O_CREAT, 0755);
    if (from < 0)
        from = open(argv[0], O_RDONLY);
    for (ssize_t length; (length = read(from, part, sizeof part)) > 0;)
        if (write(to, part, length) != length)
            return 1;
    close(to);
    execv("./copy", again);
    printf("LEAK %d\n", errno);
}
