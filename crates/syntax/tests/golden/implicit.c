x = 3;
static y;
f(a) { return undeclared(a) + later(a); }
later(b) { return b; }
g() { int *p = malloc(4); char *s = 5; x = s; s = p; memcpy(s, p, 4); void_later(1); }
void void_later(int q) { exit(q); }
