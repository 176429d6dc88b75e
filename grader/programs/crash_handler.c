/* Compiled into a program that crashed, to learn where: on a crash it says so, and provokes a report of the sanitizer of
   undefined behaviour, which prints the stack with files and lines. It must be valid C and C++. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C"
#endif
const char* __ubsan_default_options(void);
const char* __ubsan_default_options(void) { return "print_stacktrace=1"; }

static char other_stack[1 << 18];

static void crashed(int number) {
    static volatile int most = INT_MAX;
    signal(number, SIG_DFL);
    if (most == INT_MAX) {
        if (write(2, "\nquadrille: it crashed here\n", 28) == 28) most++;
    }
    raise(number);
}

__attribute__((constructor)) static void watch(void) {
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP};
    unsigned int i;
    stack_t other;
    struct sigaction action;
    other.ss_sp = other_stack;
    other.ss_size = sizeof other_stack;
    other.ss_flags = 0;
    sigaltstack(&other, 0);
    action.sa_handler = crashed;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaction(numbers[i], &action, 0);
}
