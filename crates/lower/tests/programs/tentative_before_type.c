// A tentative definition whose type is completed later.
enum colour;
enum colour first;
struct pair;
struct pair origin, corner;
int sum(void);
enum colour { RED, GREEN = 5 };
struct pair { int x, y; };
struct pair corner = {3, 4};
int sum(void) { return origin.x + corner.y + first; }
int main(void) {
  first = GREEN;
  return sum() == 9 ? 0 : 1;
}
