int old(int *p, int v)
{
    __sync_synchronize();
    return __sync_fetch_and_add(p, v) + __sync_sub_and_fetch(p, v) + __sync_fetch_and_nand(p, v)
        + __sync_bool_compare_and_swap(p, 1, 2) + __sync_val_compare_and_swap(p, 1, 2)
        + __sync_lock_test_and_set(p, v);
}
int new(int *p, int v, _Bool *flag)
{
    int out;
    __atomic_store_n(p, v, 5);
    __atomic_load(p, &out, 0);
    __atomic_exchange(p, &v, &out, 5);
    __atomic_thread_fence(5);
    __atomic_clear(flag, 5);
    return __atomic_load_n(p, 5) + __atomic_exchange_n(p, v, 5) + __atomic_fetch_or(p, v, 5)
        + __atomic_xor_fetch(p, v, 5) + __atomic_compare_exchange_n(p, &out, v, 0, 5, 5)
        + __atomic_test_and_set(flag, 5);
}
_Atomic int counter;
_Atomic(long) other;
void qualified(void) { counter++; counter += 2; counter = other; }
