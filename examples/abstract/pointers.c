// The list partition of "Automatic predicate abstraction of C programs" (PLDI 2001), Fig. 1: cells whose
// value is greater than v move to a list of their own. At L, curr is such a cell, and prev is none: the
// two are not aliases. With BUG, prev moves on too early.
#include <stddef.h>
#include <stdlib.h>

extern void reach_error(void);
extern int nondet(void);

typedef struct cell {
    int val;
    struct cell *next;
} *list;

static list partition(list *l, int v)
{
    list curr, prev, newl, nextcurr;
    curr = *l;
    prev = NULL;
    newl = NULL;
    while (curr != NULL) {
        nextcurr = curr->next;
#ifdef BUG
        prev = curr;
#endif
        if (curr->val > v) {
            if (prev != NULL) {
                if (prev == curr)
                    reach_error();
                prev->next = nextcurr;
            }
            if (curr == *l)
                *l = nextcurr;
            curr->next = newl;
L:
            if (!(curr->val > v) || !(prev == NULL || prev->val <= v))
                reach_error();
            newl = curr;
        } else {
            prev = curr;
        }
        curr = nextcurr;
    }
    return newl;
}

int main(void)
{
    list head = NULL;
    while (nondet()) {
        list cell = malloc(sizeof *cell);
        if (cell == NULL)
            break;
        cell->val = nondet();
        cell->next = head;
        head = cell;
    }
    partition(&head, nondet());
    return 0;
}
