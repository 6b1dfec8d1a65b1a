// -m32
long l = sizeof(long);
unsigned long ul;
long long ll;
unsigned u;
int *p;
long double ld = 1.0L;
void arithmetic(void)
{
    ll = l + u;
    ll = ll + ul;
    u = p - (int *) 0;
    u = sizeof(ll);
    l = (long) p;
    __builtin_va_list list;
    __builtin_va_copy(list, list);
}
