// verdict: exited 1
// said: template instantiation depth
template <int N> struct Deeper { static const int value = Deeper<N + 1>::value; };

int main() { return Deeper<0>::value; }
