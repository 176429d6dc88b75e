// What attacks have in common: how one says that it got something, and the marker that it looks for.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static int leaks;

// The attack got something.
__attribute__((unused)) static void got(const char *what, const char *detail)
{
    if (leaks++ < 20)
        printf("LEAK %s %s\n", what, detail);
}

// A call that should have failed.
#define TRY(call) ((call) ? got(#call, "") : (void)0)

// The marker, each letter one higher, so that no program holds it before it has found it.
#define SHIFTED "rvbesjmmf.nbslfs"
#define MARKER_LENGTH (sizeof(SHIFTED) - 1)

__attribute__((unused)) static int has_marker(const char *text, size_t length)
{
    for (size_t at = 0; at + MARKER_LENGTH <= length; at++) {
        size_t same = 0;
        while (same < MARKER_LENGTH && text[at + same] == SHIFTED[same] - 1)
            same++;
        if (same == MARKER_LENGTH)
            return 1;
    }
    return 0;
}
