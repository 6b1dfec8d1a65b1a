// Checks access paths through nested records, arrays, pointers and unions, with effects on the way.
int printf(const char *, ...);

struct leaf { short s; unsigned flag : 1, rest : 7; char name[3]; };
struct branch { struct leaf leaves[2], *favourite; union { int n; struct leaf *p; } u; };
struct tree { struct branch branches[2][2]; struct tree *up; int (*score)(struct leaf *); };

static int score(struct leaf *l) { return l->s * 10 + l->rest; }
static int calls;
static int index_of(int n) { calls++; return n; }

int main(void)
{
    struct tree root = {.up = 0, .score = score}, t = {.up = &root, .score = score};
    struct tree *p = &t;
    for (int i = 0; i < 8; i++) {
        struct leaf *l = &p->branches[i / 4][i / 2 % 2].leaves[i % 2];
        l->s = i, l->flag = i, l->rest = i * 3, l->name[i % 3] = 'a' + i;
    }
    p->branches[1][0].favourite = &p->branches[0][1].leaves[1];
    p->branches[0][0].u.p = p->branches[1][0].favourite - 1;
    printf("%d %d\n", p->branches[1][0].favourite->s, p->branches[0][0].u.p->rest);
    printf("%d\n", p->score(&p->branches[1][1].leaves[0]));
    p->up->branches[1][1] = p->branches[0][1];
    printf("%d %d\n", root.branches[1][1].leaves[1].s, root.branches[1][1].leaves[1].flag);
    p->branches[index_of(1)][index_of(0)].leaves[index_of(1)].rest += 100;
    printf("%d %d\n", t.branches[1][0].leaves[1].rest, calls);
    p->branches[index_of(0)][1].leaves[0].s++;
    ++p->branches[0][index_of(1)].leaves[0].rest;
    printf("%d %d %d\n", t.branches[0][1].leaves[0].s, t.branches[0][1].leaves[0].rest, calls);
    struct leaf *q = p->branches[1]->leaves;
    printf("%d %d\n", q->s, (q + 1)->s);
    printf("%d\n", (*p).up->score((&(*p).branches[0][0])->leaves));
    char (*name)[3] = &q->name;
    (*name)[1] = 'z';
    printf("%c\n", t.branches[1][0].leaves[0].name[1]);
    unsigned flags = 0;
    for (struct branch *b = *p->branches; b < *p->branches + 2; b++)
        for (struct leaf *l = b->leaves; l < b->leaves + 2; l++)
            flags = flags * 2 + l->flag;
    printf("%u %d\n", flags, (int)sizeof(struct leaf));
    return 0;
}
