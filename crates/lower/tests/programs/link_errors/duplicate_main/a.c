// Both units define main.
int main(void) { return 0; }
