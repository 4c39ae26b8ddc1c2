import CLinux

/// The memory of this process, which holds secrets.
public enum ProcessMemory {
    /// Refuses core dumps, and reading of this memory by other processes of the same uid.
    public static func denyDumps() throws(SystemError) {
        let code = clinux_deny_dumps()
        guard code == 0 else { throw SystemError("prctl(PR_SET_DUMPABLE)", code) }
    }

    /// Hands blocks of 1 MiB and more back to the kernel as soon as they are freed, such as what a password is hashed
    /// in, and keeps what is free once instead of for each thread.
    ///
    /// Threads that are there already keep what they have, so it is called before there are any.
    public static func spareMemory() {
        clinux_spare_memory(1 << 20)
    }
}
