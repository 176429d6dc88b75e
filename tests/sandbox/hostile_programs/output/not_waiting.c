// verdict: exited 0
// limits: output=1048576
// printed: (x{1000}\n){700}
// The file description may be shared with whoever started it: what is set there must hurt nobody, and lose nothing.
#include "got.h"

int main(void)
{
    static char line[1001];
    memset(line, 'x', 1000);
    line[1000] = '\n';
    fcntl(0, F_SETFL, O_NONBLOCK), fcntl(1, F_SETFL, O_NONBLOCK), fcntl(2, F_SETFL, O_NONBLOCK);
    fcntl(1, F_SETPIPE_SZ, 4096);
    for (int done = 0; done < 700; done++)
        for (int at = 0; at < 1001;) {
            ssize_t more = write(1, line + at, 1001 - at);
            at += more > 0 ? more : 0;
        }
}
