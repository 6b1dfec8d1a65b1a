// Both units define the object with an initial value.
int level = 1;
int main(void) { return level; }
