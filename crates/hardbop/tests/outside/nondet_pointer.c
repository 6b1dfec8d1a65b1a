/* FALSE: the same for a pointer that a verification task asks for. */
extern void *__VERIFIER_nondet_pointer(void);
extern void reach_error(void);
struct buffer { int length; char *data; };
int main(void) {
  struct buffer *b = __VERIFIER_nondet_pointer();
  if (b && b->length > 2 && b->data && b->data[2] == 3) reach_error();
  return 0;
}
