public import FlowModel

/// An error that occurs in the client, unlike a `BrokerError`, with which the broker refuses a call.
public struct ClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of errors that callers can distinguish.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// No broker responds at any of the socket paths.
        case unreachable
        /// The server that listens on the socket is not trusted with secrets.
        case untrustedServer
        /// The connection was closed before the response arrived.
        case disconnected
        case deadlinePassed
        case unreadableAnswer
        case unhandledChallenge
        /// The flow ended without success, in the state that ``ClientError/flow`` contains.
        case flowEnded
    }

    /// The kind of error.
    public let code: Code
    package let said: EnglishText
    /// The flow that the error concerns, if any, which is in its final state if ``code`` is ``Code/flowEnded``.
    public let flow: Flow?
    /// The socket paths that were tried, if no process is listening at any of them; empty for any other error.
    public let silentPaths: [String]

    /// Whether a default path was tried because `XDG_RUNTIME_DIR` is not set.
    package let lacksRuntimeDirectory: Bool

    init(_ code: Code, _ reason: Reason, flow: Flow? = nil, silentPaths: [String] = []) {
        self.code = code
        said = reason.said
        lacksRuntimeDirectory = if case .noBroker(_, lacksRuntimeDirectory: true) = reason { true } else { false }
        self.flow = flow
        self.silentPaths = silentPaths
    }

    /// The English error message for users.
    public var description: String { said.english }
}

extension ClientError: TextualError {}
