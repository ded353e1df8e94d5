/* A tiny round-robin kernel: tasks, a timer tick, three system calls. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdint.h>

/* The context of a task that does not run, on its own stack. */
struct frame {
	uint32_t r[13], lr;
	uint32_t pc, psr;
};

enum call { CALL_YIELD, CALL_PRINT, CALL_EXIT, CALLS };

static inline void yield(void)
{
	register uint32_t number __asm__("r7") = CALL_YIELD;
	__asm__ volatile("svc #0" : "+r"(number) : : "memory");
}

static inline void print(const char *text, uint32_t value)
{
	register uint32_t number __asm__("r7") = CALL_PRINT;
	register const char *r0 __asm__("r0") = text;
	register uint32_t r1 __asm__("r1") = value;
	__asm__ volatile("svc #0" : "+r"(number), "+r"(r0), "+r"(r1) : : "memory");
}

static inline __attribute__((noreturn)) void exit_task(void)
{
	register uint32_t number __asm__("r7") = CALL_EXIT;
	__asm__ volatile("svc #0" : : "r"(number) : "memory");
	__builtin_unreachable();
}

/* The tasks: the number is the context ID. */
void checksum_task(void); /* 1, T32 */
void sort_task(void);     /* 2, A32 */
void matrix_task(void);   /* 3, T32 */
void script_task(void);   /* 4, T32 calling A32 */
void fault_task(void);    /* 5, A32 with a piece of T32 */

/* random_next gives the next number of a small generator kept in *state. */
uint32_t random_next(uint32_t *state);

#endif
