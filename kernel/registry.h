/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module-wide list of who uses which device and array.
 *
 * Device-mapper opens devices under one holder, so it would give a member to two
 * mapped devices; and nothing but this list knows that an array already runs
 * under another name. Tables of the same mapped device may share: a reload names
 * the devices again.
 */
#ifndef CASCADE_REGISTRY_H
#define CASCADE_REGISTRY_H

#include "cascade.h"

/**
 * cascade_registry_enter() - Claim an array's uuid and its devices.
 * @c: Instance whose members and sb.array_uuid are set.
 * @error: On refusal a constant sentence.
 *
 * Context: Process; takes the registry's mutex.
 * Return: 0; -EBUSY if another mapped device has one of them; -ENOMEM.
 */
int cascade_registry_enter(struct cascade *c, const char **error);

/**
 * cascade_registry_leave() - Give up what was claimed; nothing if nothing was.
 * @c: Instance.
 *
 * Context: Process; takes the registry's mutex.
 */
void cascade_registry_leave(struct cascade *c);

#endif /* CASCADE_REGISTRY_H */
