// verdict: exited 1
// Without end, if there were no limit to the depth or to the length of a name.
#include __FILE__

int main() { return 0; }
