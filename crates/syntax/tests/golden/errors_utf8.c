int caf� = 1;
int été = 2;
