// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device-mapper target "simdisk": a RAM disk that takes the time of one disk with
 * turning media. For tests in guests; it keeps time by hrtimers alone, so that what is
 * measured in virtual time is measured to the digit.
 *
 *	<start> <len> simdisk <dev> <offset>
 *		<rpm> <seek_min_us> <seek_max_us> <mb_per_s> <ncq> <pass_over>
 *
 *	dev, offset	where the data is, offset in sectors
 *	rpm		turns of the media a minute, 1000 to 100000
 *	seek_min_us	the shortest seek, 0 to 1000000 us
 *	seek_max_us	the seek over all of <len>, seek_min_us to 1000000 us
 *	mb_per_s	rate of the media, 1 to 10000 MB/s (of 10^6 bytes)
 *	ncq		so many of the oldest requests are looked at for the next one, 1 to 256;
 *			1 takes them in the order in which they came
 *	pass_over	a request is passed over so many times at most, 0 to 1000000
 *
 * The published disks are
 *
 *	7.2k NL-SAS	7200 800 15200 150 16 256
 *	15k SAS		15000 300 6300 170 16 256
 *
 * There is one arm. The data lies on it as on a spiral that turns below the head: the time
 * of a sector's passing is its place times the time of a sector. A request costs
 *
 *	positioning	nothing where it starts at the end of the one before; what lies less
 *			than a turn ahead comes by itself, at the rate of the media; else a
 *			seek, seek_min + (seek_max - seek_min) * sqrt(distance / len), and
 *			the wait until the sector comes by
 *	transfer	its length at the rate of the media
 *
 * Of the requests looked at, the one of the shortest positioning is next. There is no
 * write cache and no other read-ahead. The media begins to turn with the first request after
 * a resume, at an angle that follows from the number of <dev>: disks are not in step, and
 * what was before does not matter. The head is at the first sector then.
 *
 * Data is read and written while a request waits its turn: it takes the time of the model
 * however long the copying takes, unless that takes longer. A flush ends when all
 * requests that came before it have ended. Discard and write-zeroes are refused, so the
 * block layer writes zeroes instead.
 *
 * Status: <requests> <positionings> <busy_us> <elapsed_us>, since the last resume: requests that
 * were begun, how many of them had to wait for their first sector, the time that they take, and
 * the time from the coming of the first to the end of the last. With requests in the queue all
 * the time this is the model's alone, whatever the guest's CPU does. "table" prints what was given.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/hash.h>
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

/* The arithmetic of places in nanoseconds is good for disks up to here. */
#define MAX_SECTORS BIT_ULL(40)
/* Bits behind the point of the square roots. */
#define ROOT_SHIFT 10

/* The words of the table line after offset. */
enum {
	ARG_RPM,
	ARG_SEEK_MIN_US,
	ARG_SEEK_MAX_US,
	ARG_MB_PER_S,
	ARG_NCQ,
	ARG_PASS_OVER,
	NR_MODEL_ARGS,
};

static const struct {
	u32 min, max;
	char *error;
} model_args[NR_MODEL_ARGS] = {
	[ARG_RPM] = { 1000, 100000, "rpm must be 1000 to 100000" },
	[ARG_SEEK_MIN_US] = { 0, 1000000, "seek_min_us must be 0 to 1000000" },
	[ARG_SEEK_MAX_US] = { 0, 1000000, "seek_max_us must be seek_min_us to 1000000" },
	[ARG_MB_PER_S] = { 1, 10000, "mb_per_s must be 1 to 10000" },
	[ARG_NCQ] = { 1, 256, "ncq must be 1 to 256" },
	[ARG_PASS_OVER] = { 0, 1000000, "pass_over must be 0 to 1000000" },
};

struct disk {
	struct dm_dev *dev;
	u64 offset_sectors;
	u32 arg[NR_MODEL_ARGS];

	u32 turn_ns;
	u32 seek_min_ns;
	/* What the longest seek takes more, and the root of its distance. */
	u32 seek_span_ns;
	u32 root_len;
	/* Of the media, when the first request comes. */
	u32 first_angle_ns;

	/* Ends the request that is served. */
	struct hrtimer timer;

