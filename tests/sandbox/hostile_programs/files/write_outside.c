// verdict: survives
#include "attack.h"

static void attack(void)
{
    const char *folders[] = {"", "/", "/tmp/", "/dev/", "/dev/shm/", "/var/tmp/", "/run/", "/root/", "/home/", "/etc/", "/lib/", "/usr/", "/usr/lib/", "/proc/", "/sys/", "/opt/", "../", "../../", "/proc/self/root/", "/proc/self/cwd/../", "/mnt/", "/box/../"};
    for (size_t at = 1; at < sizeof folders / sizeof *folders; at++) {
        char name[200];
        snprintf(name, sizeof name, "%squadrille-hostile-written", folders[at]);
        int file = open(name, O_WRONLY | O_CREAT, 0666);
        if (file >= 0)
            got("wrote", name);
        TRY(mkdir(name, 0777) == 0);
        TRY(symlink("/etc/passwd", name) == 0);
        TRY(mkfifo(name, 0666) == 0);
    }
}
