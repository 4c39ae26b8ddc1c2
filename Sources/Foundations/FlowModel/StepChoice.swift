public import OAuth

/// Something that may be chosen in place of what a step asks for: another second factor, or a provider outside.
public struct StepChoice: Hashable, Sendable {
    /// The member of a step's `data` that lists second factors.
    public static let member = "choices"
    /// The member that lists providers; whoever chooses one goes on in a browser.
    public static let providers = "providers"

    /// The value of the action ``Action/Name/choose``.
    public let value: String
    /// Its words for people.
    public let label: String

    /// A choice with its words in the language of the step.
    public init(value: String, label: String) {
        self.value = value
        self.label = label
    }

    /// The choices that a member of a step's `data` lists; empty if there are none.
    public static func all(in data: JSONValue?, _ member: String = Self.member) -> [StepChoice] {
        (data?[member]?.array ?? []).compactMap { choice in
            choice["value"]?.string.map { StepChoice(value: $0, label: choice["label"]?.string ?? $0) }
        }
    }

    /// The choice as it is written.
    public var json: JSONValue { ["value": .string(value), "label": .string(label)] }
}
