// verdict: exited 1 or cpu
// limits: cpu_s=0.2 errors=16384
// Each line gives a warning, which shows how it came about; what is kept of it is limited.
#define A(x) int x##0 = ; int x##1 = ; int x##2 = ; int x##3 = ; int x##4 = ; int x##5 = ; int x##6 = ;
#define B(x) A(x##0) A(x##1) A(x##2) A(x##3) A(x##4) A(x##5) A(x##6) A(x##7)
#define C(x) B(x##0) B(x##1) B(x##2) B(x##3) B(x##4) B(x##5) B(x##6) B(x##7)
#define D(x) C(x##0) C(x##1) C(x##2) C(x##3) C(x##4) C(x##5) C(x##6) C(x##7)
D(a) D(b) D(c) D(d) D(e) D(f) D(g) D(h)

int main() { return 0; }
