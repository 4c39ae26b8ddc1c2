public import FlowModel

/// A client-side error, as opposed to a `BrokerError`, which is the broker's refusal of a call.
public struct ClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of errors that callers can distinguish.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// No broker is listening at any of the paths.
        case unreachable
        /// The server that is listening is not trusted with secrets.
        case untrustedServer
        /// The connection was closed before the response arrived.
        case disconnected
        /// The response did not arrive in time.
        case deadlinePassed
        /// The response cannot be read.
        case unreadableAnswer
        /// The client has no handler for a step of the flow.
        case unhandledChallenge
        /// The flow ended without success. ``ClientError/flow`` contains its final state.
        case flowEnded
    }

    /// The kind of error.
    public let code: Code
    /// The error message for users, in English and as a reference to the catalogs.
    package let said: EnglishText
    /// The flow's final state for ``Code/flowEnded``, or `nil` for any other code.
    public let flow: Flow?
    /// The paths that were tried, if nothing is listening at any of them, or an empty array for any other error.
    public let silentPaths: [String]

    init(_ code: Code, _ reason: Reason, flow: Flow? = nil, silentPaths: [String] = []) {
        self.code = code
        said = reason.said
        self.flow = flow
        self.silentPaths = silentPaths
    }

    /// The English error message for users.
    public var description: String { said.english }
}

extension ClientError: TextualError {}
