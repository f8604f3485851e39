// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module-wide list of who uses which device and array.
 */
#include <linux/slab.h>

#include "registry.h"

struct cascade_registration {
	struct list_head node;
	struct mapped_device *md;
	u8 array_uuid[CASCADE_UUID_BYTES];
	unsigned int nr_devs;
	dev_t devs[];
};

static DEFINE_MUTEX(registry_lock);
static LIST_HEAD(registrations);	/* under registry_lock */

static struct cascade_registration *describe(struct cascade *c)
{
	struct cascade_registration *reg;
	slot_t s;

	reg = kzalloc(struct_size(reg, devs, c->geo.nr_members), GFP_KERNEL);
	if (!reg)
		return NULL;
	reg->md = dm_table_get_md(c->ti->table);
	memcpy(reg->array_uuid, c->sb.array_uuid, CASCADE_UUID_BYTES);
	for (s = 0; s < c->geo.nr_members; s++)
		if (c->members[s].dev)
			reg->devs[reg->nr_devs++] = c->members[s].bdev->bd_dev;
	return reg;
}

/* Returns the first device that two have in common, or 0. */
static dev_t shared_device(const struct cascade_registration *a,
			   const struct cascade_registration *b)
{
	unsigned int i, j;

	for (i = 0; i < a->nr_devs; i++)
		for (j = 0; j < b->nr_devs; j++)
			if (a->devs[i] == b->devs[j])
				return a->devs[i];
	return 0;
}

static int find_conflict_locked(struct cascade *c, const struct cascade_registration *reg,
				const char **error)
{
	struct cascade_registration *other;
	char uuid[CASCADE_UUID_TEXT_BYTES];
	dev_t dev;

	lockdep_assert_held(&registry_lock);
	list_for_each_entry(other, &registrations, node) {
		if (other->md == reg->md)
			continue;
		if (!memcmp(other->array_uuid, reg->array_uuid, CASCADE_UUID_BYTES)) {
			*error = "the array's uuid is live under another mapped device";
			cascade_uuid_format(reg->array_uuid, uuid);
			cascade_err(c, "array %s is live already", uuid);
			return -EBUSY;
		}
		dev = shared_device(reg, other);
		if (dev) {
			*error = "a device is in use by another mapped device of this target";
			cascade_err(c, "device %u:%u is in use already", MAJOR(dev), MINOR(dev));
			return -EBUSY;
		}
	}
	return 0;
}

int cascade_registry_enter(struct cascade *c, const char **error)
{
	struct cascade_registration *reg = describe(c);
	int r;

	if (!reg) {
		*error = "no memory for the registry";
		return -ENOMEM;
	}
	mutex_lock(&registry_lock);
	r = find_conflict_locked(c, reg, error);
	if (!r)
		list_add(&reg->node, &registrations);
	mutex_unlock(&registry_lock);
	if (r) {
		kfree(reg);
		return r;
	}
	c->registration = reg;
	return 0;
}

void cascade_registry_leave(struct cascade *c)
{
	if (!c->registration)
		return;
	mutex_lock(&registry_lock);
	list_del(&c->registration->node);
	mutex_unlock(&registry_lock);
	kfree(c->registration);
	c->registration = NULL;
}
