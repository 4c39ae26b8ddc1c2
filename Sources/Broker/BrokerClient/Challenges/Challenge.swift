public import BrokerAPI
public import FlowModel
public import OAuth

/// A request to a handler to answer a step of a flow.
public struct Challenge: Sendable {
    /// The flow that the step belongs to.
    public let flow: Flow
    /// The open step.
    public let step: Step
    /// The broker's refusal of the previous answer, or `nil` if the broker did not refuse an answer.
    public let refusal: BrokerError?

    /// Creates a challenge for an open step.
    public init(flow: Flow, step: Step, refusal: BrokerError? = nil) {
        self.flow = flow
        self.step = step
        self.refusal = refusal
    }

    /// The problems with the previous answer, if there are any, each with the node that it concerns.
    public var problems: [NodeProblem] { refusal?.nodes ?? [] }

    /// Whether the step offers the action named `action`.
    public func offers(_ action: String) -> Bool { step.actions.contains { $0.name.rawValue == action } }
}

extension Challenge {
    /// The challenge as JSON, in the format that frameworks with challenge handlers use.
    ///
    /// An example is `{"challenges": {"PinCodeAttempts": {"errorMsg": null, "remainingAttempts": 2}}}`, in which
    /// `PinCodeAttempts` is the step's check, or the step's type if it has no check. If a realm supplies
    /// `data.challenge` in the step, its members are added next to `errorMsg`.
    public var json: JSONValue {
        var members: [String: JSONValue] = [:]
        if case .object(let own)? = step.data?["challenge"] { members = own }
        let error = step.messages.first { $0.level == .error }?.text ?? problems.first?.text
        members["errorMsg"] = error.map { .string($0) } ?? .null
        if let attempts = step.attempts { members["remainingAttempts"] = .int(Int64(attempts.remaining)) }
        return ["challenges": .object([step.check ?? step.type.rawValue: .object(members)])]
    }

    /// The realm whose identity provider requires the step, or `nil` if the step does not come from a realm.
    public var realm: String? { step.data?["realm"]?.string }
}

/// A handler's answer to a challenge.
public enum Answer: Sendable {
    /// The user's input, keyed by the name of the node.
    case fields([String: JSONValue])
    /// An action instead of input, such as `resend` or `back`.
    case action(String, value: String? = nil)
    /// Cancels the flow, so that the call that needed the flow fails and is not repeated.
    case cancel(reason: String? = nil)

    /// Creates the answer ``fields(_:)`` from string values.
    public static func texts(_ fields: [String: String]) -> Answer {
        .fields(fields.mapValues(JSONValue.string))
    }
}

/// The details that handlers receive when a flow whose steps they answered succeeds.
public struct ChallengeSuccess: Sendable {
    /// The flow in its final state.
    public let flow: Flow
    /// The account that the flow's token belongs to, or `nil` if the account is unknown.
    ///
    /// If the flow returns no token, this is the account of the user who signed in with a browser.
    public let account: String?

    /// The realm's description of the user, `{id, displayName, authBy, attributes}`, or `nil` if no realm was involved.
    public var userIdentity: JSONValue? { flow.userIdentity?.claim }
}

/// The details that handlers receive when a flow whose steps they were asked to answer fails.
public struct ChallengeFailure: Sendable {
    /// The flow in its last known state.
    public let flow: Flow
    /// The error thrown by the call that needed the flow.
    public let error: any Error

    /// The English error message for users, for example that there were too many incorrect answers.
    public var message: String { (error as? ClientError)?.description ?? "\(error)" }

    /// How long the user must wait after too many incorrect answers, in milliseconds, or `nil` in any other case.
    public var retryAfterMs: Int64? { flow.retryAfterMs }
}
