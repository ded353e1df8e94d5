/* Task 3, T32: powers of a small integer matrix. */
#include "kernel.h"

#define N 8
#define POWERS 6

typedef uint32_t matrix[N][N];

static matrix a, b, product;

static __attribute__((noinline)) void multiply(matrix c, matrix x, matrix y)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			uint32_t sum = 0;
			for (int k = 0; k < N; k++)
				sum += x[i][k] * y[k][j];
			c[i][j] = sum;
		}
}

void matrix_task(void)
{
	uint32_t seed = 3, trace = 0;
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			a[i][j] = b[i][j] = random_next(&seed) >> 24;
	for (int power = 0; power < POWERS; power++) {
		multiply(product, a, b);
		for (int i = 0; i < N; i++)
			for (int j = 0; j < N; j++)
				b[i][j] = product[i][j] >> 3;
		__asm__ volatile("dmb" : : : "memory");
	}
	for (int i = 0; i < N; i++)
		trace += b[i][i];
	print("trace", trace);
	exit_task();
}
