// A name is a function in one unit and an object in the other.
int thing(void) { return 1; }
int main(void) { return thing(); }
