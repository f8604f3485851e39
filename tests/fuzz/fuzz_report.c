// SPDX-License-Identifier: GPL-2.0-only
/*
 * Status lines of any bytes: what is accepted is written in the known form, and
 * that is read as the same.
 */
#include "core/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nr_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nr_bytes)
{
	struct cascade_report rep, back;
	char *line = malloc(nr_bytes + 1);
	char text[4096];
	int nr;

	if (!line)
		abort();
	memcpy(line, data, nr_bytes);
	line[nr_bytes] = '\0';
	if (!cascade_report_parse(&rep, line)) {
		if (strlen(rep.health) != rep.nr_members || rep.done_sectors > rep.total_sectors)
			abort();
		nr = cascade_report_format(&rep, text, sizeof(text));
		if (nr <= 0 || strlen(text) != (size_t)nr)
			abort();
		if (cascade_report_parse(&back, text) || memcmp(&rep, &back, sizeof(rep)))
			abort();
	}
	free(line);
	return 0;
}
