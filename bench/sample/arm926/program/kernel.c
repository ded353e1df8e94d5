/* The kernel on a core of ARMv5TE: A32 code in System mode. */
#include "kernel.h"

#define TASKS 5
#define STACK_WORDS 256

/* Devices of QEMU's "versatilepb" board. */
#define VIC(n) (*(volatile uint32_t *)(0x10140000u + (n)))
#define TIMER(n) (*(volatile uint32_t *)(0x101e2000u + (n)))
#define FIQ_TIMER(n) (*(volatile uint32_t *)(0x101e3000u + (n)))
#define UART (*(volatile uint32_t *)0x101f1000u)

#define TIMER_INTERRUPT 4
#define FIQ_TIMER_INTERRUPT 5
#define TICK 4      /* timer clocks: 1 µs each */
#define FAST_TICK 7
#define RUN 0xe2    /* enabled, periodic, with interrupts, 32 bits */

#define PSR_SYS 0x1fu
#define PSR_T 0x20u

#define SECTION 0xc12u /* 1 MiB, for all to read and write */

static struct task {
	uint32_t stack[STACK_WORDS];
	struct frame *frame;
	int done;
} tasks[TASKS];

static uint32_t running;
static volatile uint32_t ticks, undefined, breakpoints, aborts, lock;
volatile uint32_t fast; /* FIQs, counted at their vector */

/* pages is the translation table: RAM as it comes, which QEMU clears. */
static uint32_t pages[4096] __attribute__((aligned(16384), section(".pages")));

uint32_t take(volatile uint32_t *lock);
void power_off(void) __attribute__((noreturn));

/* map_memory turns on the MMU, so that there is nothing at other addresses: RAM of
 * 16 MiB, and devices. */
static void map_memory(void)
{
	for (uint32_t i = 0; i < 16; i++)
		pages[i] = i << 20 | SECTION;
	pages[0x100] = 0x100u << 20 | SECTION;
	pages[0x101] = 0x101u << 20 | SECTION;
	__asm__ volatile("mcr p15, 0, %0, c2, c0, 0" : : "r"(pages)); /* TTBR */
	__asm__ volatile("mcr p15, 0, %0, c3, c0, 0" : : "r"(1));     /* DACR */
	uint32_t control;
	__asm__ volatile("mrc p15, 0, %0, c1, c0, 0" : "=r"(control));
	__asm__ volatile("mcr p15, 0, %0, c1, c0, 0" : : "r"(control | 1) : "memory");
}

static void timers_start(void)
{
	VIC(0x0c) = 1u << FIQ_TIMER_INTERRUPT; /* as FIQ */
	VIC(0x10) = 1u << TIMER_INTERRUPT | 1u << FIQ_TIMER_INTERRUPT;
	TIMER(0x00) = TICK;
	TIMER(0x08) = RUN;
	for (volatile int i = 0; i < 4; i++)
		; /* so that an FIQ with an IRQ comes after its vector */
	FIQ_TIMER(0x00) = FAST_TICK;
	FIQ_TIMER(0x08) = RUN;
}

static void put(char c)
{
	UART = (uint32_t)c;
}

static void put_hex(uint32_t value)
{
	for (int shift = 28; shift >= 0; shift -= 4)
		put("0123456789abcdef"[value >> shift & 15]);
}

static void put_line(const char *text, uint32_t value)
{
	while (take(&lock))
		;
	while (*text)
		put(*text++);
	put(' ');
	put_hex(value);
	put('\n');
	lock = 0;
}

/* next switches to the next task that is not done. */
static struct frame *next(void)
{
	for (uint32_t i = 1; i <= TASKS; i++) {
		uint32_t candidate = running + i;
		if (candidate >= TASKS)
			candidate -= TASKS;
		if (tasks[candidate].done)
			continue;
		if (candidate != running) {
			running = candidate;
			__asm__ volatile("mcr p15, 0, %0, c13, c0, 1" /* CONTEXTIDR */
					 : : "r"(candidate + 1) : "memory");
		}
		return tasks[candidate].frame;
	}
	put_line("ticks", ticks);
	put_line("fast", fast);
	put_line("undefined", undefined);
	put_line("breakpoints", breakpoints);
	put_line("aborts", aborts);
	power_off();
}

static struct frame *call_yield(struct frame *f)
{
	tasks[running].frame = f;
	return next();
}

static struct frame *call_print(struct frame *f)
{
	put_line((const char *)f->r[0], f->r[1]);
	return f;
}

static struct frame *call_exit(struct frame *f)
{
	(void)f;
	tasks[running].done = 1;
	return next();
}

static struct frame *(*const calls[])(struct frame *) = {call_yield, call_print, call_exit};

struct frame *kernel_svc(struct frame *f)
{
	return calls[f->r[7]](f);
}

struct frame *kernel_irq(struct frame *f)
{
	ticks++;
	TIMER(0x0c) = 1; /* clear */
	tasks[running].frame = f;
	return next();
}

void count_undefined(void) { undefined++; }
void count_breakpoint(void) { breakpoints++; }
void count_data_abort(void) { aborts++; }

/* What the compiler calls to divide in T32: quotient and remainder in R0 and R1. */
uint64_t __aeabi_uidivmod(uint32_t n, uint32_t d)
{
	uint32_t quotient = 0;
	for (int shift = __builtin_clz(d); shift >= 0; shift--)
		if (n >> shift >= d) {
			n -= d << shift;
			quotient |= 1u << shift;
		}
	return (uint64_t)n << 32 | quotient;
}

struct frame *kernel_start(void)
{
	static void (*const entries[TASKS])(void) = {checksum_task, sort_task, matrix_task, script_task, fault_task};

	map_memory();
	for (uint32_t i = 0; i < TASKS; i++) {
		struct frame *f = (struct frame *)(tasks[i].stack + STACK_WORDS) - 1;
		uint32_t entry = (uint32_t)entries[i];
		f->lr = 0;
		f->pc = entry & ~1u;
		f->psr = PSR_SYS | (entry & 1 ? PSR_T : 0);
		tasks[i].frame = f;
	}
	timers_start();
	running = TASKS - 1;
	return next();
}
