int thing(void) { return 1; }
