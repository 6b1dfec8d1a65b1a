int x;
/* no end
int y;
