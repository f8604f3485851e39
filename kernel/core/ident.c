// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uuids and names, as text. Both come from users and from disks; what is accepted
 * here can stand in a table line, a log line and a file name as it is.
 */
#include "ident.h"

void cascade_uuid_format(const u8 *uuid, char *text)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int i;

	for (i = 0; i < CASCADE_UUID_BYTES; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*text++ = '-';
		*text++ = digits[uuid[i] >> 4];
		*text++ = digits[uuid[i] & 15];
	}
	*text = '\0';
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -EINVAL;
}

int cascade_uuid_parse(const char *text, u8 *uuid)
{
	u8 bytes[CASCADE_UUID_BYTES];
	unsigned int i;

	for (i = 0; i < CASCADE_UUID_BYTES; i++) {
		int high, low;

		if ((i == 4 || i == 6 || i == 8 || i == 10) && *text++ != '-')
			return -EINVAL;
		high = hex_digit(*text++);
		if (high < 0)
			return -EINVAL;
		low = hex_digit(*text++);
		if (low < 0)
			return -EINVAL;
		bytes[i] = (u8)(high << 4 | low);
	}
	if (*text)
		return -EINVAL;
	memcpy(uuid, bytes, sizeof(bytes));
	return 0;
}

static bool is_letter_or_digit(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool cascade_name_check(const char *name)
{
	size_t i;

	if (!is_letter_or_digit(name[0]))
		return false;
	for (i = 0; name[i]; i++) {
		if (i == CASCADE_NAME_MAX)
			return false;
		if (!is_letter_or_digit(name[i]) && !strchr("+-._", name[i]))
			return false;
	}
	return true;
}
