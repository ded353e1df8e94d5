package generate

const (
	pft11   = "ETMIDR=411cf311 "
	stack   = pft11 + "ETMCR=20000000 ETMCCER=34c00000"
	cycle11 = pft11 + "ETMCR=00001000 ETMCCER=34c00000"
)

// Sections are those of ARM IHI 0035B.
var pftFaults = []fault{
	{
		"information without exception", "§4.5.4",
		"an exception of number 0, and the instructions up to the branch are missing",
		"", "8000:0ef0b0e1 9000:feffffea", "A 080080000021 815001 84",
		`
+ 12 exception 0 return 0x00008000
- 12 instruction 0x00008000 4 a32 true secure
- 12 context non_secure
- 15 instruction 0x00009000 4 a32 true non_secure
+ 15 instruction 0x00009000 4 a32 true secure`,
	},
	{
		"security of an exception", "§4.5.4",
		"NS and Hyp of a branch packet change nothing",
		pft11, "8:feffffea 8000:700060e1", "A 080080000021 7201 858080804805 84",
		`
- 14 context non_secure
- 20 instruction 0x00000008 4 a32 true non_secure
+ 20 instruction 0x00000008 4 a32 true secure`,
	},
	{
		"Hyp of an I-sync", "§4.5.2",
		"non-secure",
		pft11, "8000:feffffea", "A 08008000002b 84",
		`
- 6 context hyp
- 12 instruction 0x00008000 4 a32 true hyp
+ 6 context non_secure
+ 12 instruction 0x00008000 4 a32 true non_secure`,
	},
	{
		"update inside an instruction", "§B.3.2",
		"walks on after the instruction to the end of memory; the exception has no return address",
		"", "18:feffffea 8000:00bfaff3008000bf00bffee700bf", "A 080180000021 7205 8d808080481c 84",
		`
- 14 exception 14 return 0x00008006
+ 12 instruction 0x00008006 2 t32 NULL secure
+ 12 instruction 0x00008008 2 t32 NULL secure
+ 12 instruction 0x0000800a 2 t32 true secure
+ 12 unmapped 0x0000800c
+ 14 exception 14`,
	},
	{
		"update before the position", "§B.3.2",
		"walks to the end of memory",
		"", "8000:00bf00bf00bffee700bf", "A 080580000021 7201 84",
		`
- 14 instruction 0x00008006 2 t32 true secure
+ 12 instruction 0x00008006 2 t32 true secure
+ 12 unmapped 0x00008008`,
	},
	{
		"base after an update", "§B.3.2",
		"the address of the update is the base of the next short address",
		"", "8020:fee700bf 807c:00bf00bf00bf704700bf 80a0:fee700bf", "A 087d80000021 728101 21 84",
		`
- 16 instruction 0x00008020 2 t32 true secure
+ 16 instruction 0x000080a0 2 t32 true secure`,
	},
	{
		"last two bytes of memory", "§B.3.2",
		"fetches four bytes: not accessible",
		"", "8000:fee7", "A 080180000021 84",
		`
+ 12 unmapped 0x00008000
- 12 instruction 0x00008000 2 t32 true secure`,
	},
	{
		"across regions", "§B.3.2",
		"not accessible, being in two regions",
		"", "8000:00bfaff3 8004:0080fee700bf", "A 080180000021 84",
		`
- 12 instruction 0x00008002 4 t32 NULL secure
- 12 instruction 0x00008006 2 t32 true secure
+ 12 unmapped 0x00008002`,
	},
	{
		"empty return stack", "§4.13",
		"fatal: the rest is not decoded, nor is the instruction itself reported",
		stack, "8000:1eff2fe1 9000:feffffea", "A 080080000021 84 84 8110 84",
		`
- 12 instruction 0x00008000 4 a32 true secure
- 16 instruction 0x00009000 4 a32 true secure`,
	},
	{
		"Gray timestamps", "§4.14",
		"the value as sent",
		"", "8000:feffffea", "A 080080000021 42e7f0aec88e8b00 84",
		`
- 12 timestamp 478050856890
- 20 instruction 0x00008000 4 a32 true timestamp 478050856890 secure
+ 12 timestamp 381866981479
+ 20 instruction 0x00008000 4 a32 true timestamp 381866981479 secure`,
	},
	{
		"timestamp of unknown high bits", "§4.14",
		"the unknown bits are 0",
		pft11 + "ETMCCER=34c00000", "8000:feffffea", "A 080080000021 4205 84",
		`
- 12 timestamp NULL
- 14 instruction 0x00008000 4 a32 true secure
+ 12 timestamp 5
+ 14 instruction 0x00008000 4 a32 true timestamp 5 secure`,
	},
	{
		"ENTERX", "§2.2",
		"no waypoint: walks on, in T32",
		"", "8000:bff31f8ffee700bf", "A 080180000021 84 84",
		`
- 12 instruction 0x00008000 4 t32 true secure
- 13 instruction 0x00008004 2 t32ee true secure
+ 12 instruction 0x00008000 4 t32 NULL secure
+ 12 instruction 0x00008004 2 t32 true secure
+ 13 instruction 0x00008004 2 t32 true secure`,
	},
	{
		"ThumbEE", "§2.2",
		"not decoded",
		"", "8000:80c3fee700bf a000:fee700bf", "A 080180000025 81c002 84",
		`
- 12 instruction 0x00008000 2 t32ee true secure
- 15 instruction 0x0000a000 2 t32ee true secure
+ 15 instruction 0x0000a000 2 t32 true secure`,
	},
	{
		"A32 ERET", "§2.2",
		"no waypoint: walks on",
		"", "8000:6e0060e1feffffea 9000:feffffea", "A 080080000021 8110 84",
		`
- 12 instruction 0x00008000 4 a32 true secure
+ 12 instruction 0x00008000 4 a32 NULL secure
+ 12 instruction 0x00008004 4 a32 true secure`,
	},
	{
		"reserved atom header", "§4.5",
		"an atom",
		"", "8000:feffffea", "A 080080000021 84 80 84 A 080080000001 84",
		`
- 21 restart
+ 13 instruction 0x00008000 4 a32 true secure
+ 14 instruction 0x00008000 4 a32 true secure`,
	},
	{
		"atoms after a debug entry", "§5.3.8",
		"continues at address 0",
		"", "0:feffffea 8000:feffffea", "A 080080000021 84 818080804802 84 080080000061 84",
		`
- 20 restart
+ 19 instruction 0x00000000 4 a32 true secure
+ 20 restart`,
	},
	{
		"A-sync of 16 zeros", "§4.5",
		"up to 15 zeros are one: else an error, and all is lost up to the next A-sync",
		"", "8000:feffffea", "A 080080000021 84 00000000000000000000000000000000 80 080080000001 84",
		`
- 36 instruction 0x00008000 4 a32 true secure
+ 13 no_sync`,
	},
	{
		"UNPREDICTABLE A32", "§2.2.1",
		"SMLABB and others with bits 15:12 = 15 are branches",
		"", "8000:c4f20001feffffea", "A 080080000021 84",
		`
- 12 instruction 0x00008000 4 a32 NULL secure
- 12 instruction 0x00008004 4 a32 true secure
+ 12 instruction 0x00008000 4 a32 true secure`,
	},
	{
		"count of a debug exit", "§4.4",
		"the count, which is not to be used in 1.1",
		cycle11, "8000:feffffea", "A 08008000002180 84 08008000006188 84",
		`
- 14 cycles NULL
+ 14 cycles 2`,
	},
	{
		"count of an overflow", "§4.4",
		"the same",
		cycle11, "8000:feffffea", "A 08008000002180 84 08008000004188 84",
		`
- 14 cycles NULL
+ 14 cycles 2`,
	},
	{
		"cycles after missing memory", "§4.4",
		"what cannot be placed vanishes, with its cycles",
		cycle11, "8000:feffffea 9000:fdffffea", "A 08009000002180 84 84 84 08008000002188 84",
		`
- 14 cycles 1
- 15 cycles 1`,
	},
}
