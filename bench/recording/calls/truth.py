#!/usr/bin/env python3
"""Says which functions a program entered, in order, and what had called them, by the stack pointer
and LR: truth.py ELF LOG, a log that QEMU wrote (see record.sh).

The frame of a caller lies above the frames of what it called. So when a function is entered, all
functions that were entered at the same stack pointer or below it have ended, in whatever way. A
caller may have an empty frame: it has not ended if the call is of its code, and control did not come
to where LR pointed. A line for each entry:

    depth kind function

depth counts from 1. kind is c if LR has the address after the instruction before, a call, or else j:
a jump, or whatever the kernel or a switch of stacks did. Before the first entry on another stack comes
"task N". Stacks are the elements of the array `stacks`, from 1; 0 is that of the program.
"""
import bisect
import re
import subprocess
import sys

STACK_BYTES = 1024  # switch.c: an element of stacks


class Program:
    """The functions of an ELF file, and the extent of `stacks`."""

    def __init__(self, elf):
        self.names, self.stacks, ends = {}, range(0), {}
        listing = subprocess.run(["arm-linux-gnueabihf-readelf", "-sW", elf], check=True, capture_output=True, text=True)
        for line in listing.stdout.splitlines():
            w = line.split()
            if len(w) < 8 or not re.match(r"\d+:$", w[0]) or w[6] == "UND":
                continue
            address, size = int(w[1], 16), int(w[2], 0)
            if w[3] == "FUNC":  # of several names the table `functions` has the first by this rank
                rank = (size == 0, ["GLOBAL", "WEAK", "LOCAL"].index(w[4]), w[7])
                self.names[address & ~1] = min(self.names.get(address & ~1, rank), rank)
                ends[address & ~1] = max(ends.get(address & ~1, 0), (address & ~1) + size)
            elif w[3] == "OBJECT" and w[7] == "stacks":
                self.stacks = range(address, address + size)
        self.starts = sorted(self.names)
        after = self.starts[1:] + self.starts[-1:]  # some in assembler have no size
        self.ends = [ends[a] if ends[a] > a else after[i] for i, a in enumerate(self.starts)]

    def start_of(self, pc):
        """Returns the first address of the function of an instruction, or None."""
        i = bisect.bisect(self.starts, pc) - 1
        return self.starts[i] if i >= 0 and pc < self.ends[i] else None

    def task(self, sp):
        return (sp - 1 - self.stacks.start) // STACK_BYTES + 1 if sp - 1 in self.stacks else 0


def records(log):
    """Yields PC, SP and LR before each instruction."""
    pc, registers = None, {}
    for line in log:
        if line.startswith("Trace"):
            pc, registers = int(line.split("/")[1], 16), {}
        elif line.startswith("R"):
            registers.update(w.split("=") for w in line.split())
        elif line.startswith("PSR") and pc is not None:
            yield pc, int(registers["R13"], 16), int(registers["R14"], 16)
            pc = None


def entries(program, log):
    """Yields the lines."""
    stacks, now, before = {}, 0, 0
    for pc, sp, lr in records(log):
        called = (lr & ~1) - before in (2, 4)
        frames = stacks.setdefault(program.task(sp), [])
        while frames and frames[-1][0] < sp:
            frames.pop()
        if frames and frames[-1][:2] == [sp, pc]:
            frames[-1][1] = None  # it has returned
        if pc in program.names and (called or program.start_of(before) != pc):
            if program.task(sp) != now:
                now = program.task(sp)
                yield f"task {now}"
            caller = program.start_of(before) if called else None
            if frames and frames[-1][0] == sp and not (frames[-1][1] and frames[-1][2] == caller):
                frames.pop()
            frames.append([sp if frames else 1 << 32, lr & ~1, pc])  # the first one of a stack does not end
            yield f"{len(frames)} {'c' if called else 'j'} {program.names[pc][-1]}"
        before = pc


if __name__ == "__main__":
    with open(sys.argv[2]) as f:
        for text in entries(Program(sys.argv[1]), f):
            print(text)
