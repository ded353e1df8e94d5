/*
 * Decodes a capture with OpenCSD and prints what that cost:
 *
 *     opencsd LIST null|csv
 *
 * LIST is a text file, written by the Go program beside this folder, of lines
 *
 *     trace FILE raw|frames
 *     source PTM|ETMV3 A|R|M ETMIDR ETMCR ETMCCER ETMTRACEIDR
 *     source ETMV4I|ETE A|R|M TRCIDR0 TRCIDR1 TRCIDR2 TRCIDR8 TRCCONFIGR TRCTRACEIDR TRCDEVARCH
 *     memory ADDRESS any|S|N|H FILE
 *
 * Numbers are in hex, names of files have no spaces. The trace and program memory are read into memory first and
 * handed over as buffers, which is the fastest access OpenCSD has to program memory.
 *
 * null counts output elements and instructions. csv writes nine fields of each
 * instruction to /dev/null as text, formatted by hand: source, ordinal, offset in
 * the trace, address, opcode, size, instruction set, kind, outcome.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "opencsd/c_api/opencsd_c_api.h"
#include "opencsd/ete/trc_pkt_types_ete.h"
#include "opencsd/etmv3/trc_pkt_types_etmv3.h"
#include "opencsd/etmv4/trc_pkt_types_etmv4.h"
#include "opencsd/ptm/trc_pkt_types_ptm.h"

enum { MAX_REGIONS = 256, BLOCK = 1 << 20, FRAME = 16, TEXT = 1 << 16, MAX_LINE = 256, MAX_REGS = 7 };

struct region {
	uint64_t start, end;
	uint8_t *bytes;
};

static struct {
	struct region regions[MAX_REGIONS];
	int num_regions;
	const struct region *last; /* that csv looked into */
	int64_t elements, instructions, no_access, fatals;
	int out; /* /dev/null; of csv */
	char text[TEXT];
	size_t length;
} state;

static void fail(const char *what, const char *why) {
	fprintf(stderr, "opencsd: %s: %s\n", what, why);
	exit(1);
}

static uint8_t *read_file(const char *name, size_t *size) {
	struct stat st;
	int f = open(name, O_RDONLY);
	if (f < 0 || fstat(f, &st) != 0) fail(name, "cannot be read");
	uint8_t *b = malloc(st.st_size + 1);
	if (!b) fail(name, "no memory");
	for (size_t n = 0; n < (size_t)st.st_size;) {
		ssize_t got = read(f, b + n, st.st_size - n);
		if (got <= 0) fail(name, "cannot be read");
		n += got;
	}
	close(f);
	*size = st.st_size;
	return b;
}

/* ---- the sinks ---- */

static ocsd_datapath_resp_t count_element(const void *context, const ocsd_trc_index_t at, const uint8_t id, const ocsd_generic_trace_elem *e) {
	(void)context, (void)at, (void)id;
	state.elements++;
	if (e->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE) state.instructions += e->num_instr_range;
	else if (e->elem_type == OCSD_GEN_TRC_ELEM_ADDR_NACC) state.no_access++;
	return OCSD_RESP_CONT;
}

static void flush_text(void) {
	if (write(state.out, state.text, state.length) != (ssize_t)state.length) fail("/dev/null", "cannot be written");
	state.length = 0;
}

static char *put_decimal(char *p, uint64_t v) {
	char digits[20];
	int n = 0;
	do digits[n++] = '0' + v % 10;
	while (v /= 10);
	while (n) *p++ = digits[--n];
	return p;
}

static char *put_hex(char *p, uint64_t v, int digits) {
	for (int shift = 4 * digits - 4; shift >= 0; shift -= 4) *p++ = "0123456789abcdef"[v >> shift & 15];
	return p;
}

static char *put_word(char *p, const char *word) {
	while (*word) *p++ = *word++;
	return p;
}

/* memory_at returns what is at an address of an instruction that was executed. */
static const uint8_t *memory_at(uint64_t address) {
	const struct region *r = state.last;
	if (!r || address < r->start || address >= r->end) {
		for (r = state.regions; r < state.regions + state.num_regions; r++)
			if (address >= r->start && address < r->end) break;
		if (r == state.regions + state.num_regions) fail("csv", "an instruction is outside of program memory");
		state.last = r;
	}
	return r->bytes + (address - r->start);
}

static const char *const isa_names[] = {"a32", "t32", "a64", "tee", "jazelle", "custom", "unknown"};
static const char *const kind_names[] = {"other", "branch", "indirect", "isb", "barrier", "wfi", "tstart"};

