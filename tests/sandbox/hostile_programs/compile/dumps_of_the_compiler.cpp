// verdict: exited 0
// builds: yes
// argv: g++ -save-temps -fdump-tree-all -o program ./main.cpp
// Many more files than were asked for; they vanish.

int main() { return 0; }
