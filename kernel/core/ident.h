/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What arrays and devices are called: uuids and names, as text.
 */
#ifndef CASCADE_CORE_IDENT_H
#define CASCADE_CORE_IDENT_H

#include "units.h"

/**
 * cascade_uuid_format() - Write a uuid as text, 8-4-4-4-12 digits.
 * @uuid: CASCADE_UUID_BYTES.
 * @text: Room for CASCADE_UUID_TEXT_BYTES.
 */
void cascade_uuid_format(const u8 *uuid, char *text);

/**
 * cascade_uuid_parse() - Read a uuid in the form that format writes.
 * @text: Text.
 * @uuid: CASCADE_UUID_BYTES, filled on success.
 *
 * Return: 0 or -EINVAL.
 */
int cascade_uuid_parse(const char *text, u8 *uuid);

/**
 * cascade_name_check() - Whether a text may be an array's name.
 * @name: Text.
 *
 * A name is 1 to CASCADE_NAME_MAX letters, digits and any of "+-._", and begins
 * with a letter or a digit, so that it is a device-mapper name and a file name.
 *
 * Return: True if it may.
 */
bool cascade_name_check(const char *name);

#endif /* CASCADE_CORE_IDENT_H */
