// verdict: survives
// Keys that are pressed in the terminal of whoever started us.
#include "attack.h"
#include <sys/ioctl.h>
#include <termios.h>

static void attack(void)
{
    for (int file = 0; file < 3; file++) {
        char zero = 0, key = 'x';
        TRY(ioctl(file, TIOCSTI, &key) == 0);
        TRY(ioctl(file, TIOCSCTTY, 1) == 0);
        TRY(ioctl(file, TIOCLINUX, &zero) == 0);
        TRY(isatty(file));
    }
    TRY(open("/dev/tty", O_RDWR) >= 0);
    TRY(open("/dev/console", O_RDWR) >= 0);
    TRY(open("/dev/ptmx", O_RDWR) >= 0);
}
