// verdict: survives
#include "attack.h"

static void attack(void)
{
    siginfo_t said = {.si_signo = SIGTERM, .si_code = SI_QUEUE};
    for (int pid = 1; pid < 100; pid++) {
        if (pid == getpid())
            continue;
        TRY(syscall(SYS_tkill, pid, SIGTERM) == 0 && pid != 1);
        TRY(syscall(SYS_tgkill, pid, pid, SIGTERM) == 0 && pid != 1);
        TRY(syscall(SYS_rt_sigqueueinfo, pid, SIGTERM, &said) == 0 && pid != 1);
        TRY(syscall(SYS_rt_tgsigqueueinfo, pid, pid, SIGTERM, &said) == 0 && pid != 1);
    }
}
