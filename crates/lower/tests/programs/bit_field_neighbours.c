// Checks that writing a bit-field leaves its neighbours alone, also through pointers and arrays.
int printf(const char *, ...);

struct entry {
    unsigned present : 1, writable : 1, user : 1, available : 9, frame : 20;
};

static void set(struct entry *e, unsigned frame) { e->frame = frame; }

static unsigned sum(struct entry e) { return e.present + e.writable + e.user + e.available + e.frame; }

int main(void)
{
    struct entry table[3] = {{1, 0, 1, 511, 0xfffff}, {.frame = 3}, {.user = 1, .available = 5}};
    for (int i = 0; i < 3; i++)
        printf("%u %u %u %u %u\n", table[i].present, table[i].writable, table[i].user, table[i].available, table[i].frame);
    table[0].writable = 1;
    table[0].user = 0;
    set(&table[1], 0x12345);
    set(table + 2, -1);
    for (struct entry *e = table; e < table + 3; e++)
        printf("%x %u\n", *(unsigned *)e, sum(*e));
    table[1].available = table[0].available + 1;
    table[1].present ^= 1;
    table[2].frame++;
    table[2].available -= 6;
    for (struct entry *e = table; e < table + 3; e++)
        printf("%x %u\n", *(unsigned *)e, sum(*e));
    table[0] = table[2];
    table[0].present = table[0].writable = table[0].user = 3;
    printf("%x\n", *(unsigned *)table);
    struct { unsigned char c[2]; unsigned n : 12; unsigned char last; } mixed = {{1, 2}, 0xabc, 4};
    mixed.n = ~mixed.n;
    printf("%d %d %x %d\n", mixed.c[0], mixed.c[1], mixed.n, mixed.last);
    int index = 0;
    table[index++].frame += 5;
    printf("%d %u\n", index, table[0].frame);
    return 0;
}
