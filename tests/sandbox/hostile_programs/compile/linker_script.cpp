// verdict: exited 1
// file: extra.o = INPUT(/tmp/quadrille-hostile/secret /etc/shadow /etc/passwd) OUTPUT(/tmp/quadrille-hostile-written)
// argv: g++ -o program ./main.cpp ./extra.o
// Where the linker expects a library it also takes a text, in which it is told what to read.

int main() { return 0; }
