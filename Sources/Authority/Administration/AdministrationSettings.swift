/// Settings that determine which callers are operators, and whether sign-up is closed.
public struct AdministrationSettings: Hashable, Sendable {
    /// The uids of the operators, which a per-user daemon ignores.
    public let operatorUIDs: Set<UInt32>
    /// The gids of the groups whose members are operators, which a per-user daemon ignores.
    public let operatorGIDs: Set<UInt32>
    /// The uid that the daemon runs as.
    public let daemonUID: UInt32
    /// Whether the daemon is a per-user daemon.
    public let isPersonal: Bool
    /// Whether sign-up is closed to all users, including users with an invitation.
    public let isSignUpClosed: Bool

    /// Creates settings with defaults for omitted parameters.
    public init(
        operatorUIDs: Set<UInt32> = [0],
        operatorGIDs: Set<UInt32> = [],
        daemonUID: UInt32,
        isPersonal: Bool,
        isSignUpClosed: Bool = false
    ) {
        self.operatorUIDs = operatorUIDs
        self.operatorGIDs = operatorGIDs
        self.daemonUID = daemonUID
        self.isPersonal = isPersonal
        self.isSignUpClosed = isSignUpClosed
    }
}
