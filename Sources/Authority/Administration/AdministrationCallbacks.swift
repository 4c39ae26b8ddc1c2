public import FlowModel

/// The effects that an operator's change has outside of the authority: on cached tokens, open flows and waiting mail.
public struct AdministrationCallbacks: Sendable {
    let changed: @Sendable () -> Void
    let userLeft: @Sendable (UserID) async -> Void
    let userChanged: @Sendable (UserID) async -> Void
    let mailQueued: @Sendable () -> Void

    /// Names the effects.
    ///
    /// - Parameters:
    ///   - changed: Called after a change of clients, keys or people; remembered answers are no longer valid.
    ///   - userLeft: Called after a user was disabled or deleted, whose tokens and flows end.
    ///   - userChanged: Called after a change that makes claims in a user's tokens outdated.
    ///   - mailQueued: Called after a mail was queued.
    public init(
        changed: @escaping @Sendable () -> Void,
        userLeft: @escaping @Sendable (UserID) async -> Void,
        userChanged: @escaping @Sendable (UserID) async -> Void,
        mailQueued: @escaping @Sendable () -> Void
    ) {
        self.changed = changed
        self.userLeft = userLeft
        self.userChanged = userChanged
        self.mailQueued = mailQueued
    }
}
