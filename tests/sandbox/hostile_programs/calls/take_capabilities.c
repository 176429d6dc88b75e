// verdict: survives
#include "attack.h"
#include <linux/capability.h>
#include <sys/prctl.h>

static void attack(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct all[2] = {{-1, -1, -1}, {-1, -1, -1}}, now[2] = {{0}, {0}};
    TRY(syscall(SYS_capset, &header, all) == 0);
    if (syscall(SYS_capget, &header, now) == 0)
        TRY(now[0].effective | now[0].permitted | now[1].effective | now[1].permitted);
    for (int one = 0; one < 41; one++)
        TRY(prctl(PR_CAPBSET_READ, one, 0, 0, 0) == 1 && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, one, 0, 0) == 0);
}
