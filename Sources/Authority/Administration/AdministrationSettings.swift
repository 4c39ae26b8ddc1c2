/// The administration's part of the configuration: the operators, and the limits on what they may do.
public struct AdministrationSettings: Hashable, Sendable {
    /// The uids that are operators of a service.
    public let operatorUIDs: Set<UInt32>
    /// The groups whose members are operators of a service.
    public let operatorGIDs: Set<UInt32>
    /// The daemon's own uid.
    public let daemonUID: UInt32
    /// True for a daemon that serves one user, its own, rather than all.
    public let isPersonal: Bool
    /// True if nobody may sign up, invited or not.
    public let isSignUpClosed: Bool

    /// The settings; parameters left out have the defaults.
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