	/* Protects what follows; taken in any context. */
	spinlock_t lock;
	/* All jobs that are not through, in the order in which they came. */
	struct list_head jobs;
	/* The job that is served, if one is. */
	struct job *served;
	bool turning;
	/* When the first job came. */
	u64 first_ns;
	/* A time at which sector 0 came by. */
	u64 zero_ns;
	/* When the last job that was begun is or will be served, and where the head is then. */
	u64 free_ns;
	u64 head_sector;

	/* Since the last resume. */
	u64 nr_begun;
	u64 nr_positionings;
	u64 busy_ns;
};

/* A request, in the memory that device-mapper keeps for each. */
struct job {
	/* Of disk->jobs, by its lock, as is all down to the parts. */
	struct list_head entry;
	struct bio *bio;
	bool flush;
	/* For the arm. */
	bool waiting;
	u32 nr_passed_over;
	u32 nr_sectors;
	u64 sector;
	u64 came_ns;
	/* What must be done yet: the data, and the time; nothing of a flush's own. */
	atomic_t parts;
};

static u64 media_ns(const struct disk *d, u64 nr_sectors)
{
	return div_u64((nr_sectors << SECTOR_SHIFT) * 1000, d->arg[ARG_MB_PER_S]);
}

static u64 seek_ns(const struct disk *d, u64 distance_sectors)
{
	u64 root = int_sqrt64(distance_sectors << (2 * ROOT_SHIFT));

	return d->seek_min_ns + div_u64(d->seek_span_ns * root, d->root_len);
}

/* From the end of the last request at @from_ns until @sector is below the head. */
static u64 positioning_ns(const struct disk *d, u64 sector, u64 from_ns)
{
	u32 angle_ns, sector_angle_ns;
	u64 ns;

	if (sector >= d->head_sector) {
		ns = media_ns(d, sector - d->head_sector);
		if (ns < d->turn_ns)
			return ns;
		ns = seek_ns(d, sector - d->head_sector);
	} else {
		ns = seek_ns(d, d->head_sector - sector);
	}
	div_u64_rem(from_ns + ns - d->zero_ns, d->turn_ns, &angle_ns);
	div_u64_rem(media_ns(d, sector), d->turn_ns, &sector_angle_ns);
	if (sector_angle_ns < angle_ns)
		sector_angle_ns += d->turn_ns;
	return ns + sector_angle_ns - angle_ns;
}

/* The next job for the arm, or NULL; *@ns is its positioning. */
static struct job *pick_locked(struct disk *d, u64 *ns)
{
	struct job *job, *best = NULL;
	u32 nr_seen = 0;
	u64 job_ns;

	list_for_each_entry(job, &d->jobs, entry) {
		if (!job->waiting)
			continue;
		job_ns = positioning_ns(d, job->sector, max(d->free_ns, job->came_ns));
		if (!best || job_ns < *ns || job->nr_passed_over >= d->arg[ARG_PASS_OVER]) {
			best = job;
			*ns = job_ns;
		}
		/* Of those that may not be passed over again, the oldest. */
		if (job->nr_passed_over >= d->arg[ARG_PASS_OVER] || ++nr_seen == d->arg[ARG_NCQ])
			break;
	}
	if (best)
		list_for_each_entry(job, &d->jobs, entry) {
			if (job == best)
				break;
			job->nr_passed_over++;
		}
	return best;
}

/* The arm is free: on with the next job, from the time at which the last one was served. */
static void begin_locked(struct disk *d)
{
	u64 ns, from_ns;
	struct job *job;

	lockdep_assert_held(&d->lock);
	job = pick_locked(d, &ns);
	d->served = job;
	if (!job)
		return;
	d->nr_begun++;
	if (ns)
		d->nr_positionings++;
	ns += media_ns(d, job->nr_sectors);
	from_ns = max(d->free_ns, job->came_ns);
	d->busy_ns += ns;
	d->free_ns = from_ns + ns;
	d->head_sector = job->sector + job->nr_sectors;
	job->waiting = false;
	hrtimer_start(&d->timer, ns_to_ktime(d->free_ns), HRTIMER_MODE_ABS_SOFT);
}

/*
 * With its last part a job is through, and with it the flushes that it held up. Each bio_endio()
 * may free its job, and the last one the disk.
 */
