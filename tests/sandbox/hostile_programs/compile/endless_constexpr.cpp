// verdict: exited 1 or cpu
// limits: cpu_s=0.2
constexpr long endless(long from)
{
    for (long outer = 0; outer < 200000; outer++)
        for (long more = 0; more < 200000; more++)
            from ^= more;
    return from;
}
constexpr long value = endless(1);

int main() { return value; }
