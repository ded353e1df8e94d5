/* Sends itself signals, whose handlers call and send signals, too. */
#define A32 __attribute__((target("arm"), noinline))
#define T32 __attribute__((target("thumb"), noinline))

int system_call(int number, ...);
void signal_return(void);

enum { KILL = 37, GETPID = 20, RT_SIGACTION = 174, SIGUSR1 = 10, SIGUSR2 = 12, SA_RESTORER = 0x04000000 };
static int self;
volatile int sink;

T32 static int leaf(int n) { return sink += n; }

T32 static int depth(int n) { return n ? depth(n - 1) + leaf(n) : leaf(1); }

A32 static void raise(int signal)
{
	system_call(KILL, self, signal);
	leaf(signal);
}

T32 static void second(int signal) { leaf(depth(2) + signal); }

A32 static void first(int signal)
{
	leaf(signal);
	if (leaf(1) % 2)
		raise(SIGUSR2); /* while this one is handled */
	leaf(depth(3));
}

static void handle(int signal, void (*handler)(int))
{
	struct { void (*handler)(int); unsigned flags; void (*restorer)(void); unsigned mask[2]; } action = {handler, SA_RESTORER, signal_return, {0, 0}};
	system_call(RT_SIGACTION, signal, &action, 0, 8);
}

T32 static int work(int n)
{
	int sum = leaf(n);
	if (n % 2)
		raise(SIGUSR1);
	if (n)
		sum += work(n - 1);
	return sum + depth(n % 4);
}

A32 void run(void)
{
	self = system_call(GETPID);
	handle(SIGUSR1, first);
	handle(SIGUSR2, second);
	for (int i = 0; i < 6; i++)
		work(i);
}
