/// The default paths of the broker socket, which are the same for the daemon and its clients.
public enum BrokerSocketPath {
    /// The path of the system service's socket.
    public static let service = "/run/tokenbroker/tokenbroker.sock"

    /// Returns the path of the per-user daemon's socket, from the value of `XDG_RUNTIME_DIR` and the uid.
    ///
    /// If the variable is not an absolute path, as after `su -` or in a cron job, systemd's default directory applies.
    public static func user(runtimeDirectory: String?, uid: UInt32) -> String {
        var directory = isUsable(runtimeDirectory) ? runtimeDirectory ?? "" : "/run/user/\(uid)"
        if directory.hasSuffix("/") { directory.removeLast() }
        return directory + "/tokenbroker/tokenbroker.sock"
    }

    /// Returns the paths that a client tries, in this order.
    ///
    /// Without `XDG_RUNTIME_DIR`, root's daemon is the service.
    public static func all(runtimeDirectory: String?, uid: UInt32) -> [String] {
        guard uid != 0 || isUsable(runtimeDirectory) else { return [service] }
        return [user(runtimeDirectory: runtimeDirectory, uid: uid), service]
    }

    /// Whether a value of `XDG_RUNTIME_DIR` is an absolute path, because XDG ignores relative paths.
    public static func isUsable(_ runtimeDirectory: String?) -> Bool { runtimeDirectory?.hasPrefix("/") ?? false }
}
