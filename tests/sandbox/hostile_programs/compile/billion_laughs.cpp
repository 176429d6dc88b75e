// verdict: cpu or memory or exited 1
// limits: cpu_s=0.2
#define A "ha" "ha" "ha" "ha" "ha" "ha" "ha" "ha" "ha" "ha"
#define B A A A A A A A A A A
#define C B B B B B B B B B B
#define D C C C C C C C C C C
#define E D D D D D D D D D D
#define F E E E E E E E E E E
#define G F F F F F F F F F F
#define H G G G G G G G G G G
#define I H H H H H H H H H H
const char *laughs = I I I I I I I I I I;

int main() { return 0; }
