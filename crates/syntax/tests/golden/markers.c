# 1 "/src/main.c"
# 1 "<built-in>"
# 1 "/src/main.c"
int main(void)
{
# 1 "/src/header.h" 1 3
  implicit_in_header();
# 5 "/src/main.c" 2
  implicit();
#line 40 "odd \"name\".c"
  return missing;
}
#pragma unknown things
#ident "x"
#
