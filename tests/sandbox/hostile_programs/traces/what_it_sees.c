// verdict: exited 0
// only: nested
// printed: (?s).*
// stdin: 1
// A program that wants to know whether it is graded, or which time it runs, is told the same each time.
#include "got.h"
#include <dirent.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

extern char **environ;

static void show(const char *name)
{
    struct stat about;
    errno = 0;
    int done = lstat(name, &about);
    printf("%s %d %d", name, done, errno);
    if (done == 0)
        printf(" %o %u %u %ld %lu", about.st_mode, about.st_uid, about.st_gid, (long)about.st_size, (unsigned long)about.st_nlink);
    puts("");
}

int main(int argc, char **argv)
{
    char room[PATH_MAX];
    struct utsname machine;
    for (int at = 0; at < argc; at++)
        puts(argv[at]);
    for (char **one = environ; *one; one++)
        puts(*one);
    printf("%d %d %d %d %d\n", getpid(), getppid(), getpgid(0), getsid(0), (int)syscall(SYS_gettid));
    printf("%d %d %d %d\n", getuid(), geteuid(), getgid(), getegid());
    puts(getcwd(room, sizeof room) ? room : "-");
    if (uname(&machine) == 0)
        printf("%s %s\n", machine.nodename, machine.domainname);
    for (int kind = 0; kind < RLIM_NLIMITS; kind++) {
        struct rlimit limit = {0, 0};
        int done = getrlimit(kind, &limit);
        printf("limit %d %d %lu %lu\n", kind, done, (unsigned long)limit.rlim_cur, (unsigned long)limit.rlim_max);
    }
    for (int number = 1; number < 65; number++) {
        struct sigaction now = {0};
        int done = sigaction(number, NULL, &now);
        printf("%d:%d:%d ", number, done, now.sa_handler == SIG_IGN);
    }
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    printf("\n%lx %o %d\n", *(unsigned long *)&blocked, umask(0), getpriority(PRIO_PROCESS, 0));
    for (int file = 0; file < 20; file++) {
        struct stat about;
        int done = fstat(file, &about);
        printf("%d: %d %o %ld %x\n", file, done, done ? 0 : about.st_mode & S_IFMT, done ? 0 : (long)about.st_nlink, fcntl(file, F_GETFL));
    }
    show(argv[0]), show("."), show(".."), show("/"), show("/tmp"), show("/dev"), show("/proc"), show("/proc/self"), show("/etc");
    struct dirent **names;
    const char *folders[] = {".", "/", "/dev", "/tmp", "/etc"};
    for (size_t at = 0; at < sizeof folders / sizeof *folders; at++) {
        int count = scandir(folders[at], &names, NULL, alphasort);
        printf("%s:", folders[at]);
        for (int one = 0; one < count; one++)
            printf(" %s", names[one]->d_name);
        puts("");
    }
    struct statfs disk;
    if (statfs(".", &disk) == 0)
        printf("%lx %ld %ld\n", (long)disk.f_type, (long)disk.f_blocks, (long)disk.f_files);
    printf("%d\n", prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
}
