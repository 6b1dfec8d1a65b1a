struct flags { unsigned a : 3, b : 7, c : 6; unsigned d : 16; char e; } f;
int main(void) {
  f.a = 1;
  f.b = f.c;
  f.d = 3;
  f.e = 2;
  return f.a;
}