static ocsd_datapath_resp_t format_element(const void *context, const ocsd_trc_index_t at, const uint8_t id, const ocsd_generic_trace_elem *e) {
	count_element(context, at, id, e);
	if (e->elem_type != OCSD_GEN_TRC_ELEM_INSTR_RANGE) return OCSD_RESP_CONT;
	uint64_t address = e->st_addr;
	uint64_t seq = state.instructions - e->num_instr_range;
	for (uint32_t i = 1; i <= e->num_instr_range; i++, seq++) {
		if (state.length > TEXT - MAX_LINE) flush_text();
		const uint8_t *m = memory_at(address);
		uint32_t opcode = m[0] | m[1] << 8, size = 2;
		if (e->isa != ocsd_isa_thumb2) {
			opcode |= (uint32_t)m[2] << 16 | (uint32_t)m[3] << 24;
			size = 4;
		} else if (opcode >= 0xE800) { /* 32-bit T32: the first halfword is the high one */
			opcode = opcode << 16 | m[2] | m[3] << 8;
			size = 4;
		}
		int last = i == e->num_instr_range;
		char *p = state.text + state.length;
		p = put_decimal(p, id), *p++ = ',';
		p = put_decimal(p, seq), *p++ = ',';
		p = put_decimal(p, at), *p++ = ',';
		p = put_hex(p, address, e->isa == ocsd_isa_aarch64 ? 16 : 8), *p++ = ',';
		p = put_hex(p, opcode, 8), *p++ = ',';
		*p++ = '0' + size, *p++ = ',';
		p = put_word(p, isa_names[e->isa]), *p++ = ',';
		p = put_word(p, kind_names[last ? e->last_i_type : OCSD_INSTR_OTHER]), *p++ = ',';
		*p++ = last && !e->last_instr_exec ? 'N' : 'E', *p++ = '\n';
		state.length = p - state.text;
		address += size;
	}
	return OCSD_RESP_CONT;
}

/* ---- the decode tree ---- */

static void add_source(dcd_tree_handle_t tree, const char *protocol, char profile, const uint32_t r[MAX_REGS]) {
	ocsd_core_profile_t prof = profile == 'M' ? profile_CortexM : profile == 'R' ? profile_CortexR : profile_CortexA;
	ocsd_etmv3_cfg etm = {.reg_idr = r[0], .reg_ctrl = r[1], .reg_ccer = r[2], .reg_trc_id = r[3], .arch_ver = ARCH_V7, .core_prof = prof};
	ocsd_ptm_cfg ptm = {.reg_idr = r[0], .reg_ctrl = r[1], .reg_ccer = r[2], .reg_trc_id = r[3], .arch_ver = ARCH_V7, .core_prof = prof};
	ocsd_etmv4_cfg etmv4 = {.reg_idr0 = r[0], .reg_idr1 = r[1], .reg_idr2 = r[2], .reg_idr8 = r[3], .reg_configr = r[4], .reg_traceidr = r[5],
	                        .arch_ver = ARCH_AA64, .core_prof = prof};
	ocsd_ete_cfg ete = {.reg_idr0 = r[0], .reg_idr1 = r[1], .reg_idr2 = r[2], .reg_idr8 = r[3], .reg_configr = r[4], .reg_traceidr = r[5],
	                    .reg_devarch = r[6], .arch_ver = ARCH_AA64, .core_prof = prof};
	const void *config = !strcmp(protocol, OCSD_BUILTIN_DCD_PTM)      ? (const void *)&ptm
	                     : !strcmp(protocol, OCSD_BUILTIN_DCD_ETMV4I) ? (const void *)&etmv4
	                     : !strcmp(protocol, OCSD_BUILTIN_DCD_ETE)    ? (const void *)&ete
	                                                                  : &etm;
	unsigned char id;
	if (ocsd_dt_create_decoder(tree, protocol, OCSD_CREATE_FLG_FULL_DECODER, config, &id) != OCSD_OK)
		fail(protocol, "OpenCSD does not make a decoder for these registers");
}

static void add_memory(dcd_tree_handle_t tree, uint64_t address, const char *space, const char *name) {
	ocsd_mem_space_acc_t from = !strcmp(space, "S") ? OCSD_MEM_SPACE_S : !strcmp(space, "N") ? OCSD_MEM_SPACE_N
	                            : !strcmp(space, "H") ? OCSD_MEM_SPACE_EL2 : OCSD_MEM_SPACE_ANY;
	struct region *r = &state.regions[state.num_regions++];
	size_t size;
	r->bytes = read_file(name, &size);
	r->start = address;
	r->end = address + size;
	if (ocsd_dt_add_buffer_mem_acc(tree, address, from, r->bytes, size) != OCSD_OK)
		fail(name, "OpenCSD does not take this region of program memory");
}

