// verdict: exited 0 or exited 1
// file: extra.o = SEARCH_DIR(/root) INCLUDE /etc/passwd
// argv: g++ -o program ./main.cpp ./extra.o

int main() { return 0; }
