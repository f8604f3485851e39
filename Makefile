# SPDX-License-Identifier: GPL-2.0-only
#
# dm-cascade: the module, the tool, and everything that proves they work. "make help" lists the targets.

PREFIX ?= /usr/local
DESTDIR ?=
KDIR ?= $(shell scripts/kdir)
PKG_CONFIG ?= pkg-config
CLANG ?= clang
INSTALL ?= install
FUZZ_SECONDS ?= 60
# Runs only the tests whose KIND/NAME contains one of these words (shell patterns).
TESTS ?=

export CLANG FUZZ_SECONDS TESTS

CFLAGS ?= -O2 -g
WARNINGS := -std=gnu11 -Wall -Wextra -Werror
CORE_INCLUDES := -Ikernel
# Assertions without a message are plain C to gcc.
CLANG_WARNINGS := $(WARNINGS) -Wno-c2x-extensions
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
TOOL_LIBRARIES := devmapper json-c blkid uuid
# What core/ needs of user space: the CRC of its superblocks.
CORE_LIBRARIES := -lisal

core_sources := $(wildcard kernel/core/*.c)
tool_sources := $(wildcard userspace/*.c)
unit_sources := $(wildcard tests/unit/test_*.c tests/model/test_*.c)
unit_helpers := $(filter-out $(unit_sources),$(wildcard tests/unit/*.c tests/model/*.c)) tests/power/ledger.c
fuzz_sources := $(wildcard tests/fuzz/fuzz_*.c)

tool_objects := $(patsubst %.c,build/tool/%.o,$(tool_sources) $(core_sources))
unit_core := $(patsubst %.c,build/unit/%.o,$(core_sources) $(unit_helpers))
unit_programs := $(patsubst %.c,build/unit/%,$(unit_sources))
fuzz_core := $(patsubst %.c,build/fuzz/%.o,$(core_sources))
fuzz_programs := $(patsubst tests/fuzz/%.c,build/fuzz/%,$(fuzz_sources))

.PHONY: all module tool check check-debug unit unit-programs fuzz fuzz-programs static tool-tests vm power power-programs demo bench \
	bench-cpu install install-module install-tool clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: module tool ## the module and the tool (default)

module: kernel/dm-cascade.ko ## kernel/dm-cascade.ko, for the headers in KDIR

kernel/dm-cascade.ko: FORCE
	@ko=$$(scripts/module "$(KDIR)") && { cmp -s "$$ko" $@ || cp "$$ko" $@; }

tool: userspace/cascadesetup ## userspace/cascadesetup

userspace/cascadesetup: $(tool_objects)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(shell $(PKG_CONFIG) --libs $(TOOL_LIBRARIES)) $(CORE_LIBRARIES)

build/tool/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(WARNINGS) $(CORE_INCLUDES) -Iuserspace \
		$(shell $(PKG_CONFIG) --cflags $(TOOL_LIBRARIES)) -MMD -MP -c -o $@ $<

# One program a test file, with all of core and the helpers that stand beside the tests.
unit-programs: $(unit_programs)

$(unit_programs): build/unit/%: build/unit/%.o $(unit_core)
	$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ -lcmocka $(CORE_LIBRARIES)

build/unit/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -O1 -g $(WARNINGS) $(SANITIZE) $(CORE_INCLUDES) -Itests/unit -D_GNU_SOURCE -MMD -MP -c -o $@ $<

fuzz-programs: $(fuzz_programs)

$(fuzz_programs): build/fuzz/%: build/fuzz/tests/fuzz/%.o $(fuzz_core)
	$(CLANG) $(SANITIZE) -fsanitize=fuzzer -o $@ $^ $(CORE_LIBRARIES)

build/fuzz/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CLANG) $(CPPFLAGS) -O1 -g $(CLANG_WARNINGS) $(SANITIZE) -fsanitize=fuzzer-no-link $(CORE_INCLUDES) -Itests/fuzz \
		-D_GNU_SOURCE -MMD -MP -c -o $@ $<

# What scripts/powercut works with: its disks, the load in its guests, and the judge of what the disks hold.
power-programs: build/power/disk.so build/power/load build/power/judge

build/power/disk.so: tests/disks/power.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(WARNINGS) -D_GNU_SOURCE -fPIC -shared $(LDFLAGS) -o $@ $<

build/power/load: tests/power/load.c tests/power/sector.h Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(WARNINGS) -D_GNU_SOURCE $(LDFLAGS) -o $@ $<

build/power/judge: tests/power/judge.c tests/power/ledger.c tests/power/ledger.h tests/power/sector.h Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(WARNINGS) $(LDFLAGS) -o $@ $(filter %.c,$^)

check: ## all tests; TESTS='words' filters, FUZZ_SECONDS=60 for each fuzzer
	@scripts/deps check
	@tests/run static unit tool fuzz vm power

check-debug: ## the guest tests on the debug bed (builds its kernel once, 10 to 25 minutes)
	@scripts/deps debug
	@scripts/debug-kernel build
	@tests/run debug

static unit fuzz vm power: ## one part of check alone
	@scripts/deps check
	@tests/run $@

tool-tests:
	@scripts/deps check
	@tests/run tool

demo: ## shows an array at work, in a guest
	@scripts/deps demo
	@scripts/demo

bench: bench-cpu ## all that is measured, beside the stock targets, in guests with virtual time

bench-cpu: ## guest instructions per I/O
	@scripts/deps bench
	@scripts/bench-cpu

install: install-module install-tool ## both, into DESTDIR, for PREFIX and KDIR

install-module: module
	@set -e; PATH=$$PATH:/usr/sbin:/sbin; \
	release=$$(modinfo -F vermagic kernel/dm-cascade.ko); release=$${release%% *}; \
	[ -n "$$release" ] || { echo "kernel/dm-cascade.ko does not say for which kernel it is" >&2; exit 1; }; \
	$(INSTALL) -D -m 644 kernel/dm-cascade.ko "$(DESTDIR)/lib/modules/$$release/updates/dm-cascade.ko"; \
	[ -n "$(DESTDIR)" ] || depmod "$$release"

install-tool: tool
	$(INSTALL) -D -m 755 userspace/cascadesetup "$(DESTDIR)$(PREFIX)/sbin/cascadesetup"
	@set -e; for page in userspace/*.[1-8]; do \
		[ ! -e "$$page" ] || $(INSTALL) -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/man/man$${page##*.}" "$$page"; done
	@set -e; for f in userspace/*.schema.json; do \
		[ ! -e "$$f" ] || $(INSTALL) -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/cascadesetup" "$$f"; done
	@set -e; for f in userspace/completion/*; do \
		[ ! -e "$$f" ] || $(INSTALL) -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" "$$f"; done
	@set -e; for f in userspace/udev/*.rules; do [ ! -e "$$f" ] || { \
		mkdir -p "$(DESTDIR)$(UDEV_DIR)"; \
		sed 's|@SBINDIR@|$(PREFIX)/sbin|g' "$$f" >"$(DESTDIR)$(UDEV_DIR)/$${f##*/}"; }; done
	@set -e; for f in userspace/systemd/*; do [ ! -e "$$f" ] || { \
		mkdir -p "$(DESTDIR)$(SYSTEMD_DIR)"; \
		sed 's|@SBINDIR@|$(PREFIX)/sbin|g' "$$f" >"$(DESTDIR)$(SYSTEMD_DIR)/$${f##*/}"; }; done

# udev and systemd look in fixed folders: those of packages for a prefix of /usr, else the administrator's.
ifeq ($(PREFIX),/usr)
UDEV_DIR ?= /usr/lib/udev/rules.d
SYSTEMD_DIR ?= /usr/lib/systemd/system
else
UDEV_DIR ?= /etc/udev/rules.d
SYSTEMD_DIR ?= /etc/systemd/system
endif

clean: ## removes all that was made in the tree (the cache of kernels stays)
	rm -rf build
	rm -f kernel/dm-cascade.ko userspace/cascadesetup

help: ## this list
	@sed -n 's/^\([a-z -]*\):.*## \(.*\)/  \1|\2/p' Makefile | column -t -s '|'
	@echo 'Variables: KDIR=$(KDIR)'
	@echo '           PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) TESTS=$(TESTS) FUZZ_SECONDS=$(FUZZ_SECONDS)'

-include $(patsubst %.o,%.d,$(tool_objects) $(unit_core) $(fuzz_core))
-include $(patsubst %,%.d,$(unit_programs)) $(patsubst %.c,build/fuzz/%.d,$(fuzz_sources))
