char *plain = "a\0b\377\xff\n";
char *joined = "a" "b" "\1" "2";
const int *wide = L"aβ";
void *others[] = { u8"é", u"é", U"é" };
int characters[] = { 'a', '\377', 'ab', L'β', u'é', '\0' };
unsigned long sizes = sizeof "abc" + sizeof L"abc";
char local(int i) { char buffer[] = "xyz"; return buffer[i] + "lit"[i]; }
const char *function(void) { return __func__; }
