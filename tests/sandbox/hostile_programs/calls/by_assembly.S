// verdict: blocked
// only: x86_64
// options: -nostdlib -static
// No library, only the call: keyctl.
.globl _start
_start:
    mov $250, %eax
    syscall
    mov $60, %eax
    xor %edi, %edi
    syscall
.section .note.GNU-stack, "", @progbits
