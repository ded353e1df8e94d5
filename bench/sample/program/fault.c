/* Task 5, A32 with a piece of T32: instructions that fault, each skipped by its
 * handler in start.S. */
#include "kernel.h"

#define ROUNDS 4

static __attribute__((target("thumb"), noinline)) void undefined_t32(void)
{
	__asm__ volatile("nop\n\tudf #7\n\tnop");
}

static __attribute__((noinline)) void undefined_a32(void)
{
	__asm__ volatile("nop\n\tudf #7");
}

static __attribute__((noinline)) void breakpoint(void)
{
	__asm__ volatile("nop\n\tbkpt #3");
}

/* nowhere reads where the board has nothing. */
static __attribute__((noinline)) uint32_t nowhere(void)
{
	uint32_t value = 0;
	__asm__ volatile("ldr %0, [%1]" : "+r"(value) : "r"(0x80000000u) : "memory");
	return value;
}

void fault_task(void)
{
	uint32_t value = 0;
	for (int round = 0; round < ROUNDS; round++) {
		undefined_t32();
		yield();
		undefined_a32();
		breakpoint();
		value |= nowhere();
	}
	print("read", value);
	exit_task();
}
