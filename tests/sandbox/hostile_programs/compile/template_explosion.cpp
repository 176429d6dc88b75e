// verdict: cpu or memory
// limits: cpu_s=0.2
// Not deep, but twice as many at each level.
template <int N, int M> struct Both { static const int value = Both<N - 1, 2 * M>::value + Both<N - 1, 2 * M + 1>::value; };
template <int M> struct Both<0, M> { static const int value = 1; };

int main() { return Both<28, 0>::value; }
