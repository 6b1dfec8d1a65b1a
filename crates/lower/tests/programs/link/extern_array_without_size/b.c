int list[] = {1, 2, 3, 4, 5};
const int length = sizeof list / sizeof *list;
const char *const names[] = {"one", "two", "three", 0};
char text[10] = "text";
int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};

int sum(void)
{
    int s = 0;
    for (int i = 0; i < length; i++)
        s += list[i];
    return s + text[0];
}
