/* Task 1, T32: CRC-32 by table over a buffer that changes every round. */
#include "kernel.h"

#define BYTES 256
#define ROUNDS 6

static uint32_t table[256];
static uint8_t buffer[BYTES];

static void make_table(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;
		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
		table[i] = c;
	}
}

static __attribute__((noinline)) uint32_t crc32(const uint8_t *p, uint32_t n)
{
	uint32_t c = ~0u;
	while (n--)
		c = table[(c ^ *p++) & 255] ^ c >> 8;
	return ~c;
}

uint32_t random_next(uint32_t *state)
{
	uint32_t x = *state;
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return *state = x;
}

void checksum_task(void)
{
	uint32_t seed = 1, crc = 0;
	make_table();
	for (int round = 0; round < ROUNDS; round++) {
		for (uint32_t i = 0; i < BYTES; i++)
			buffer[i] = (uint8_t)(random_next(&seed) + crc);
		crc = crc32(buffer, BYTES);
		yield();
	}
	print("crc", crc);
	exit_task();
}
