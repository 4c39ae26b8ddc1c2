public import FlowModel

/// Callbacks that apply an operator's change to cached tokens, open flows and queued mail.
public struct AdministrationCallbacks: Sendable {
    let changed: @Sendable () -> Void
    let userLeft: @Sendable (UserID) async -> Void
    let userChanged: @Sendable (UserID) async -> Void
    let mailQueued: @Sendable () -> Void
    let takesAddress: @Sendable (String) async -> Bool

    /// Creates callbacks from closures.
    ///
    /// - Parameters:
    ///   - changed: Called after a change to clients, keys or users, to invalidate cached decisions.
    ///   - userLeft: Called after a user is disabled or deleted, to remove the user's cached tokens and end flows.
    ///   - userChanged: Called after a change that makes the claims in a user's tokens outdated.
    ///   - mailQueued: Called after a mail is queued for delivery.
    ///   - takesAddress: Returns whether mail can be sent to an address.
    public init(
        changed: @escaping @Sendable () -> Void,
        userLeft: @escaping @Sendable (UserID) async -> Void,
        userChanged: @escaping @Sendable (UserID) async -> Void,
        mailQueued: @escaping @Sendable () -> Void,
        takesAddress: @escaping @Sendable (String) async -> Bool = { _ in true }
    ) {
        self.changed = changed
        self.userLeft = userLeft
        self.userChanged = userChanged
        self.mailQueued = mailQueued
        self.takesAddress = takesAddress
    }
}
