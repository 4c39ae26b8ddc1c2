import CLinux
import Glibc

/// The memory of this process, which holds secrets.
public enum ProcessMemory {
    /// Refuses core dumps, and reading of this memory by other processes of the same uid.
    public static func denyDumps() throws(SystemError) {
        let code = clinux_deny_dumps()
        guard code == 0 else { throw SystemError("prctl(PR_SET_DUMPABLE)", code) }
    }

    /// Takes memory from the kernel in large steps and keeps it until the end, which comes soon: a command that reads
    /// thousands of rows would otherwise ask for each 4 KiB apart.
    ///
    /// Threads that are there already go on as before, so it is called before there are any.
    public static func growQuickly() {
        clinux_grow_memory(32 << 20)
    }

    /// Bytes of this process that are in memory; nil where the kernel does not tell.
    public static var resident: Int? {
        let fields = KernelFile.text("/proc/self/statm")?.split(separator: " ")
        return fields?.dropFirst().first.flatMap { Int($0) }.map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
    }

    /// Hands free memory back to the kernel, which malloc otherwise keeps where something stands behind it.
    public static func returnFree() {
        clinux_return_memory()
    }

    /// Hands blocks of 1 MiB and more back to the kernel as soon as they are freed, such as what a password is hashed
    /// in, and keeps what is free in four places instead of one for each thread.
    ///
    /// Threads that are there already keep what they have, so it is called before there are any.
    public static func spareMemory() {
        clinux_spare_memory(1 << 20)
    }
}
