public import OAuth

/// An alternative to the current step, which is another second factor or an external provider.
public struct StepChoice: Hashable, Sendable {
    /// The key under which a step's `data` lists the second factors to choose from.
    public static let member = "choices"
    /// The key under which a step's `data` lists external providers; choosing one continues the flow in a browser.
    public static let providers = "providers"

    /// The value that the client sends with the action ``Action/Name/choose`` to select this choice.
    public let value: String
    /// The human-readable name of the choice, in the language of the step.
    public let label: String

    /// Creates a choice from its value and its label in the language of the step.
    public init(value: String, label: String) {
        self.value = value
        self.label = label
    }

    /// Returns the choices that a member of a step's `data` lists, or an empty array if the member is missing.
    public static func all(in data: JSONValue?, _ member: String = Self.member) -> [StepChoice] {
        (data?[member]?.array ?? []).compactMap { choice in
            choice["value"]?.string.map { StepChoice(value: $0, label: choice["label"]?.string ?? $0) }
        }
    }

    /// The JSON form of the choice.
    public var json: JSONValue { ["value": .string(value), "label": .string(label)] }
}
