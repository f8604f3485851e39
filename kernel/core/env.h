/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only place that knows which side it is built for. The module, the tool,
 * the unit tests and the fuzzers all build core/ from the same text; what that
 * text needs from its surroundings comes from here.
 */
#ifndef CASCADE_CORE_ENV_H
#define CASCADE_CORE_ENV_H

#ifdef __KERNEL__

#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/crc32c.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>

#else /* user space */

#include <endian.h>
#include <errno.h>
#include <isa-l/crc.h>
#include <linux/types.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#define cpu_to_le16(x) ((__le16)htole16(x))
#define cpu_to_le32(x) ((__le32)htole32(x))
#define cpu_to_le64(x) ((__le64)htole64(x))
#define le16_to_cpu(x) le16toh((uint16_t)(x))
#define le32_to_cpu(x) le32toh((uint32_t)(x))
#define le64_to_cpu(x) le64toh((uint64_t)(x))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define BIT_ULL(nr) (1ULL << (nr))
#define GENMASK_ULL(h, l) ((~0ULL << (l)) & (~0ULL >> (63 - (h))))
#define hweight64(x) ((unsigned int)__builtin_popcountll(x))
#define __ffs64(x) ((unsigned long)__builtin_ctzll(x))
#define is_power_of_2(n) ((n) != 0 && ((n) & ((n) - 1)) == 0)
#define ilog2(n) (63 - __builtin_clzll(n))
#define fallthrough __attribute__((__fallthrough__))
#define static_assert _Static_assert

#define min(a, b) ({ __auto_type _a = (a); __auto_type _b = (b); _a < _b ? _a : _b; })
#define max(a, b) ({ __auto_type _a = (a); __auto_type _b = (b); _a > _b ? _a : _b; })

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

/* The kernel's crc32c() neither inverts its seed nor its result. */
static inline u32 crc32c(u32 crc, const void *data, size_t nr_bytes)
{
	return crc32_iscsi((unsigned char *)data, (int)nr_bytes, crc);
}

/* As the kernel's: returns what was written, never what would have been. */
static inline __attribute__((format(printf, 3, 4)))
int scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int nr;

	if (!size)
		return 0;
	va_start(args, fmt);
	nr = vsnprintf(buf, size, fmt, args);
	va_end(args);
	if (nr < 0)
		return 0;
	return (size_t)nr < size ? nr : (int)size - 1;
}

/* As the kernel's: 0, -EINVAL for anything but a whole number, -ERANGE. */
static inline int kstrtou64(const char *s, unsigned int base, u64 *res)
{
	char *end;
	unsigned long long v;

	if (*s == '+')
		s++;
	if (*s < '0' || *s > '9')
		return -EINVAL;
	errno = 0;
	v = strtoull(s, &end, (int)base);
	if (*end == '\n')
		end++;
	if (end == s || *end)
		return -EINVAL;
	if (errno == ERANGE)
		return -ERANGE;
	*res = v;
	return 0;
}

static inline int kstrtou32(const char *s, unsigned int base, u32 *res)
{
	u64 v;
	int r = kstrtou64(s, base, &v);

	if (r)
		return r;
	if (v > UINT32_MAX)
		return -ERANGE;
	*res = (u32)v;
	return 0;
}

#endif /* __KERNEL__ */

#endif /* CASCADE_CORE_ENV_H */
