// Checks functions and objects whose assembler name is given with asm.
int printf(const char *, ...);

int renamed(int) __asm__("other_symbol");
int renamed(int n) { return n + 1; }
int other_symbol_caller(int) __asm__("caller_symbol");
int object __asm__("object_symbol") = 5;
extern __typeof__(printf) show __asm__("printf");

int other_symbol_caller(int n) { return renamed(n) * object; }

int main(void)
{
    printf("%d\n", renamed(1));
    printf("%d\n", other_symbol_caller(2));
    object++;
    show("%d\n", object);
    return 0;
}
