/* Addresses that are subtracted, once or twice, count backwards. */
char buf[16];
short words[8];
int record[6];

typedef __SIZE_TYPE__ word;

int main(void) {
  word b = 16 - (word)buf, c = b + 4;
  *(char *)(32 - c) = 1;
  word d = -(word)words - 6;
  *(short *)(-d - 2) = 7;
  word base = 1000, e = base - (word)&record[1];
  *(int *)(base - e + 4) = 9;
  word f = ~(word)buf;
  *(char *)(~f + 3) = 2;
  word both = (word)buf + (word)words, g = both - (word)words;
  *(char *)(g + 5) = 3;
  return buf[12] + words[2] + record[2] + buf[3] + buf[5];
}
