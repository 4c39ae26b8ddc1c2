import CLinux

/// The memory of this process, which holds secrets.
public enum ProcessMemory {
    /// Refuses core dumps, and reading of this memory by other processes of the same uid.
    public static func denyDumps() throws(SystemError) {
        let code = clinux_deny_dumps()
        guard code == 0 else { throw SystemError("prctl(PR_SET_DUMPABLE)", code) }
    }
}
