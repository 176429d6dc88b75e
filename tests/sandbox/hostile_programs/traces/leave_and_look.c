// verdict: survives
// The suite runs it more than once, in the same jail and in another: each must find nothing of the one before.
#include "attack.h"
#include <mqueue.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

static void attack(void)
{
    const char *names[] = {"left", "/tmp/quadrille-hostile-left", "/dev/shm/quadrille-hostile-left", "/var/tmp/quadrille-hostile-left", "/run/quadrille-hostile-left", "../left", "/quadrille-hostile-left", "/dev/mqueue/quadrille-hostile-left", "/run/lock/quadrille-hostile-left"};
    for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
        if (access(names[at], F_OK) == 0)
            got("found", names[at]);
        close(open(names[at], O_RDWR | O_CREAT, 0666));
    }
    TRY(shmget(7, 1, 0) >= 0);
    TRY(semget(7, 1, 0) >= 0);
    TRY(msgget(7, 0) >= 0);
    TRY(mq_open("/left", O_RDONLY) != (mqd_t)-1);
    shmget(7, 1, IPC_CREAT | 0666);
    semget(7, 1, IPC_CREAT | 0666);
    msgget(7, IPC_CREAT | 0666);
    mq_open("/left", O_CREAT | O_RDWR, 0666, NULL);
    umask(0123);
    chmod(".", 0700);
}
