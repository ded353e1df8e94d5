/* The kernel: A32 code in System mode. */
#include "kernel.h"

#define TASKS 5
#define STACK_WORDS 256

/* Devices of QEMU's "virt" board. */
#define GICD(n) (*(volatile uint32_t *)(0x08000000u + (n)))
#define GICC(n) (*(volatile uint32_t *)(0x08010000u + (n)))
#define UART (*(volatile uint32_t *)0x09000000u)

#define TIMER_INTERRUPT 27 /* virtual timer, private to the core */
#define TICK 250           /* timer clocks: 16 ns each */

#define PSR_SYS 0x1fu
#define PSR_T 0x20u

static struct task {
	uint32_t stack[STACK_WORDS];
	struct frame *frame;
	int done;
} tasks[TASKS];

static uint32_t running;
static volatile uint32_t ticks, undefined, breakpoints, aborts;

void power_off(void) __attribute__((noreturn));

static void timer_set(uint32_t clocks)
{
	__asm__ volatile("mcr p15, 0, %0, c14, c3, 0" : : "r"(clocks)); /* CNTV_TVAL */
}

static void timer_start(void)
{
	GICD(0x100) = 1u << TIMER_INTERRUPT; /* enable */
	GICD(0x000) = 1;
	GICC(0x004) = 0xff; /* priority mask */
	GICC(0x000) = 1;
	timer_set(TICK);
	__asm__ volatile("mcr p15, 0, %0, c14, c3, 1" : : "r"(1)); /* CNTV_CTL */
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
	while (*text)
		put(*text++);
	put(' ');
	put_hex(value);
	put('\n');
}

/* next switches to the next task that is not done. */
static struct frame *next(void)
{
	for (uint32_t i = 1; i <= TASKS; i++) {
		uint32_t candidate = (running + i) % TASKS;
		if (tasks[candidate].done)
			continue;
		if (candidate != running) {
			running = candidate;
			__asm__ volatile("mcr p15, 0, %0, c13, c0, 1\n\tisb" /* CONTEXTIDR */
					 : : "r"(candidate + 1) : "memory");
		}
		return tasks[candidate].frame;
	}
	put_line("ticks", ticks);
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

static struct frame *(*const calls[CALLS])(struct frame *) = {call_yield, call_print, call_exit};

struct frame *kernel_svc(struct frame *f)
{
	return calls[f->r[7] % CALLS](f);
}

struct frame *kernel_irq(struct frame *f)
{
	uint32_t interrupt = GICC(0x00c); /* acknowledge */
	if (interrupt == TIMER_INTERRUPT) {
		ticks++;
		timer_set(TICK);
	}
	GICC(0x010) = interrupt; /* end */
	tasks[running].frame = f;
	return next();
}

void count_undefined(void) { undefined++; }
void count_breakpoint(void) { breakpoints++; }
void count_data_abort(void) { aborts++; }

struct frame *kernel_start(void)
{
	static void (*const entries[TASKS])(void) = {checksum_task, sort_task, matrix_task, script_task, fault_task};

	for (uint32_t i = 0; i < TASKS; i++) {
		struct frame *f = (struct frame *)(tasks[i].stack + STACK_WORDS) - 1;
		uint32_t entry = (uint32_t)entries[i];
		f->lr = 0;
		f->pc = entry & ~1u;
		f->psr = PSR_SYS | (entry & 1 ? PSR_T : 0);
		tasks[i].frame = f;
	}
	timer_start();
	running = TASKS - 1;
	return next();
}
