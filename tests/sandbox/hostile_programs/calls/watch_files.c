// verdict: survives
// Who opens which shared file tells what others do.
#include "attack.h"
#include <sys/fanotify.h>
#include <sys/inotify.h>

static void attack(void)
{
    int watch = inotify_init();
    TRY(watch >= 0 && (inotify_add_watch(watch, "/", IN_ALL_EVENTS) >= 0 || inotify_add_watch(watch, "/lib", IN_ALL_EVENTS) >= 0));
    TRY(fanotify_init(0, 0) >= 0);
}
