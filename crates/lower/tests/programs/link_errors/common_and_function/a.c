// A tentative definition in one unit has the name of a function defined in the other.
int thing;
int main(void) { return thing; }
