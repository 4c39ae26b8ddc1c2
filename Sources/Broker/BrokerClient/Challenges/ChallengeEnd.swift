public import BrokerAPI
public import OAuth

/// The good end of a flow, as the handlers are told that answered it.
public struct ChallengeSuccess: Sendable {
    /// The flow at its end.
    public let flow: FlowDocument
    /// The account of the token that the flow was for, or of the person who signed in elsewhere.
    public let account: String?

    /// The word of a realm's identity provider about the person, `{id, displayName, authBy, attributes}`; nil if none was asked.
    public var userIdentity: JSONValue? { flow.userIdentity }
}

/// The other end of a flow, as the handlers are told that were asked.
public struct ChallengeFailure: Sendable {
    /// The flow in its last known state.
    public let flow: FlowDocument
    /// The error that the call throws which needed the flow.
    public let error: any Error

    /// A sentence for people, such as that there were too many wrong answers.
    public var message: String { (error as? ClientError)?.description ?? "\(error)" }

    /// Milliseconds after which to try again, if there were too many wrong answers.
    public var retryAfterMs: Int64? { flow.retryAfterMs }
}
