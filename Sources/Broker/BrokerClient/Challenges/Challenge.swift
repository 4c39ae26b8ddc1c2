public import BrokerAPI
public import FlowModel
public import OAuth

/// A step of a flow that a handler is asked to answer.
public struct Challenge: Sendable {
    /// The flow that the step belongs to.
    public let flow: Flow
    /// The open step.
    public let step: Step
    /// The broker's refusal of the previous answer, or `nil` if there is none.
    public let refusal: BrokerError?

    /// Creates a challenge for an open step.
    public init(flow: Flow, step: Step, refusal: BrokerError? = nil) {
        self.flow = flow
        self.step = step
        self.refusal = refusal
    }

    /// The problems with the previous answer, each with the node that it concerns, or an empty array if there are none.
    public var problems: [NodeProblem] { refusal?.nodes ?? [] }

    /// Whether the step offers `action`.
    public func offers(_ action: String) -> Bool { step.actions.contains { $0.name.rawValue == action } }
}

extension Challenge {
    /// The challenge as JSON, in the format that frameworks with challenge handlers use.
    ///
    /// An example is `{"challenges": {"PinCodeAttempts": {"errorMsg": null, "remainingAttempts": 2}}}`. The key is the
    /// check's name, or the step's type if it has no check. If the realm sent `data.challenge`, its members are added.
    public var json: JSONValue {
        var members: [String: JSONValue] = [:]
        if case .object(let own)? = step.data?["challenge"] { members = own }
        let error = step.messages.first { $0.level == .error }?.text ?? problems.first?.text
        members["errorMsg"] = error.map { .string($0) } ?? .null
        if let attempts = step.attempts { members["remainingAttempts"] = .int(Int64(attempts.remaining)) }
        return ["challenges": .object([step.check ?? step.type.rawValue: .object(members)])]
    }

    /// The realm whose identity provider requires the step, or `nil` for one of the broker's own checks.
    public var realm: String? { step.data?["realm"]?.string }
}

/// A handler's answer to a challenge.
public enum Answer: Sendable {
    /// The user's input, by node name.
    case fields([String: JSONValue])
    /// An action instead of input, such as `resend` or `back`.
    case action(String, value: String? = nil)
    /// Cancels the flow. The call that needed the flow fails and is not repeated.
    case cancel(reason: String? = nil)

    /// Creates ``fields(_:)`` with string values.
    public static func texts(_ fields: [String: String]) -> Answer {
        .fields(fields.mapValues(JSONValue.string))
    }
}

/// The details that handlers receive when a flow that they answered succeeds.
public struct ChallengeSuccess: Sendable {
    /// The flow in its final state.
    public let flow: Flow
    /// The account that the token belongs to, or the account of the user who signed in with a browser.
    public let account: String?

    /// The user as described by the realm, `{id, displayName, authBy, attributes}`, or `nil` if no realm took part.
    public var userIdentity: JSONValue? { flow.userIdentity?.claim }
}

/// The details that handlers receive when a flow that they were called for fails.
public struct ChallengeFailure: Sendable {
    /// The flow in its last known state.
    public let flow: Flow
    /// The error thrown by the call that needed the flow.
    public let error: any Error

    /// The English error message for users, for example that there were too many incorrect answers.
    public var message: String { (error as? ClientError)?.description ?? "\(error)" }

    /// The milliseconds to wait before trying again if there were too many incorrect answers, or `nil` otherwise.
    public var retryAfterMs: Int64? { flow.retryAfterMs }
}
