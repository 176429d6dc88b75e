// verdict: survives
// kept: plain
// Names that are no text, or speak to a terminal or a shell.
#include "attack.h"

static void attack(void)
{
    const char *names[] = {"\xff\xfe", "a\nb", "\x1b[31m", "-rf", "$(id)", "`id`", " ", "...", "\xe2\x80\xae", "%s%n"};
    for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
        close(open(names[at], O_WRONLY | O_CREAT, 0));
        mkdir(names[at], 0);
    }
}
