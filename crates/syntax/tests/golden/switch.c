int f(unsigned char c, long l, unsigned u)
{
    switch (c) {
        int unreachable;
    case 'a' ... 'z':
    case -1:
        c = 0;
    case 1:
        break;
    default:
        switch (l) { case 0x7fffffffffffffff: case -1: return 2; }
    }
    switch (u) case 4294967295: case (unsigned) -2: return 3;
    switch (l)
    while (l--) { case 1: default: ; }
    return 4;
}
