import CLinux
import Glibc

/// The memory of this process, which contains secrets.
public enum ProcessMemory {
    /// Disables core dumps and stops other processes of the same uid from reading this memory.
    public static func denyDumps() throws(SystemError) {
        let code = clinux_deny_dumps()
        guard code == 0 else { throw SystemError("prctl(PR_SET_DUMPABLE)", code) }
    }

    /// Makes malloc request memory in steps of 32 MiB and never return it, for short-lived commands.
    ///
    /// A command that reads thousands of rows would otherwise request 4 KiB at a time. Existing threads are not
    /// affected, so call it before the first thread starts.
    public static func growQuickly() {
        clinux_grow_memory(32 << 20)
    }

    /// The resident memory of this process in bytes, or `nil` if the kernel does not report it.
    public static var resident: Int? {
        let fields = KernelFile.text("/proc/self/statm")?.split(separator: " ")
        return fields?.dropFirst().first.flatMap { Int($0) }.map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
    }

    /// Returns free memory to the kernel, including memory below blocks that are still in use.
    public static func returnFree() {
        clinux_return_memory()
    }

    /// Returns blocks of 1 MiB and more to the kernel as soon as they are freed, such as those of password hashing.
    ///
    /// Also limits malloc to four arenas instead of one per thread. Existing threads keep their arenas, so call this
    /// method before the first thread starts.
    public static func spareMemory() {
        clinux_spare_memory(1 << 20)
    }
}

/// Decides when to return free memory to the kernel: after the process has grown.
public struct MemoryWatch: Sendable {
    private let growth: Int
    private var least = Int.max

    /// Creates a watch for a process that has not been measured yet.
    ///
    /// - Parameter growth: The growth since the smallest size so far, in bytes, above which free memory is returned.
    public init(growth: Int) {
        self.growth = growth
    }

    /// Measures the process, and returns free memory if it has grown.
    ///
    /// - Parameters:
    ///   - resident: Returns the resident memory in bytes, or `nil` if the kernel does not report it.
    ///   - returnFree: Returns free memory to the kernel.
    /// - Returns: Whether free memory was returned.
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
