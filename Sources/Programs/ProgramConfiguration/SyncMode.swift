/// The time at which tasks are brought up to date with the API.
public enum SyncMode: String, CaseIterable, Sendable {
    /// With every command, where the API can be reached.
    case auto
    /// By `tasks sync` alone.
    case manual
}
