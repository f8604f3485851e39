/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel logged about cascade while a command ran: the module says there
 * why it refuses an array.
 */
#ifndef CASCADESETUP_KMSG_H
#define CASCADESETUP_KMSG_H

/**
 * cascade_kmsg_begin() - Remember the present end of the kernel log.
 *
 * Return: Handle for cascade_kmsg_end(); -1 where the log cannot be read.
 */
int cascade_kmsg_begin(void);

/**
 * cascade_kmsg_end() - Close the handle, and print the lines logged since.
 * @handle: From cascade_kmsg_begin().
 * @print: Print the lines that are about cascade, to stderr.
 */
void cascade_kmsg_end(int handle, int print);

#endif /* CASCADESETUP_KMSG_H */
