//! The memory of the machine: what is left, and how much of it is shared memory.

/// Least memory that must be left: a twentieth, but no more than this.
const FLOOR: u64 = 512 << 20;

/// The part of a command's limit that counts as much: those who hold it go first.
const MUCH: u64 = 8;

/// Looks in a row that find too little, after which a command goes that holds little: it may hold what nobody sees.
const PATIENCE: u32 = 100;

/// `/proc/meminfo`, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Machine {
    total: u64,
    available: u64,
    /// Shared memory and files in memory, of everybody together.
    pub(super) shared: u64,
}

impl Machine {
    /// As it is now; `None` where the kernel does not say.
    #[expect(clippy::disallowed_methods, reason = "this is the host layer, and /proc is no user's file")]
    pub(super) fn now() -> Option<Self> {
        Self::parse(&std::fs::read_to_string("/proc/meminfo").ok()?)
    }

    fn parse(meminfo: &str) -> Option<Self> {
        let of = |name: &str| {
            let value = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
            value.split_ascii_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
        };
        Some(Self { total: of("MemTotal:")?, available: of("MemAvailable:")?, shared: of("Shmem:")? })
    }

    fn is_scarce(self) -> bool {
        self.available < FLOOR.min(self.total / 20)
    }
}

/// Looks in a row at which memory was scarce.
#[derive(Debug, Default)]
pub(super) struct Scarcity(u32);

impl Scarcity {
    /// Returns whether a command that holds so much of what it may has to go now, so that nobody else does.
    pub(super) fn requires(&mut self, machine: Machine, held: u64, limit: u64) -> bool {
        self.0 = if machine.is_scarce() { self.0 + 1 } else { 0 };
        self.0 > PATIENCE || (self.0 > 0 && held > limit / MUCH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn with(available: u64) -> Machine {
        Machine { total: 4 * GIB, available, shared: 0 }
    }

    #[test]
    fn the_kernels_words_are_read() {
        let text = "MemTotal:       4 kB\nMemFree:  1 kB\nMemAvailable:   2 kB\nShmem:   3 kB\nShmemHugePages: 9 kB\n";
        assert_eq!(Machine::parse(text), Some(Machine { total: 4096, available: 2048, shared: 3072 }));
        assert!(Machine::now().is_some());
    }

    #[test]
    fn who_holds_much_goes_at_once_and_who_holds_little_only_where_that_does_not_help() {
        let mut scarcity = Scarcity::default();
        assert!(!scarcity.requires(with(GIB), 2 * GIB, 2 * GIB));
        assert!(scarcity.requires(with(100 << 20), GIB, 2 * GIB));
        let mut scarcity = Scarcity::default();
        let waits = (0..1_000).take_while(|_| !scarcity.requires(with(100 << 20), 1 << 20, 2 * GIB)).count();
        assert_eq!(waits, 100);
        assert!(!scarcity.requires(with(GIB), 1 << 20, 2 * GIB));
        assert!(!scarcity.requires(with(100 << 20), 1 << 20, 2 * GIB));
    }
}
