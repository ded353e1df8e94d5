/* Task 2, A32: quicksort, recursive, the order given by a function. */
#include "kernel.h"

#define N 160
#define ROUNDS 3

typedef int (*before)(uint32_t, uint32_t);

static uint32_t numbers[N];

static int ascending(uint32_t a, uint32_t b) { return a < b; }
static int descending(uint32_t a, uint32_t b) { return a > b; }
static int by_digits(uint32_t a, uint32_t b) { return a % 1000 != b % 1000 ? a % 1000 < b % 1000 : a < b; }

static before const orders[ROUNDS] = {ascending, descending, by_digits};

static void insertion_sort(uint32_t *a, int n, before less)
{
	for (int i = 1; i < n; i++) {
		uint32_t x = a[i];
		int j = i;
		for (; j > 0 && less(x, a[j - 1]); j--)
			a[j] = a[j - 1];
		a[j] = x;
	}
}

static void quicksort(uint32_t *a, int n, before less)
{
	if (n < 8) {
		insertion_sort(a, n, less);
		return;
	}
	uint32_t pivot = a[n / 2];
	int i = 0, j = n - 1;
	for (;;) {
		while (less(a[i], pivot))
			i++;
		while (less(pivot, a[j]))
			j--;
		if (i >= j)
			break;
		uint32_t x = a[i];
		a[i++] = a[j];
		a[j--] = x;
	}
	quicksort(a, i, less);
	quicksort(a + i, n - i, less);
}

void sort_task(void)
{
	uint32_t seed = 2, wrong = 0;
	for (int round = 0; round < ROUNDS; round++) {
		before less = orders[round];
		for (int i = 0; i < N; i++)
			numbers[i] = random_next(&seed);
		quicksort(numbers, N, less);
		for (int i = 1; i < N; i++)
			wrong += less(numbers[i], numbers[i - 1]);
	}
	print("unsorted", wrong);
	exit_task();
}
