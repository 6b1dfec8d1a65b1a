char *s = "no end;
int y = 1;
int z = 'x;
