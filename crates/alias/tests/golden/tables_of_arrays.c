extern int nondet(void);
typedef unsigned char u8;
struct frame { unsigned id; u8 length; u8 data[8]; };
struct queue { struct frame slot[4]; unsigned in, out, used; struct frame *last; };
static struct queue q;
static void put(struct queue *q, const struct frame *f) {
  if (q->used == 4) return;
  q->slot[q->in] = *f;
  q->last = &q->slot[q->in];
  q->in = (q->in + 1) % 4;
  q->used++;
}
static void get(struct queue *q, struct frame *f) {
  if (!q->used) return;
  *f = q->slot[q->out];
  q->out = (q->out + 1) % 4;
  q->used--;
}
int main(void) {
  struct frame a, b;
  int sum = 0;
  while (nondet()) {
    a.id = nondet();
    a.length = nondet() % 9;
    for (int i = 0; i < a.length; i++) a.data[i] = nondet();
    put(&q, &a);
    q.slot[nondet() & 3].data[nondet() & 7] = 5;
    q.last->data[nondet() & 7] = 6;
    get(&q, &b);
    for (int i = 0; i < b.length; i++) sum += b.data[i];
  }
  return sum;
}
