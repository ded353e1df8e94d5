/* A program of Linux to be recorded: with a C library, it does a little of all
   that compilers make code for. TestRecorded says how it is built and run. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t signals;

static void on_signal(int number) { signals += number == SIGUSR1; }

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* Calls through a table. */
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static int divide(int a, int b) { return b ? a / b : 0; }
static int (*const operations[])(int, int) = {add, sub, mul, divide};

/* A table branch: TBB in T32. */
__attribute__((noinline)) static int choose(int x)
{
    switch (x & 15) {
    case 0: return x * 3;
    case 1: return x + 7;
    case 2: return x ^ 5;
    case 3: return x - 1;
    case 4: return x << 2;
    case 5: return x >> 1;
    case 6: return -x;
    case 7: return ~x;
    case 8: return x * x;
    case 9: return x % 7;
    case 10: return 9;
    default: return 1;
    }
}

__attribute__((noinline)) static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

/* Loops that the compiler makes vectors of. */
__attribute__((noinline)) static float scale(float *f, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        f[i] = f[i] * 1.5f + 1;
    for (int i = 0; i < n; i++)
        sum += f[i];
    return sum;
}

int main(void)
{
    static int values[100];
    static float floats[64];
    unsigned seed = 1;
    int total = 0;
    size_t length = 0;
    char text[100];

    for (int i = 0; i < 100; i++) {
        seed = seed * 1103515245 + 12345;
        values[i] = seed >> 8;
    }
    qsort(values, 100, sizeof values[0], by_value);
    for (int i = 0; i < 100; i++)
        total = operations[values[i] & 3](total, values[i]) + choose(values[i]);
    for (int i = 0; i < 5; i++) {
        snprintf(text, sizeof text, "%d %s %.3f %x", i, "text", i * 1.37, values[i]);
        char *copy = strdup(text);
        memmove(copy + 1, copy, strlen(copy) - 1);
        length += strlen(copy) + (strcmp(copy, text) > 0) + (strchr(copy, 'q') != NULL);
        free(copy);
    }
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    printf("%d signal, %zu, %d, %.1f, ", (int)signals, length, fibonacci(8), scale(floats, 64));
    fflush(stdout);
    printf("%d\n", total != 0);
    return 7;
}
