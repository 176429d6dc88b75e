// verdict: exited 0
// printed: (?s)\x1b\]52;c;eA==\x07\x00\xff\xe2\x80\xae\r
// The sandbox hands on the bytes as they are; to show them safely is up to the pages.
#include "got.h"

int main(void)
{
    return write(1, "\033]52;c;eA==\a\0\377\342\200\256\r", 18) != 18;
}
