// verdict: survives
#include "attack.h"
#include <pthread.h>

static void *run(void *unused) { return unused; }

static void attack(void)
{
    pthread_t thread;
    TRY(pthread_create(&thread, NULL, run, NULL) == 0);
}
