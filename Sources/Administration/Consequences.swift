public import FlowModel

/// The effects that an operator's change has outside of the authority: on cached tokens, open flows and waiting mail.
public struct Consequences: Sendable {
    let changed: @Sendable () -> Void
    let userLeft: @Sendable (UserID) async -> Void
    let userChanged: @Sendable (UserID) async -> Void
    let mailQueued: @Sendable () -> Void

    /// The effects.
    ///
    /// - Parameters:
    ///   - changed: Clients, keys or people are not what they were; a remembered answer stands no longer.
    ///   - userLeft: A user is disabled or deleted, and has no token or flow any more.
    ///   - userChanged: A user's tokens say what is no longer so.
    ///   - mailQueued: A mail waits.
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
