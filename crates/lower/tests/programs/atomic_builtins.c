// Checks that the atomic builtins act as their plain counterparts and return the right value.
int printf(const char *, ...);

int main(void)
{
    int n = 10;
    unsigned char c = 250;
    long long ll = 1LL << 40;
    int *p = &n, *q;
    printf("%d ", __sync_fetch_and_add(&n, 5)), printf("%d\n", n);
    printf("%d ", __sync_add_and_fetch(&n, 5)), printf("%d\n", n);
    printf("%d ", __sync_fetch_and_or(&n, 3)), printf("%d\n", n);
    printf("%d ", __sync_and_and_fetch(&n, 6)), printf("%d\n", n);
    printf("%d ", __sync_fetch_and_nand(&n, 6)), printf("%d\n", n);
    printf("%d ", __sync_bool_compare_and_swap(&n, -7, 1)), printf("%d\n", n);
    printf("%d ", __sync_bool_compare_and_swap(&n, 9, 2)), printf("%d\n", n);
    printf("%d ", __sync_val_compare_and_swap(&n, 1, 3)), printf("%d\n", n);
    printf("%d ", __sync_lock_test_and_set(&n, 8)), printf("%d\n", n);
    __sync_lock_release(&n);
    printf("%d\n", n);
    __sync_synchronize();
    printf("%d ", __sync_add_and_fetch(&c, 10)), printf("%d\n", c);
    printf("%lld ", __atomic_fetch_sub(&ll, 1, __ATOMIC_SEQ_CST)), printf("%lld\n", ll);
    printf("%lld ", __atomic_xor_fetch(&ll, 3, __ATOMIC_RELAXED)), printf("%lld\n", ll);
    __atomic_store_n(&n, 77, __ATOMIC_RELEASE);
    printf("%d\n", __atomic_load_n(&n, __ATOMIC_ACQUIRE));
    printf("%d ", __atomic_exchange_n(&n, 78, __ATOMIC_ACQ_REL)), printf("%d\n", n);
    int expected = 5;
    printf("%d ", __atomic_compare_exchange_n(&n, &expected, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    printf("%d %d\n", n, expected);
    printf("%d ", __atomic_compare_exchange_n(&n, &expected, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    printf("%d %d\n", n, expected);
    __atomic_load(&p, &q, __ATOMIC_SEQ_CST);
    *q = 4;
    printf("%d\n", n);
    _Atomic int a = 3;
    a++;
    a += 4;
    a |= 32;
    printf("%d\n", a);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return n;
}
