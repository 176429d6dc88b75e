// verdict: survives
// The suite has put the marker where other students' work, and our own, could lie.
#include "attack.h"

static void attack(void)
{
    const char *names[] = {"/tmp/quadrille-hostile/secret", "/dev/shm/quadrille-hostile", "/var/tmp/quadrille-hostile", "/etc/passwd", "/etc/shadow", "/etc/hostname", "/etc/machine-id", "/root/.bashrc", "/home", "/var/log", "/root", "/tmp/quadrille-hostile", "/proc/self/root/tmp/quadrille-hostile/secret", "/proc/1/root/etc/shadow", "/proc/1/cwd", "/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/vda", "/boot", "/sys/class", "/run", "/var/run/docker.sock", "/.dockerenv", "/control", "/guest"};
    for (size_t at = 0; at < sizeof names / sizeof *names; at++)
        if (open(names[at], O_RDONLY) >= 0)
            got("opened", names[at]);
}
