// verdict: survives
// Its own process it may see; every other, and the machine's, it may not.
#include "attack.h"
#include <dirent.h>

static void attack(void)
{
    DIR *processes = opendir("/proc");
    for (struct dirent *one; processes && (one = readdir(processes));)
        if (atoi(one->d_name) > 0 && atoi(one->d_name) != getpid()) {
            const char *parts[] = {"environ", "cmdline", "maps", "mem", "fd", "cwd", "root", "exe", "stack", "status"};
            for (size_t at = 0; at < sizeof parts / sizeof *parts; at++) {
                char name[300];
                snprintf(name, sizeof name, "/proc/%s/%s", one->d_name, parts[at]);
                if (open(name, O_RDONLY) >= 0)
                    got("opened", name);
            }
        }
    const char *names[] = {"/proc/kcore", "/proc/kallsyms", "/proc/kmsg", "/proc/keys", "/proc/net/tcp", "/proc/net/unix", "/proc/locks", "/proc/mounts", "/proc/cmdline", "/proc/self/mountinfo", "/proc/sched_debug", "/proc/timer_list", "/proc/loadavg", "/proc/stat", "/proc/meminfo", "/proc/sysvipc/shm", "/proc/sys/kernel/random/boot_id", "/proc/sys/fs/inode-nr", "/proc/sys/fs/file-nr", "/proc/sys/fs/dentry-state", "/proc/vmstat", "/proc/slabinfo"};
    for (size_t at = 0; at < sizeof names / sizeof *names; at++)
        if (open(names[at], O_RDONLY) >= 0)
            got("opened", names[at]);
}
