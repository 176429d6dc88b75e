// verdict: exited 0
// differs: pipes have numbers of the whole machine
// printed: (?s).*
// The kernel numbers files, pipes and namespaces for all jails together. A program that can read such a number learns
// how many others were made since it last ran.
#include "got.h"

static void number(const char *name, int file)
{
    struct stat about = {0};
    int done = file >= 0 ? fstat(file, &about) : stat(name, &about);
    printf("%s %d %lu %lu\n", name, done, done ? 0 : (unsigned long)about.st_ino, done ? 0 : (unsigned long)about.st_dev);
}

int main(void)
{
    int ends[2] = {-1, -1};
    number("0", 0), number("1", 1), number("2", 2);
    number(".", -1), number("/", -1), number("/dev", -1), number("/dev/null", -1), number("/proc", -1);
    number("new", open("new", O_RDWR | O_CREAT, 0666));
    if (pipe(ends) == 0)
        number("pipe", ends[0]);
    int memory = memfd_create("number", 0);
    if (memory >= 0)
        number("memfd", memory);
    const char *spaces[] = {"/proc/self/ns/pid", "/proc/self/ns/mnt", "/proc/self/ns/net", "/proc/self/ns/ipc", "/proc/self/ns/user"};
    for (size_t at = 0; at < sizeof spaces / sizeof *spaces; at++)
        number(spaces[at], -1);
}
