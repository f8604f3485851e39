/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What gcc's -fanalyzer has to be told about kernel 6.1: which functions allocate
 * and which function frees what they return. Included before each file of the
 * module by scripts/check/analyzer.sh. The constructors that the allocators' inline
 * wrappers end in are the ones to declare; kmalloc() itself is such a wrapper.
 */
#if defined(__KERNEL__) && !defined(__ASSEMBLY__) && defined(MODULE)
#include <linux/mempool.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#define AN_FREED_BY(f) __attribute__((malloc, malloc(f, 1)))

void *__kmalloc(size_t size, gfp_t flags) AN_FREED_BY(kfree);
void *__kmalloc_node(size_t size, gfp_t flags, int node) AN_FREED_BY(kfree);
void *kmalloc_trace(struct kmem_cache *s, gfp_t flags, size_t size) AN_FREED_BY(kfree);
void *kmalloc_large(size_t size, gfp_t flags) AN_FREED_BY(kfree);
char *kstrdup(const char *s, gfp_t gfp) AN_FREED_BY(kfree);
void *kvmalloc_node(size_t size, gfp_t flags, int node) AN_FREED_BY(kvfree);
void *vmalloc(unsigned long size) AN_FREED_BY(vfree);
void *vzalloc(unsigned long size) AN_FREED_BY(vfree);
mempool_t *mempool_create(int min_nr, mempool_alloc_t *alloc_fn, mempool_free_t *free_fn,
			  void *pool_data) AN_FREED_BY(mempool_destroy);
#endif
