// Throws exceptions through calls, destructors and handlers, with the unwinder of the C++ library.
//
// No function calls itself: where an exception goes to a handler in a function that is on the stack
// several times, a trace does not say which of them it is.
#define A32 __attribute__((target("arm"), noinline))
#define T32 __attribute__((target("thumb"), noinline))

volatile int sink;

T32 static int leaf(int n) { return sink += n; }

struct guard {
	int n;
	T32 ~guard() { leaf(n); }
};

A32 static int third(int n)
{
	guard g{n};
	if (n == 0)
		throw 5;
	if (n == 4)
		throw 2.5;
	return leaf(n);
}

T32 static int second(int n)
{
	guard g{n};
	int sum = third(n) + leaf(n);
	return sum;
}

A32 static int first(int n) { return second(n) + leaf(n); }

T32 static int other(int n)
{
	if (n > 5)
		throw 2.5f;
	return first(n) + leaf(n);
}

A32 static int again(int n)
{
	try {
		return other(n) + leaf(1);
	} catch (float) {
		leaf(2);
		throw;
	}
}

A32 static int all(int n)
{
	try {
		guard g{n};
		if (n % 2)
			return first(n / 2) + leaf(3);
		return again(n) + leaf(4);
	} catch (int x) {
		return leaf(x);
	} catch (float) {
		return leaf(6);
	} catch (double) {
		guard g{7};
		return leaf(8);
	}
}

extern "C" A32 void run()
{
	for (int i = 0; i < 9; i++)
		sink += all(i) + leaf(i);
	sink += leaf(1);
}

int main()
{
	run();
	return 7;
}
