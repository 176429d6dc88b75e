// verdict: survives
// kept: plain folder/plain missing
// keeps: plain folder/plain
// No attack: these must come back.
#include "attack.h"

static void attack(void)
{
    mkdir("folder", 0777);
    int file = open("plain", O_WRONLY | O_CREAT, 0666), other = open("folder/plain", O_WRONLY | O_CREAT, 0666);
    TRY(write(file, "plain\n", 6) != 6 || write(other, "plain\n", 6) != 6);
}
