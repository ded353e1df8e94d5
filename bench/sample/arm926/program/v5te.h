/* What the tasks of ../../program have of ARMv7, in ARMv5TE. */
__asm__(".macro dmb\n\tnop\n\t.endm");
