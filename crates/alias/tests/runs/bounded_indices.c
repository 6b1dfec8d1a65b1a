/* Indices that are bounded by masks, remainders, loops, types, guards and what memory holds: they stay in their member. Others
   leave it, and reach the members beside it. */
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned __VERIFIER_nondet_uint(void);
void *memset(void *s, int c, __SIZE_TYPE__ n);
void *memcpy(void *to, const void *from, __SIZE_TYPE__ n);

struct ring { unsigned char data[16]; unsigned head, tail, count; };
struct slot { short used; int data[4]; char tag; };
struct pool { long first; struct slot slots[8]; int free; signed char signs[6]; short last; };
struct bits { unsigned index : 3; int value : 4; int cells[8]; int beside; };
union either { struct { int words[4]; int end; } typed; char bytes[20]; };

struct ring global, other;
struct pool pool, copy;
struct bits bits;
union either either;
int steps[4] = {1, 2, 3, 0};

static void put(struct ring *r, unsigned char byte) {
  r->data[r->head] = byte;
  r->head = (r->head + 1) % 16;
  r->count++;
}

static unsigned char get(struct ring *r) {
  unsigned char byte = r->data[r->tail & 15u];
  r->tail++;
  if (r->count > 0) r->count--;
  return byte;
}

static struct slot *find(struct pool *p, int i) {
  if (i < 0 || i >= 8) return 0;
  return &p->slots[i];
}

static int sum(const int *from, int count) {
  int all = 0;
  for (int i = 0; i < count; i++) all += from[i];
  return all;
}

static int down(int n) { return n <= 0 ? 0 : down(n - 1) + pool.slots[n & 7].data[n % 4]; }

int main(void) {
  struct ring local;
  int all = 0;
  memset(&local, 0, sizeof local);
  for (int i = 0; i < 40; i++) {
    put(i % 3 ? &global : &other, __VERIFIER_nondet_uchar());
    put(&local, (unsigned char)i);
    all += get(&local) + get(&global);
  }
  for (int i = 0; i < 8; i++) {
    struct slot *s = find(&pool, __VERIFIER_nondet_int() & 7);
    if (s) {
      s->used = 1;
      s->data[__VERIFIER_nondet_uint() % 4] = i;
      s->tag = 'a';
    }
    for (int j = 3; j >= 0; j--) pool.slots[i].data[j] += j;
    pool.signs[i < 6 ? i : 5] = -1;
  }
  bits.index = __VERIFIER_nondet_uint();
  bits.cells[bits.index] = 7;
  bits.value = 3;
  bits.cells[bits.value + 4] = 9;
  memcpy(&copy, &pool, sizeof pool);
  copy.slots[2] = pool.slots[(unsigned char)all % 8];
  all += sum(copy.slots[3].data, 4) + sum(&copy.slots[1].data[1], 3) + down(9);
  either.typed.words[all & 3] = 5;
  either.bytes[16] = 1;
  int k = 0;
  for (int n = 0; n < 9; n++) {
    k = steps[k];
    either.typed.words[k] = n;
  }
  unsigned beyond = 16 + (__VERIFIER_nondet_uint() & 3);
  global.data[beyond] = 1;
  int before = -8;
  *((char *)&pool.slots[0] + before) = 4;
  pool.slots[7].data[4 + (all & 1)] = 6;
  short small = (short)__VERIFIER_nondet_int();
  if (small >= 0 && small < 4) pool.slots[0].data[small] = small;
  if (small == -2) pool.slots[1].data[small] = small;
  return all + global.head + pool.free + copy.last + bits.beside + either.typed.end;
}
