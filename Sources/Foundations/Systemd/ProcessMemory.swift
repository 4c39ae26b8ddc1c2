import CLinux
import Glibc

/// The memory of this process, which contains secrets.
public enum ProcessMemory {
    /// Disables core dumps, and prevents other processes with the same uid from reading this process's memory.
    public static func denyDumps() throws(SystemError) {
        let code = clinux_deny_dumps()
        guard code == 0 else { throw SystemError("prctl(PR_SET_DUMPABLE)", code) }
    }

    /// Configures `malloc` for short-lived commands to request memory in steps of 32 MiB and never to return it.
    ///
    /// Call this method before the first thread starts, because it does not affect existing threads.
    public static func growQuickly() {
        clinux_grow_memory(32 << 20)
    }

    /// The resident memory of this process in bytes, or `nil` if the kernel does not report it.
    public static var resident: Int? {
        let fields = KernelFile.text("/proc/self/statm")?.split(separator: " ")
        return fields?.dropFirst().first.flatMap { Int($0) }.map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
    }

    /// Returns free memory to the kernel, including free memory between blocks that are still in use.
    public static func returnFree() {
        clinux_return_memory()
    }

    /// Configures `malloc` to use four arenas and to return freed blocks of 1 MiB and more to the kernel immediately.
    ///
    /// Call this method before the first thread starts, because existing threads keep their arenas.
    public static func spareMemory() {
        clinux_spare_memory(1 << 20)
    }
}

/// Decides when to return free memory to the kernel, depending on how much the process has grown.
public struct MemoryWatch: Sendable {
    private let growth: Int
    private var least = Int.max

    /// Creates a watch with the number of bytes by which the process may exceed its smallest size so far.
    public init(growth: Int) {
        self.growth = growth
    }

    /// Returns free memory to the kernel, and returns `true`, if the process has grown by more than the limit.
    @discardableResult
    public mutating func look(
        resident: () -> Int? = { ProcessMemory.resident },
        returnFree: () -> Void = { ProcessMemory.returnFree() }
    ) -> Bool {
        guard let size = resident() else { return false }
        let hasGrown = least < Int.max && size > least + growth
        if hasGrown { returnFree() }
        least = min(least, hasGrown ? resident() ?? size : size)
        return hasGrown
    }
}
