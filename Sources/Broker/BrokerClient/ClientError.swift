public import FlowModel

/// An error of this side of the socket; a refusal of the broker is a `BrokerError`.
public struct ClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The causes that callers tell apart.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// No broker listens at any of the paths.
        case unreachable
        /// The server that listens is not trusted with secrets.
        case untrustedServer
        /// The connection ended before the answer came.
        case disconnected
        /// The answer did not come in time.
        case deadlinePassed
        /// The answer cannot be read.
        case unreadableAnswer
        /// A step of the flow has no handler.
        case unhandledChallenge
        /// The flow ended without success; ``ClientError/flow`` is its last state.
        case flowEnded
    }

    /// The cause.
    public let code: Code
    /// A sentence for people.
    public let description: String
    /// The flow in its last state, for ``Code/flowEnded``.
    public let flow: Flow?
    /// The paths, for ``Code/unreachable``, if nothing listens at any of them; empty if there is another reason.
    public let silentPaths: [String]

    init(_ code: Code, _ description: String, flow: Flow? = nil, silentPaths: [String] = []) {
        self.code = code
        self.description = description
        self.flow = flow
        self.silentPaths = silentPaths
    }
}
