struct in { int v[3]; };
struct s { int x; struct in in; struct { int anon; union { int deep; char c; }; }; struct s *next; };
struct s make(void);
int arrays[2][3];
int read(struct s *p, int i, int **q)
{
    struct s v = *p;
    v.in = p->in;
    v.anon = p->deep;
    p->next->next->x = make().x;
    i = make().in.v[1];
    i = arrays[i][1] + i[arrays[0]] + *arrays[1];
    **q = *q[1];
    (*q)++;
    ++*q[2];
    q = &q[1];
    int (*row)[3] = &arrays[1];
    row++;
    return (*row)[2] + (&v)->x + sizeof arrays[0] / sizeof(int);
}
