@ Start-up, exception vectors and their first instructions. All A32.
@
@ Every task and the kernel run in System mode, each on its own stack. An
@ exception that may switch tasks saves the whole context there (struct frame
@ in kernel.h) and gets the stack to go on with from the kernel.

        .syntax unified
        .arch   armv7ve
        .arm

        .equ    MODE_SVC, 0x13
        .equ    MODE_SYS, 0x1f

        .section .text.vectors, "ax"
        .balign 32
        .type   vectors, %function
vectors:
        b       unexpected              @ reset
        b       undefined_entry
        b       svc_entry
        b       prefetch_abort_entry
        b       data_abort_entry
        b       unexpected              @ hypervisor trap
        ldr     pc, =irq_entry
        b       unexpected              @ FIQ
        .ltorg
        .size   vectors, . - vectors

        .text
        .global _start
        .type   _start, %function
_start:
        ldr     r0, =vectors
        mcr     p15, 0, r0, c12, c0, 0  @ VBAR
        isb
        cps     #MODE_SYS
        ldr     sp, =__stack_top
        ldr     r0, =__bss_start
        ldr     r1, =__bss_end
        mov     r2, #0
1:      cmp     r0, r1
        strlo   r2, [r0], #4
        blo     1b
        bl      kernel_start            @ returns the first task's frame
        mov     sp, r0
        b       resume
        .size   _start, . - _start

        .type   svc_entry, %function
svc_entry:
        srsdb   sp!, #MODE_SYS
        cps     #MODE_SYS
        push    {r0-r12, lr}
        mov     r0, sp
        bl      kernel_svc
        mov     sp, r0
        b       resume
        .size   svc_entry, . - svc_entry

        .type   irq_entry, %function
irq_entry:
        sub     lr, lr, #4
        srsdb   sp!, #MODE_SYS
        cps     #MODE_SYS
        push    {r0-r12, lr}
        mov     r0, sp
        bl      kernel_irq
        mov     sp, r0
        .size   irq_entry, . - irq_entry

        .type   resume, %function
resume:
        pop     {r0-r12, lr}
        rfeia   sp!
        .size   resume, . - resume

@ The faults below count themselves and go on behind the faulting instruction.
@ Their modes have no stack: what they need fits into banked lr and two words.
        .type   undefined_entry, %function
undefined_entry:
        ldr     sp, =fault_stack_top
        push    {r0, r1, r2, r3, r12, lr}
        bl      count_undefined
        ldmfd   sp!, {r0, r1, r2, r3, r12, pc}^   @ behind it, in A32 and T32
        .size   undefined_entry, . - undefined_entry

        .type   prefetch_abort_entry, %function
prefetch_abort_entry:
        ldr     sp, =fault_stack_top
        push    {r0, r1, r2, r3, r12, lr}
        bl      count_breakpoint
        pop     {r0, r1, r2, r3, r12, lr}
        movs    pc, lr                  @ A32 BKPT: lr is already behind it
        .size   prefetch_abort_entry, . - prefetch_abort_entry

        .type   data_abort_entry, %function
data_abort_entry:
        ldr     sp, =fault_stack_top
        push    {r0, r1, r2, r3, r12, lr}
        bl      count_data_abort
        pop     {r0, r1, r2, r3, r12, lr}
        subs    pc, lr, #4              @ A32 load: lr is 8 behind it
        .size   data_abort_entry, . - data_abort_entry

        .type   unexpected, %function
unexpected:
        b       unexpected
        .size   unexpected, . - unexpected

@ void power_off(void): PSCI SYSTEM_OFF. The recording ends before it.
        .arch_extension virt
        .global power_off
        .type   power_off, %function
power_off:
        ldr     r0, =0x84000008
        hvc     #0
        b       power_off
        .size   power_off, . - power_off

        .bss
        .balign 8
        .space  256
fault_stack_top:
