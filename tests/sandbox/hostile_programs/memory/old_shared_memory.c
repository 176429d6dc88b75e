// verdict: survives
// limits: memory=67108864
#include "attack.h"
#include <mqueue.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

static void attack(void)
{
    TRY(shmget(IPC_PRIVATE, 128 << 20, IPC_CREAT | 0666) >= 0);
    TRY(shmget(0x51484f53, 0, 0) >= 0);
    TRY(msgget(0x51484f53, IPC_CREAT | 0666) >= 0);
    TRY(semget(0x51484f53, 1000, IPC_CREAT | 0666) >= 0);
    TRY(mq_open("/quadrille-hostile", O_CREAT | O_RDWR, 0666, NULL) != (mqd_t)-1);
}
