public import BrokerAPI

/// What goes wrong on this side of the socket; what the broker refuses is a ``BrokerAPI/BrokerError``.
public struct ClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What callers tell apart.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// No broker listens at any of the places.
        case unreachable
        /// Somebody listens who must not be told secrets.
        case untrustedServer
        /// The connection ended before the answer came.
        case disconnected
        /// The answer did not come in time.
        case deadlinePassed
        /// The answer cannot be read.
        case unreadableAnswer
        /// A step of the flow has no handler.
        case unhandledChallenge
        /// The flow ended without success; ``ClientError/flow`` says how.
        case flowEnded
    }

    /// What callers tell apart.
    public let code: Code
    /// A sentence for people.
    public let description: String
    /// How the flow ended.
    public let flow: FlowDocument?

    init(_ code: Code, _ description: String, flow: FlowDocument? = nil) {
        self.code = code
        self.description = description
        self.flow = flow
    }
}
