// verdict: survives
// What would change the machine for everybody, or tell of its other users.
#include "attack.h"
#include <sys/klog.h>
#include <sys/quota.h>
#include <sys/reboot.h>
#include <sys/sysinfo.h>

static void attack(void)
{
    char log[4096];
    TRY(sethostname("mine", 4) == 0);
    TRY(syscall(SYS_setdomainname, "mine", 4) == 0);
    TRY(klogctl(3, log, sizeof log) >= 0);
    TRY(acct("account") == 0);
    TRY(syscall(SYS_quotactl, QCMD(Q_SYNC, 0), NULL, 0, NULL) == 0);
    TRY(vhangup() == 0);
    TRY(syscall(SYS_syslog, 10, NULL, 0) >= 0);
    TRY(syscall(SYS_lookup_dcookie, 0L, log, sizeof log) >= 0);
    TRY(syscall(SYS_mount_setattr, -1, "", 0, NULL, 0) == 0);
    TRY(syscall(SYS_open_tree, -100, "/", 0) >= 0);
    TRY(syscall(SYS_fsopen, "tmpfs", 0) >= 0);
    TRY(syscall(SYS_name_to_handle_at, -100, "/", log, log, 0) == 0);
    TRY(syscall(SYS_landlock_create_ruleset, NULL, 0, 1) >= 0 && 0);
    TRY(syscall(SYS_move_pages, getppid(), 0L, NULL, NULL, NULL, 0) == 0 && getppid());
    TRY(syscall(SYS_memfd_secret, 0) >= 0);
}
