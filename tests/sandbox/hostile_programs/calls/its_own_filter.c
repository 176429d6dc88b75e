// verdict: survives
// A filter of its own cannot loosen ours, but it could answer calls in place of the kernel, or hand them to another.
#include "attack.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

static void attack(void)
{
    struct sock_filter allow[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    struct sock_fprog program = {1, allow};
    TRY(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program) >= 0);
    TRY(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0);
    TRY(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
    TRY(prctl(PR_SET_SECCOMP, 0, 0, 0, 0) == 0);
}
