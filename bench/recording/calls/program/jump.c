/* Jumps out of calls with setjmp and longjmp, in both instruction sets. */
#define A32 __attribute__((target("arm"), noinline))
#define T32 __attribute__((target("thumb"), noinline))

typedef void *jump[10];
__attribute__((returns_twice)) int setjmp_a32(jump), setjmp_t32(jump);
__attribute__((noreturn)) void longjmp_a32(jump, int), longjmp_t32(jump, int);

static jump outer, inner;
volatile int sink;

A32 static void note(int n) { sink += n; }

T32 static int leaf(int n) { return sink * n; }

/* Two functions that call each other, and jump from the depth they are told. */
static int down_a32(int n);

T32 static int down_t32(int n)
{
	if (n == 0)
		longjmp_t32(inner, 3);
	sink += down_a32(n - 1) + leaf(n);
	return sink;
}

A32 static int down_a32(int n)
{
	if (n == 0)
		longjmp_a32(inner, 2);
	if (n == 9)
		longjmp_a32(outer, 1);
	sink += down_t32(n - 1) + leaf(n);
	return sink;
}

T32 static int try_t32(int n)
{
	int how = setjmp_t32(inner);
	if (how == 0)
		return down_t32(n) + leaf(n);
	note(how);
	return how;
}

A32 static int try_a32(int n)
{
	int how = setjmp_a32(inner);
	note(n);
	if (how == 0)
		return down_a32(n) + leaf(n);
	leaf(how);
	return how;
}

static int (*const tries[])(int) = {try_a32, try_t32};

/* Each kind of jump is made by the longjmp of the set that its setjmp is of. */
A32 static int again(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		sum += try_a32(2 * i) + leaf(i);
		sum += try_t32(2 * i);
	}
	return sum;
}

A32 static void all(void)
{
	volatile int turns = 0;
	int how = setjmp_a32(outer);
	if (how)
		note(how);
	if (turns++ < 3)
		tries[0](9);	/* jumps further */
	sink += again(4);
	note(leaf(turns));
}

A32 void run(void)
{
	all();
	note(1);
}
