@ What the C programs need: a start, setjmp and longjmp in both instruction sets, and a switch of
@ stacks. They are the ways of doing it that C libraries have.
	.syntax unified
	.arch	armv7-a

	.macro	function name
	.global	\name
	.type	\name, %function
\name:
	.endm
	.macro	end name
	.size	\name, . - \name
	.endm

	.text
	.arm
	.balign	4
	function _start
	push	{r3, lr}	@ so that run has a frame below it
	bl	run
	mov	r0, #7
	mov	r7, #1		@ exit(7)
	svc	#0
	end	_start

	function setjmp_a32
	stmia	r0, {r4-r11, sp, lr}
	mov	r0, #0
	bx	lr
	end	setjmp_a32

	function longjmp_a32
	ldmia	r0, {r4-r11, sp, lr}
	mov	r0, r1
	bx	lr
	end	longjmp_a32

@ stack_switch(&from, to) saves the registers on the stack, whose pointer it stores, and continues
@ on another one.
	function stack_switch
	push	{r4-r11, lr}
	str	sp, [r0]
	mov	sp, r1
	pop	{r4-r11, pc}
	end	stack_switch

@ system_call(number, a, b, c, d)
	function system_call
	push	{r7, lr}
	mov	r7, r0
	mov	r0, r1
	mov	r1, r2
	mov	r2, r3
	ldr	r3, [sp, #8]
	svc	#0
	pop	{r7, pc}
	end	system_call

@ signal_return is where handlers of signals return.
	function signal_return
	mov	r7, #119	@ sigreturn()
	svc	#0
	end	signal_return

	.thumb
	.balign	4
	.thumb_func
	function setjmp_t32
	mov	r12, sp
	stmia	r0, {r4-r12, lr}
	movs	r0, #0
	bx	lr
	end	setjmp_t32

	.thumb_func
	function longjmp_t32
	ldmia	r0, {r4-r12, lr}
	mov	sp, r12
	mov	r0, r1
	bx	lr
	end	longjmp_t32

	.section .note.GNU-stack, "", %progbits
