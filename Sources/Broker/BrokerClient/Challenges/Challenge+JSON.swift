import BrokerAPI
import FlowModel
public import OAuth

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
        return ["challenges": .object([step.check ?? step.type: .object(members)])]
    }

    /// The realm of the identity provider that asks; nil for a check of the broker's own.
    public var realm: String? { step.data?["realm"]?.string }
}
