public import Policies

/// What the configuration says about the broker.
public struct BrokerSettings: Hashable, Sendable {
    /// The daemon's version.
    public let version: String
    /// The policy where none is named and none is known.
    public let defaultPolicy: PolicyID
    /// The uids that are operators of a service; members of configured groups are among them.
    public let operatorUIDs: Set<UInt32>
    /// The groups that are operators of a service.
    public let operatorGIDs: Set<UInt32>
    /// The daemon's own uid.
    public let daemonUID: UInt32
    /// Whether the daemon serves one user, its own, rather than all.
    public let isPersonal: Bool
    /// Whether nobody may sign up, invited or not.
    public let isSignUpClosed: Bool
    /// Limits that clients are told, by name.
    public let limits: [String: Int64]

    /// What the configuration says about the broker.
    public init(
        version: String,
        defaultPolicy: PolicyID,
        operatorUIDs: Set<UInt32> = [0],
        operatorGIDs: Set<UInt32> = [],
        daemonUID: UInt32,
        isPersonal: Bool,
        isSignUpClosed: Bool = false,
        limits: [String: Int64] = [:]
    ) {
        self.version = version
        self.defaultPolicy = defaultPolicy
        self.operatorUIDs = operatorUIDs
        self.operatorGIDs = operatorGIDs
        self.daemonUID = daemonUID
        self.isPersonal = isPersonal
        self.isSignUpClosed = isSignUpClosed
        self.limits = limits
    }
}