static void part_done(struct disk *d, struct job *job)
{
	struct job *next;
	unsigned long flags;
	LIST_HEAD(through);

	if (!atomic_dec_and_test(&job->parts))
		return;
	spin_lock_irqsave(&d->lock, flags);
	list_move_tail(&job->entry, &through);
	list_for_each_entry_safe(job, next, &d->jobs, entry) {
		if (!job->flush)
			break;
		list_move_tail(&job->entry, &through);
	}
	spin_unlock_irqrestore(&d->lock, flags);
	list_for_each_entry_safe(job, next, &through, entry)
		bio_endio(job->bio);
}

static enum hrtimer_restart timer_fn(struct hrtimer *timer)
{
	struct disk *d = container_of(timer, struct disk, timer);
	unsigned long flags;
	struct job *job;

	spin_lock_irqsave(&d->lock, flags);
	job = d->served;
	begin_locked(d);
	spin_unlock_irqrestore(&d->lock, flags);
	part_done(d, job);
	return HRTIMER_NORESTART;
}

static void add(struct disk *d, struct job *job)
{
	unsigned long flags;

	spin_lock_irqsave(&d->lock, flags);
	job->came_ns = ktime_get_ns();
	if (!d->turning) {
		d->turning = true;
		d->first_ns = job->came_ns;
		d->zero_ns = job->came_ns - d->first_angle_ns;
	}
	list_add_tail(&job->entry, &d->jobs);
	if (!d->served)
		begin_locked(d);
	spin_unlock_irqrestore(&d->lock, flags);
}

/* Whether there is something that the flush has to wait for. */
static bool add_flush(struct disk *d, struct job *job)
{
	unsigned long flags;
	bool waits;

	spin_lock_irqsave(&d->lock, flags);
	waits = !list_empty(&d->jobs);
	if (waits)
		list_add_tail(&job->entry, &d->jobs);
	spin_unlock_irqrestore(&d->lock, flags);
	return waits;
}

static int map(struct dm_target *ti, struct bio *bio)
{
	struct job *job = dm_per_bio_data(bio, sizeof(*job));
	struct disk *d = ti->private;

	job->bio = bio;
	job->flush = bio->bi_opf & REQ_PREFLUSH;
	job->waiting = !job->flush;
	job->nr_passed_over = 0;
	job->nr_sectors = bio_sectors(bio);
	job->sector = dm_target_offset(ti, bio->bi_iter.bi_sector);
	atomic_set(&job->parts, job->flush ? 0 : 2);
	if (job->flush) {
		if (!add_flush(d, job))
			bio_endio(bio);
		return DM_MAPIO_SUBMITTED;
	}
	bio_set_dev(bio, d->dev->bdev);
	bio->bi_iter.bi_sector = d->offset_sectors + job->sector;
	add(d, job);
	return DM_MAPIO_REMAPPED;
}

/* Called when the data is done, and once more, by part_done(), for the job that is through. */
static int end_io(struct dm_target *ti, struct bio *bio, blk_status_t *error)
{
	struct job *job = dm_per_bio_data(bio, sizeof(*job));

	if (!atomic_read(&job->parts))
		return DM_ENDIO_DONE;
	part_done(ti->private, job);
	return DM_ENDIO_INCOMPLETE;
}

/* Nothing is in flight. */
static void resume(struct dm_target *ti)
{
	struct disk *d = ti->private;

	spin_lock_irq(&d->lock);
	d->turning = false;
	d->head_sector = 0;
	d->nr_begun = 0;
	d->nr_positionings = 0;
	d->busy_ns = 0;
	spin_unlock_irq(&d->lock);
}

static int parse_model(struct disk *d, char **argv, char **error)
{
	unsigned int i;

	for (i = 0; i < NR_MODEL_ARGS; i++)
		if (kstrtou32(argv[i], 10, &d->arg[i]) || d->arg[i] < model_args[i].min ||
		    d->arg[i] > model_args[i].max) {
			*error = model_args[i].error;
			return -EINVAL;
		}
	if (d->arg[ARG_SEEK_MAX_US] < d->arg[ARG_SEEK_MIN_US]) {
		*error = model_args[ARG_SEEK_MAX_US].error;
		return -EINVAL;
	}
	d->turn_ns = div_u64(60ULL * NSEC_PER_SEC, d->arg[ARG_RPM]);
	d->seek_min_ns = d->arg[ARG_SEEK_MIN_US] * NSEC_PER_USEC;
	d->seek_span_ns = d->arg[ARG_SEEK_MAX_US] * NSEC_PER_USEC - d->seek_min_ns;
	return 0;
}

