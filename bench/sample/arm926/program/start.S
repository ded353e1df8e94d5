@ Start-up, exception vectors and their first instructions for a core of ARMv5TE,
@ which has no SRS, RFE and CPS. All A32.
@
@ Every task and the kernel run in System mode, each on its own stack. An
@ exception that may switch tasks saves the whole context there (struct frame
@ in kernel.h) and gets the stack to go on with from the kernel.

        .syntax unified
        .arch   armv5te
        .arm

        .equ    MODE_FIQ, 0x11
        .equ    MODE_IRQ, 0x12
        .equ    MODE_SVC, 0x13
        .equ    MODE_ABT, 0x17
        .equ    MODE_UND, 0x1b
        .equ    MODE_SYS, 0x1f
        .equ    FIQ_OFF, 0x40
        .equ    IRQ_OFF, 0x80

        .equ    FIQ_TIMER, 0x101e3000
        .equ    SYSTEM, 0x10000000

        .section .vectors, "ax"
        .type   vectors, %function
vectors:
        b       _start
        b       undefined_entry
        b       svc_entry
        b       prefetch_abort_entry
        b       data_abort_entry
        b       .                       @ reserved
        ldr     pc, =irq_entry
@ FIQ has registers of its own, and is served here at once.
        ldr     r8, =FIQ_TIMER
        str     r8, [r8, #0x0c]         @ clear
        ldr     r8, =fast
        ldr     r9, [r8]
        add     r9, r9, #1
        str     r9, [r8]
        subs    pc, lr, #4
        .ltorg
        .size   vectors, . - vectors

        .text
        .macro  stack mode, top
        msr     cpsr_c, #\mode | IRQ_OFF | FIQ_OFF
        ldr     sp, =\top
        .endm

        .global _start
        .type   _start, %function
_start:
        stack   MODE_IRQ, irq_stack_top
        stack   MODE_ABT, fault_stack_top
        stack   MODE_UND, fault_stack_top
        stack   MODE_SVC, svc_stack_top
        stack   MODE_SYS, __stack_top
        ldr     r0, =__bss_start
        ldr     r1, =__bss_end
        mov     r2, #0
1:      cmp     r0, r1
        strlo   r2, [r0], #4
        blo     1b
        bl      kernel_start            @ returns the first task's frame
        b       resume
        .size   _start, . - _start

@ save puts the context of the task onto its stack. It begins in the exception's
@ mode, whose stack has room for four words, and ends in System mode.
        .macro  save
        stmdb   sp, {r0-r3}
        sub     r3, sp, #16
        mov     r1, lr
        mrs     r2, spsr
        msr     cpsr_c, #MODE_SYS | IRQ_OFF
        sub     sp, sp, #64
        str     lr, [sp, #52]
        str     r1, [sp, #56]
        str     r2, [sp, #60]
        add     r0, sp, #16
        stmia   r0, {r4-r12}
        ldmia   r3, {r4-r7}
        stmia   sp, {r4-r7}
        mov     r0, sp
        .endm

        .type   svc_entry, %function
svc_entry:
        save
        bl      kernel_svc
        b       resume
        .size   svc_entry, . - svc_entry

        .type   irq_entry, %function
irq_entry:
        sub     lr, lr, #4
        save
        bl      kernel_irq
        .size   irq_entry, . - irq_entry

        .type   resume, %function
resume:
        add     sp, r0, #64
        ldr     lr, [r0, #52]
        ldr     r1, [r0, #56]
        ldr     r2, [r0, #60]
        msr     cpsr_c, #MODE_SVC | IRQ_OFF
        msr     spsr_cxsf, r2
        mov     lr, r1
        ldmia   r0, {r0-r12}
        movs    pc, lr
        .size   resume, . - resume

@ The faults below count themselves and go on behind the faulting instruction.
        .type   undefined_entry, %function
undefined_entry:
        push    {r0, r1, r2, r3, r12, lr}
        bl      count_undefined
        ldmfd   sp!, {r0, r1, r2, r3, r12, pc}^   @ behind it, in A32 and T32
        .size   undefined_entry, . - undefined_entry

        .type   prefetch_abort_entry, %function
prefetch_abort_entry:
        push    {r0, r1, r2, r3, r12, lr}
        bl      count_breakpoint
        pop     {r0, r1, r2, r3, r12, lr}
        movs    pc, lr                  @ A32 BKPT: lr is already behind it
        .size   prefetch_abort_entry, . - prefetch_abort_entry

        .type   data_abort_entry, %function
data_abort_entry:
        push    {r0, r1, r2, r3, r12, lr}
        bl      count_data_abort
        pop     {r0, r1, r2, r3, r12, lr}
        subs    pc, lr, #4              @ A32 load: lr is 8 behind it
        .size   data_abort_entry, . - data_abort_entry

@ uint32_t take(volatile uint32_t *lock): takes a lock, and says what it was.
        .global take
        .type   take, %function
take:
        mov     r1, #1
        swp     r2, r1, [r0]
        mov     r0, r2
        bx      lr
        .size   take, . - take

@ void power_off(void): a reset, which QEMU is told to end at. The recording ends
@ before it.
        .global power_off
        .type   power_off, %function
power_off:
        ldr     r0, =SYSTEM
        ldr     r1, =0xa05f
        str     r1, [r0, #0x20]         @ unlock
        mov     r1, #0x100
        str     r1, [r0, #0x40]
        b       power_off
        .size   power_off, . - power_off

        .bss
        .balign 8
        .space  64
irq_stack_top:
        .space  64
svc_stack_top:
        .space  256
fault_stack_top:
