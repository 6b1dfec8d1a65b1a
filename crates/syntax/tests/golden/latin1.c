int x; // café
char *s = "café";
int n = sizeof "ÿþ", c = 'é';
