/* Task 4, T32: an interpreter of a stack language: a jump table, and calls
 * through pointers to functions in both instruction sets. */
#include "kernel.h"

enum op { PUSH, ADD, SUB, MUL, DUP, SWAP, CALL, LOOP, END };

#define A32 __attribute__((target("arm"), noinline))

static A32 uint32_t popcount(uint32_t x)
{
	uint32_t n = 0;
	for (; x; x &= x - 1)
		n++;
	return n;
}

static A32 uint32_t collatz(uint32_t x)
{
	uint32_t steps = 0;
	for (x = (x & 255) | 1; x != 1; steps++)
		x = x & 1 ? 3 * x + 1 : x >> 1;
	return steps;
}

static __attribute__((noinline)) uint32_t fibonacci(uint32_t n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static uint32_t fibonacci_of(uint32_t x) { return fibonacci(x % 10); }

static uint32_t (*const functions[])(uint32_t) = {popcount, collatz, fibonacci_of};

static const uint8_t program[] = {
	PUSH, 1, PUSH, 60, /* sum, counter */
	SWAP, PUSH, 37, MUL, PUSH, 11, ADD,
	DUP, CALL, 0, ADD,
	DUP, CALL, 1, ADD,
	DUP, CALL, 2, SUB,
	SWAP, LOOP, 4,
	END,
};

static __attribute__((noinline)) uint32_t interpret(const uint8_t *code)
{
	uint32_t stack[8], *sp = stack, x;
	for (const uint8_t *p = code;;) {
		switch (*p++) {
		case PUSH:
			*sp++ = *p++;
			break;
		case ADD:
			sp--;
			sp[-1] += sp[0];
			break;
		case SUB:
			sp--;
			sp[-1] -= sp[0];
			break;
		case MUL:
			sp--;
			sp[-1] *= sp[0];
			break;
		case DUP:
			sp[0] = sp[-1];
			sp++;
			break;
		case SWAP:
			x = sp[-1];
			sp[-1] = sp[-2];
			sp[-2] = x;
			break;
		case CALL:
			sp[-1] = functions[*p++](sp[-1]);
			break;
		case LOOP:
			if (--sp[-1])
				p = code + *p;
			else
				p++;
			break;
		default:
			return sp[-2];
		}
	}
}

void script_task(void)
{
	print("script", interpret(program));
	exit_task();
}
