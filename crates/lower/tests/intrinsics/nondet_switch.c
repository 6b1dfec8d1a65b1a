// Values drive a state machine.
// inputs: 1 2 2 9 0
// outcome: returned 26
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int state = 0, score = 0;
    for (;;) {
        switch (__VERIFIER_nondet_int()) {
        case 0: return score + state;
        case 1: state++; break;
        case 2: state *= 3; score += 5; continue;
        default: state--;
        }
        score += 4;
    }
}
