#include <stdio.h>
int x;
  #define Y 1
