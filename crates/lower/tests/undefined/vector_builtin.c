// A builtin of gcc that nothing is known of is not just any function.
// data-model: LP64
// outcome: unsupported
int main(void)
{
    return __builtin_ia32_stmxcsr();
}
