/* Compiled into a program that crashed, to learn where: on a crash it prints the lines that were being executed, the
   innermost one first. Without libbacktrace it only lets the sanitizer of undefined behaviour report. It must be valid
   C and C++. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#ifdef QUADRILLE_BACKTRACE
#ifdef __cplusplus
extern "C" {
#endif
struct backtrace_state;
typedef void (*failed_t)(void*, const char*, int);
typedef int (*found_t)(void*, uintptr_t, const char*, int, const char*);
struct backtrace_state* backtrace_create_state(const char*, int, failed_t, void*);
int backtrace_full(struct backtrace_state*, int, found_t, failed_t, void*);
#ifdef __cplusplus
}
#endif

static void failed(void* data, const char* message, int number) {
    (void)data, (void)message, (void)number;
}

static int found(void* data, uintptr_t at, const char* file, int line, const char* function) {
    static int count = 0;
    char text[512];
    int length;
    (void)data, (void)at, (void)function;
    if (file == NULL) return 0;
    length = snprintf(text, sizeof text, "quadrille: at %.400s:%d\n", file, line);
    return write(2, text, (size_t)length) < 0 || ++count == 100;
}

static void tell(void) {
    backtrace_full(backtrace_create_state("program", 0, failed, NULL), 1, found, failed, NULL);
}
#else
static void tell(void) {
}
#endif

static char other_stack[1 << 18];

static void crashed(int number) {
    signal(number, SIG_DFL);
    tell();
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
    sigaltstack(&other, NULL);
    action.sa_handler = crashed;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaction(numbers[i], &action, NULL);
}
