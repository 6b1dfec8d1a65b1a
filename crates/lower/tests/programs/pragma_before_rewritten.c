// A pragma ends with its line, also if the front end gets to see other words behind it.
#pragma pack(1)
struct s { char c; __attribute__((packed)) int x; };
#pragma pack()
__float80 number = 2;
int after = 3;
#pragma unused(x);
__float80 other = 4; int last = 5;
int main(void) { return number == 2 && after == 3 && other == 4 && last == 5 && sizeof(struct s) == 5 ? 0 : 1; }
