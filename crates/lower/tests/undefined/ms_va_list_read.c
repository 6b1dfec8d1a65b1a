// Lists of arguments in Microsoft's convention are not read.
// data-model: LP64
// outcome: unsupported
__attribute__((ms_abi)) int pick(int n, ...)
{
    __builtin_ms_va_list list;
    __builtin_ms_va_start(list, n);
    int r = __builtin_va_arg(list, int);
    __builtin_ms_va_end(list);
    return r;
}

int main(void)
{
    return pick(1, 2);
}
