package generate

const (
	movs = "8000:0000a0e10000a0e10000a0e10000a0e10000a0e1 18:0000a0e1feffffea 1c:0000a0e1"
	v5   = "ETMIDR=410cf250 ETMCCER=34000000 "
)

// Sections are those of docs/etmv3.md.
var etmv3Faults = []fault{
	{
		"cancel of one of several atoms", "§4.6",
		"cancels nothing: only what is alone in its P-header",
		"", movs, "A 082100800000 8c 8d808080483c 84",
		`
+ 12 instruction 0x00008008 4 a32 true secure`,
	},
	{
		"cancel across an ignore packet", "§4.6",
		"cancels nothing: not across this, an A-sync, an I-sync, a branch",
		"", movs, "A 082100800000 84 66 8d808080483c 84",
		`
- 14 exception 14
+ 12 instruction 0x00008000 4 a32 true secure
+ 14 exception 14`,
	},
	{
		"cancel across a timestamp", "§4.6",
		"cancels nothing",
		v5 + "ETMCR=10000000", movs, "A 082100800000 84 4205 8d808080483c 84",
		`
- 15 exception 14
- 13 timestamp NULL
- 21 instruction 0x00000018 4 a32 true secure
+ 12 instruction 0x00008000 4 a32 true secure
+ 15 exception 14
+ 13 timestamp 5
+ 21 instruction 0x00000018 4 a32 true timestamp 5 secure`,
	},
	{
		"cancel after a lone atom", "§4.6",
		"cancels nothing: a P-header of one atom right before that of the cancelled one",
		"", movs, "A 082100800000 84 84 8d808080483c 84",
		`
+ 13 instruction 0x00008004 4 a32 true secure`,
	},
	{
		"cancel after a cancel", "§4.6",
		"cancels nothing: the exception, too, is held back like an instruction",
		"", movs, "A 082100800000 84 8d808080483c 84 8f808080483c 84",
		`
- 20 exception 14
+ 19 instruction 0x00000018 4 a32 true secure
+ 20 exception 14`,
	},
	{
		"cancel across Ws", "§4.6",
		"cancels nothing",
		"ETMCR=00001000", movs, "A 70002100800000 84 a8 8d808080483c 84",
		`
- 15 exception 14
+ 13 instruction 0x00008000 4 a32 true cycles 1 secure
+ 15 exception 14
- 21 instruction 0x00000018 4 a32 true cycles 5 secure
+ 21 instruction 0x00000018 4 a32 true cycles 4 secure`,
	},
	{
		"Ws of what is cancelled", "§5",
		"cancels, and drops the cycles; they are the next instruction's",
		"ETMCR=00001000", movs, "A 70002100800000 88 e8 8d808080483c 84",
		`
- 14 cycles 3
- 21 instruction 0x00000018 4 a32 true cycles 4 secure
+ 21 instruction 0x00000018 4 a32 true cycles 1 secure`,
	},
	{
		"cancel of a return", "§4.6",
		"cancels neither the return nor its instruction",
		v5, "8000:0000a0e16e0060e1 18:0000a0e1feffffea", "A 082100800000 88 76 8d808080483c 84",
		`
+ 12 instruction 0x00008004 4 a32 true secure`,
	},
	{
		"LSiP below 0x80000000", "§3.5",
		"the data instruction is missing; the second address becomes a branch packet",
		"", "8000:000091e50000a0e10000a0e1 8014:0000a0e1", "A 08a1008000000b 84",
		`
- 6 instruction 0x00008000 4 a32 true secure`,
	},
	{
		"LSiP above", "§3.5",
		"the data instruction is missing",
		"", "80008000:000091e50000a0e1 80008014:0000a0e1", "A 08a1008000800b 84",
		`
- 6 instruction 0x80008000 4 a32 true secure`,
	},
	{
		"reserved P-header", "§3.2",
		"as format 2",
		"", movs, "A 082100800000 84 92 84 A 080100800000 84",
		`
- 21 restart
+ 13 instruction 0x00008004 4 a32 true secure
+ 13 instruction 0x00008008 4 a32 true secure
+ 14 instruction 0x0000800c 4 a32 true secure`,
	},
	{
		"format 4 before v3.3", "§3.2",
		"as in v3.3",
		"ETMCR=00001000 ETMIDR=410cf220", movs, "A 70002100800000 84 92 84 A 080100800000 84",
		`
- 22 restart
+ 14 instruction 0x00008004 4 a32 true cycles 0 secure
+ 15 cycles 1
+ 15 instruction 0x00008008 4 a32 true cycles 1 secure`,
	},
	{
		"P-header 80 of v3.0 while a target is awaited", "§3.2",
		"no cycle",
		"ETMCR=00001000 ETMIDR=410cf200", "8000:1eff2fe1 9000:0000a0e1", "A 70002100800000 84 80 8110 84",
		`
- 14 cycles 1
+ 14 cycles NULL
- 17 instruction 0x00009000 4 a32 true cycles 2 secure
+ 17 instruction 0x00009000 4 a32 true cycles 1 secure`,
	},
	{
		"P-header 80 of v3.1", "§3.2",
		"a W in every version",
		"ETMCR=00001000 ETMIDR=410cf210", movs, "A 70002100800000 84 80 84 A 080100800000 84",
		`
- 22 restart
+ 14 cycles 1
+ 15 cycles 1
+ 15 instruction 0x00008004 4 a32 true cycles 2 secure`,
	},
	{
		"BLX without a packet", "§4.2",
		"forgets the instruction set with the next P-header",
		"", "8000:fe0300fa 9000:00bf00bf00bf00bf", "A 082100800000 84 84 84",
		`
- 13 instruction 0x00009000 2 t32 true secure
- 14 instruction 0x00009002 2 t32 true secure
+ 13 instruction 0x00009000 4 a32 true secure
+ 14 instruction 0x00009004 4 a32 true secure`,
	},
	{
		"ENTERX without a packet", "§4.1",
		"stays in T32",
		"", "8000:bff31f8f00bf00bf", "A 082101800000 84 84",
		`
- 13 instruction 0x00008004 2 t32ee true secure
+ 13 instruction 0x00008004 2 t32 true secure`,
	},
	{
		"old exception form, other", "§3.4.1",
		"no exception",
		"ETMIDR=410cf220", movs + " 8:0000a0e1", "A 082100800000 84 8580808080 84",
		`
- 13 exception 0`,
	},
	{
		"T32 instructions of two atoms", "§4.3",
		"two instructions",
		"ETMIDR=4100f230", "8000:aff3008000bf00bf00bf00bf00bf", "A 082101800000 88 84",
		`
- 13 instruction 0x00008004 2 t32 true secure
+ 12 instruction 0x00008004 2 t32 true secure
+ 13 instruction 0x00008006 2 t32 true secure`,
	},
	{
		"Gray timestamps", "§3.7",
		"the value as sent",
		"ETMIDR=410cf250 ETMCCER=04000000 ETMCR=10000000", movs, "A 082100800000 84 42e7f0aec88e8b00 84",
		`
- 13 timestamp 478050856890
- 21 instruction 0x00008004 4 a32 true timestamp 478050856890 secure
+ 13 timestamp 381866981479
+ 21 instruction 0x00008004 4 a32 true timestamp 381866981479 secure`,
	},
	{
		"whole 64-bit timestamp", "§3.7",
		"runs on after a ninth byte with bit 7 set, and is 0",
		v5 + "ETMCR=10000000", movs, "A 082100800000 84 42ffffffffffffffffff 84",
		`
- 13 timestamp NULL
- 23 instruction 0x00008004 4 a32 true secure
+ 13 timestamp 0`,
	},
	{
		"timestamp of unknown high bits", "§3.7",
		"the unknown bits are 0",
		v5 + "ETMCR=10000000", movs, "A 082100800000 4205 84",
		`
- 12 timestamp NULL
- 14 instruction 0x00008000 4 a32 true secure
+ 12 timestamp 5
+ 14 instruction 0x00008000 4 a32 true timestamp 5 secure`,
	},
	{
		"A-sync of six zeros", "§3.1",
		"an error, and the source stops, with what was held back",
		"", movs, "A 082100800000 84 00000000000080 080100800000 84",
		`
- 12 instruction 0x00008000 4 a32 true secure
- 26 instruction 0x00008000 4 a32 true secure`,
	},
	{
		"reserved header", "§2",
		"the same: nothing after the next A-sync",
		"", movs, "A 082100800000 84 10 84 A 080100800000 84",
		`
- 12 instruction 0x00008000 4 a32 true secure
- 21 restart
- 27 instruction 0x00008000 4 a32 true secure`,
	},
	{
		"late count", "§5",
		"counts where it is sent",
		"ETMCR=00001000", movs, "A 082100800000 84 040a 84",
		`
+ 12 instruction 0x00008000 4 a32 true cycles 1 secure
- 12 instruction 0x00008000 4 a32 true cycles 1 secure
- 15 instruction 0x00008004 4 a32 true cycles 1 secure
+ 15 instruction 0x00008004 4 a32 true cycles 11 secure`,
	},
	{
		"count of an overflow, v3.5", "§5",
		"the count, which is not to be used",
		v5 + "ETMCR=00001000", movs, "A 70002100800000 84 70054100800000 84",
		`
- 14 cycles NULL
+ 14 cycles 5`,
	},
	{
		"count of a debug exit, v3.0", "§5",
		"the same",
		"ETMIDR=410cf200 ETMCR=00001000", movs, "A 70002100800000 84 70056100800000 84",
		`
- 14 cycles NULL
+ 14 cycles 5`,
	},
	{
		"atoms after a debug entry", "§4.5",
		"continues at the target",
		"", movs + " 8:0000a0e1", "A 082100800000 84 858080804802 84 A 086100800000 84",
		`
- 26 restart
+ 19 instruction 0x00000008 4 a32 true secure
+ 26 restart`,
	},
	{
		"data trace", "§6",
		"refuses the source",
		"ETMCR=0000000c", "8000:000091e50000a0e1", "A 082100800000 84 2e80808080120a000000 84",
		`
- 6 restart
- 6 context secure
- 12 instruction 0x00008000 4 a32 true secure
- 23 instruction 0x00008004 4 a32 true secure`,
	},
}
