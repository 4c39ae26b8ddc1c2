public import OAuth

/// An alternative to the current step: another second factor or an external provider.
public struct StepChoice: Hashable, Sendable {
    /// The name of the member in a step's `data` that lists second factors.
    public static let member = "choices"
    /// The name of the member in a step's `data` that lists providers.
    ///
    /// If the user chooses a provider, the flow continues in a browser.
    public static let providers = "providers"

    /// The value of the action ``Action/Name/choose``.
    public let value: String
    /// The label of the choice.
    public let label: String

    /// Creates a choice with its label in the language of the step.
    public init(value: String, label: String) {
        self.value = value
        self.label = label
    }

    /// Returns the choices listed in a member of a step's `data`, or an empty array if there are none.
    public static func all(in data: JSONValue?, _ member: String = Self.member) -> [StepChoice] {
        (data?[member]?.array ?? []).compactMap { choice in
            choice["value"]?.string.map { StepChoice(value: $0, label: choice["label"]?.string ?? $0) }
        }
    }

    /// The JSON form of the choice.
    public var json: JSONValue { ["value": .string(value), "label": .string(label)] }
}
