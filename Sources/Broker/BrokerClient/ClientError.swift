public import FlowModel

/// An error that occurs in the client.
///
/// If the broker refuses a call, the error is a `BrokerError` instead.
public struct ClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of errors that callers can distinguish.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// No broker responds at any of the socket paths.
        case unreachable
        /// The server that listens on the socket is not trusted with secrets.
        case untrustedServer
        /// The connection was closed before the response arrived.
        case disconnected
        /// The response did not arrive in time.
        case deadlinePassed
        /// The response cannot be read.
        case unreadableAnswer
        /// The client has no handler for a step of the flow.
        case unhandledChallenge
        /// The flow ended without success.
        ///
        /// ``ClientError/flow`` contains the final state of the flow.
        case flowEnded
    }

    /// The kind of error.
    public let code: Code
    /// The error message for users, in English and as a reference to the message catalogs.
    package let said: EnglishText
    /// The flow that the error concerns, or `nil` if the error does not concern a flow.
    ///
    /// If ``code`` is ``Code/flowEnded``, this is the final state of the flow.
    public let flow: Flow?
    /// The socket paths that were tried, if no process is listening at any of them.
    ///
    /// For any other error, this array is empty.
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