/* build makes the tree of a list, and reads the trace that it names. */
static dcd_tree_handle_t build(const char *list, uint8_t **trace, size_t *size, int *framed) {
	FILE *f = fopen(list, "r");
	char word[16], name[4096], how[16];
	if (!f || fscanf(f, "%15s %4095s %15s", word, name, how) != 3 || strcmp(word, "trace")) fail(list, "does not begin with the trace");
	*trace = read_file(name, size);
	*framed = !strcmp(how, "frames");
	dcd_tree_handle_t tree = *framed ? ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED, OCSD_DFRMTR_FRAME_MEM_ALIGN)
	                                 : ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	if (tree == C_API_INVALID_TREE_HANDLE) fail(list, "OpenCSD makes no decode tree");
	while (fscanf(f, "%15s", word) == 1) {
		char profile;
		uint64_t address;
		if (!strcmp(word, "source") && fscanf(f, "%15s %c", how, &profile) == 2) {
			uint32_t r[MAX_REGS] = {0};
			for (int i = 0; i < MAX_REGS && fscanf(f, "%" SCNx32, &r[i]) == 1; i++) {}
			add_source(tree, how, profile, r);
		} else if (!strcmp(word, "memory") && fscanf(f, "%" SCNx64 " %15s %4095s", &address, how, name) == 3) {
			add_memory(tree, address, how, name);
		} else {
			fail(list, "a line is neither a source nor memory");
		}
	}
	fclose(f);
	return tree;
}

/* feed decodes the trace. After a fatal response the tree is reset, and decoding
 * continues where it ended: at the next frame of a framed trace. */
static void feed(dcd_tree_handle_t tree, const uint8_t *trace, size_t size, int framed) {
	for (size_t at = 0; at < size;) {
		uint32_t block = size - at < BLOCK ? size - at : BLOCK, used = 0;
		ocsd_datapath_resp_t resp = ocsd_dt_process_data(tree, OCSD_OP_DATA, at, block, trace + at, &used);
		while (OCSD_DATA_RESP_IS_WAIT(resp)) resp = ocsd_dt_process_data(tree, OCSD_OP_FLUSH, 0, 0, NULL, NULL);
		if (OCSD_DATA_RESP_IS_FATAL(resp)) {
			state.fatals++;
			ocsd_dt_process_data(tree, OCSD_OP_RESET, 0, 0, NULL, NULL);
			uint32_t unit = framed ? FRAME : 1;
			used = (used / unit + 1) * unit;
		}
		at += used;
	}
	ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, NULL);
}

static double seconds(struct timeval t) { return t.tv_sec + t.tv_usec / 1e6; }

/* peak_memory returns the most memory that the process had, in bytes. getrusage has
 * that of the process it was forked from in it. */
static long peak_memory(void) {
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kilobytes = 0;
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "VmHWM: %ld kB", &kilobytes) == 1) break;
	if (f) fclose(f);
	return kilobytes * 1024;
}

/* report prints the run as JSON, in the form of measure.Run, with the counters of
 * this driver. Time is that of the whole process. */
static void report(size_t size, double wall) {
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	printf("{\"Instructions\":%lld,\"Bytes\":%zu,\"Wall\":%.6f,\"CPU\":%.6f,\"Peak\":%ld,"
	       "\"Elements\":%lld,\"NoAccess\":%lld,\"Fatals\":%lld,\"Version\":\"%s\"}\n",
	       (long long)state.instructions, size, wall, seconds(u.ru_utime) + seconds(u.ru_stime), peak_memory(),
	       (long long)state.elements, (long long)state.no_access, (long long)state.fatals, ocsd_get_version_str());
}

int main(int argc, char **argv) {
	if (argc != 3 || (strcmp(argv[2], "null") && strcmp(argv[2], "csv"))) fail("usage", "opencsd LIST null|csv");
	struct timespec start, end;
	clock_gettime(CLOCK_MONOTONIC, &start);
	ocsd_def_errlog_init(OCSD_ERR_SEV_NONE, 0);
	uint8_t *trace;
	size_t size;
	int framed, csv = !strcmp(argv[2], "csv");
	dcd_tree_handle_t tree = build(argv[1], &trace, &size, &framed);
	ocsd_dt_set_gen_elem_outfn(tree, csv ? format_element : count_element, NULL);
	if (csv && (state.out = open("/dev/null", O_WRONLY)) < 0) fail("/dev/null", "cannot be opened");
	feed(tree, trace, size, framed);
	if (csv) flush_text();
	ocsd_destroy_dcd_tree(tree);
	clock_gettime(CLOCK_MONOTONIC, &end);
	report(size, end.tv_sec - start.tv_sec + (end.tv_nsec - start.tv_nsec) / 1e9);
	return 0;
}
