/* Two tasks and what began them take turns, each on its own stack. */
#define A32 __attribute__((target("arm"), noinline))
#define T32 __attribute__((target("thumb"), noinline))

void stack_switch(unsigned **from, unsigned *to);

enum { TASKS = 3, WORDS = 256 };
static unsigned *saved[TASKS];
static unsigned stacks[TASKS][WORDS] __attribute__((aligned(8)));
static int now;
volatile int sink;

T32 static int leaf(int n) { return sink += n; }

A32 static void yield(void)
{
	int last = now;
	now = (now + 1) % TASKS;
	stack_switch(&saved[last], saved[now]);
	sink += now; /* another task, which the stack does not show before yield returns */
}

/* The one task yields from the depths of a recursion. */
A32 static int fold(int n)
{
	int sum = leaf(n);
	if (n == 0)
		yield();
	else
		sum += fold(n - 1);
	if (n % 3 == 0)
		yield();
	return sum + leaf(n);
}

A32 static void folding(void)
{
	for (int i = 0;; i++)
		sink += fold(i % 7);
}

/* The other one from loops, in T32. */
T32 static int spin(int n)
{
	for (int i = 0; i < n; i++) {
		leaf(i);
		yield();
	}
	return n;
}

T32 static void spinning(void)
{
	for (int i = 0;; i++)
		sink += spin(i % 5) + leaf(i);
}

static void prepare(int task, void (*entry)(void))
{
	unsigned *sp = stacks[task] + WORDS - 9;
	sp[8] = (unsigned)entry; /* the PC; nothing called it */
	saved[task] = sp;
}

A32 void run(void)
{
	prepare(1, folding);
	prepare(2, spinning);
	for (int i = 0; i < 40; i++) {
		yield();
		leaf(i);
	}
}
