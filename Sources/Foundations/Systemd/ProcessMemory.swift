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

/// Tells by the size of a process when memory that is free is worth handing back to the kernel: after it has grown.
public struct MemoryWatch: Sendable {
    private let growth: Int
    private var least = Int.max

    /// A watch of a process that has not been looked at yet.
    ///
    /// - Parameter growth: Bytes more than at the smallest look so far, from which on free memory is handed back.
    public init(growth: Int) {
        self.growth = growth
    }

    /// Looks once.
    ///
    /// - Parameters:
    ///   - resident: Returns the bytes of the process that are in memory; nil where the kernel does not tell.
    ///   - returnFree: Hands free memory back.
    /// - Returns: True if it was handed back.
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
