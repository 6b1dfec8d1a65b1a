// Checks extern objects with their initial value in the other unit, and addresses across units.
int printf(const char *, ...);
extern int plain;
extern const double ratio;
extern struct node { int n; struct node *next; } second;
extern int (*operation)(int, int);
struct node first = {1, &second};
int *into_other = &plain;
static int add(int a, int b) { return a + b; }
int (*mine)(int, int) = add;
int read_mine(void);

int main(void)
{
    extern int plain;
    printf("%d %f\n", plain, ratio);
    printf("%d %d\n", first.next->n, second.next->n);
    ++*into_other;
    printf("%d %d\n", plain, operation(9, 4));
    printf("%d\n", read_mine());
    {
        int plain = 3;
        { extern int plain; plain += 10; }
        printf("%d\n", plain);
    }
    return plain;
}