static int ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct disk *d;
	int r;

	if (argc != 2 + NR_MODEL_ARGS) {
		ti->error = "dev, offset and six numbers of the model must be given";
		return -EINVAL;
	}
	if (ti->len > MAX_SECTORS) {
		ti->error = "len must be at most 2^40 sectors";
		return -EINVAL;
	}
	d = kzalloc(sizeof(*d), GFP_KERNEL);
	if (!d) {
		ti->error = "out of memory";
		return -ENOMEM;
	}
	spin_lock_init(&d->lock);
	INIT_LIST_HEAD(&d->jobs);
	hrtimer_init(&d->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	d->timer.function = timer_fn;
	d->root_len = int_sqrt64(ti->len << (2 * ROOT_SHIFT));
	r = kstrtou64(argv[1], 10, &d->offset_sectors);
	if (r) {
		ti->error = "offset must be a number of sectors";
		goto free_disk;
	}
	r = parse_model(d, argv + 2, &ti->error);
	if (r)
		goto free_disk;
	r = dm_get_device(ti, argv[0], dm_table_get_mode(ti->table), &d->dev);
	if (r) {
		ti->error = "dev cannot be opened";
		goto free_disk;
	}
	d->first_angle_ns = hash_32(d->dev->bdev->bd_dev, 32) % d->turn_ns;
	ti->private = d;
	ti->per_io_data_size = sizeof(struct job);
	ti->num_flush_bios = 1;
	/* Whatever dev says: flushes are wanted here, and end here. */
	ti->flush_supported = true;
	return 0;

free_disk:
	kfree(d);
	return r;
}

static void dtr(struct dm_target *ti)
{
	struct disk *d = ti->private;

	/* All jobs are through; the function that ended the last one may still return. */
	hrtimer_cancel(&d->timer);
	dm_put_device(ti, d->dev);
	kfree(d);
}

static void status(struct dm_target *ti, status_type_t type, unsigned int status_flags,
		   char *result, unsigned int maxlen)
{
	struct disk *d = ti->private;
	u64 nr_begun, nr_positionings, busy_ns, elapsed_ns;
	unsigned int i, sz = 0;

	switch (type) {
	case STATUSTYPE_INFO:
		spin_lock_irq(&d->lock);
		nr_begun = d->nr_begun;
		nr_positionings = d->nr_positionings;
		busy_ns = d->busy_ns;
		elapsed_ns = nr_begun ? d->free_ns - d->first_ns : 0;
		spin_unlock_irq(&d->lock);
		DMEMIT("%llu %llu %llu %llu", nr_begun, nr_positionings,
		       div_u64(busy_ns, NSEC_PER_USEC), div_u64(elapsed_ns, NSEC_PER_USEC));
		break;
	case STATUSTYPE_TABLE:
		DMEMIT("%s %llu", d->dev->name, d->offset_sectors);
		for (i = 0; i < NR_MODEL_ARGS; i++)
			DMEMIT(" %u", d->arg[i]);
		break;
	case STATUSTYPE_IMA:
		*result = '\0';
		break;
	}
}

static int iterate_devices(struct dm_target *ti, iterate_devices_callout_fn fn, void *data)
{
	struct disk *d = ti->private;

	return fn(ti, d->dev, d->offset_sectors, ti->len, data);
}

static struct target_type simdisk_target = {
	.name = "simdisk",
	.version = { 1, 0, 0 },
	.module = THIS_MODULE,
	.ctr = ctr,
	.dtr = dtr,
	.map = map,
	.end_io = end_io,
	.resume = resume,
	.status = status,
	.iterate_devices = iterate_devices,
};

static int __init simdisk_init(void)
{
	return dm_register_target(&simdisk_target);
}

static void __exit simdisk_exit(void)
{
	dm_unregister_target(&simdisk_target);
}

module_init(simdisk_init);
module_exit(simdisk_exit);

MODULE_DESCRIPTION("device-mapper target: the time of one disk, for tests");
MODULE_LICENSE("GPL");
