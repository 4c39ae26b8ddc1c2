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
    /// A sentence for people, in English and as a text.
    package let said: EnglishText
    /// The flow in its last state, for ``Code/flowEnded``.
    public let flow: Flow?
    /// The paths, for ``Code/unreachable``, if nothing listens at any of them; empty if there is another reason.
    public let silentPaths: [String]

    init(_ code: Code, _ reason: Reason, flow: Flow? = nil, silentPaths: [String] = []) {
        self.code = code
        said = reason.said
        self.flow = flow
        self.silentPaths = silentPaths
    }

    /// A sentence for people.
    public var description: String { said.english }
}

extension ClientError: TextualError {}
