/// The abilities of a program that shows flows to a person, and the person's language.
public struct Presentation: Hashable, Sendable, Codable {
    /// The language of texts; nil for that of the policy.
    public let language: LanguageTag?
    /// The kinds of steps that the program shows; with ``StepType/form`` every kind.
    public let steps: Set<StepType>

    /// A program that shows every step by its nodes, in the language of the policy.
    public init(language: LanguageTag? = nil, steps: Set<StepType> = [.form]) {
        self.language = language
        self.steps = steps
    }

    /// True for a step that the program shows.
    public func shows(_ step: StepType) -> Bool { steps.contains(.form) || steps.contains(step) }
}
