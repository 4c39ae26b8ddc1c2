public import BrokerAPI
public import FlowModel
public import OAuth

/// A step of a flow that must be answered.
public struct Challenge: Sendable {
    /// The flow, with its purpose.
    public let flow: Flow
    /// The open step.
    public let step: Step
    /// The refusal of the previous answer; nil the first time.
    public let refusal: BrokerError?

    /// Makes a challenge for an open step.
    public init(flow: Flow, step: Step, refusal: BrokerError? = nil) {
        self.flow = flow
        self.step = step
        self.refusal = refusal
    }

    /// The problems of the previous answer, by node; empty the first time.
    public var problems: [NodeProblem] { refusal?.nodes ?? [] }

    /// True if the step offers `action`.
    public func offers(_ action: String) -> Bool { step.actions.contains { $0.name.rawValue == action } }
}

extension Challenge {
    /// The challenge as frameworks for challenge handlers write it:
    /// `{"challenges": {"PinCodeAttempts": {"errorMsg": null, "remainingAttempts": 2}}}`.
    ///
    /// The check's name stands for a step without a check, too: it is the step's type then. What a realm's provider asks
    /// (`data.challenge`) is passed through beside the two.
    public var json: JSONValue {
        var members: [String: JSONValue] = [:]
        if case .object(let own)? = step.data?["challenge"] { members = own }
        let error = step.messages.first { $0.level == .error }?.text ?? problems.first?.text
        members["errorMsg"] = error.map { .string($0) } ?? .null
        if let attempts = step.attempts { members["remainingAttempts"] = .int(Int64(attempts.remaining)) }
        return ["challenges": .object([step.check ?? step.type.rawValue: .object(members)])]
    }

    /// The realm of the identity provider that asks; nil for a check of the broker's own.
    public var realm: String? { step.data?["realm"]?.string }
}

/// An answer to a challenge.
public enum Answer: Sendable {
    /// The person's input, by the names of the nodes.
    case fields([String: JSONValue])
    /// An action instead of an input, such as `resend` or `back`.
    case action(String, value: String? = nil)
    /// The end of the flow: the call that needed it fails, and is not repeated.
    case cancel(reason: String? = nil)

    /// Makes ``fields(_:)`` of texts.
    public static func texts(_ fields: [String: String]) -> Answer {
        .fields(fields.mapValues(JSONValue.string))
    }
}

/// The good end of a flow, as the handlers are told that answered it.
public struct ChallengeSuccess: Sendable {
    /// The flow at its end.
    public let flow: Flow
    /// The account of the token that the flow was for, or of the person who signed in elsewhere.
    public let account: String?

    /// The word of a realm's identity provider about the person, `{id, displayName, authBy, attributes}`; nil if none was asked.
    public var userIdentity: JSONValue? { flow.userIdentity?.claim }
}

/// The other end of a flow, as the handlers are told that were asked.
public struct ChallengeFailure: Sendable {
    /// The flow in its last known state.
    public let flow: Flow
    /// The error that the call throws which needed the flow.
    public let error: any Error

    /// A sentence for people, such as that there were too many wrong answers.
    public var message: String { (error as? ClientError)?.description ?? "\(error)" }

    /// Milliseconds after which to try again, if there were too many wrong answers.
    public var retryAfterMs: Int64? { flow.retryAfterMs }
}
