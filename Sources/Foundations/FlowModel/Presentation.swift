/// The abilities of a program that shows flows to a person, and the person's language.
public struct Presentation: Hashable, Sendable, Codable {
    /// The language of texts; nil for that of the policy.
    public let language: LanguageTag?
    /// The kinds of steps that the program shows; with ``StepType/form`` every kind whose nodes are all there is to it.
    public let steps: Set<StepType>

    /// A program that shows every step by its nodes, in the language of the policy.
    public init(language: LanguageTag? = nil, steps: Set<StepType> = [.form]) {
        self.language = language
        self.steps = steps
    }

    /// True for a step that the program shows; the way to a provider takes more than a form.
    public func shows(_ step: StepType) -> Bool {
        steps.contains(step) || (steps.contains(.form) && step != .provider)
    }

    /// The same program where somebody else sees to the way to a provider.
    public var withProviders: Presentation { Presentation(language: language, steps: steps.union([.provider])) }

    /// The same where a browser shows the steps, which can go to a provider.
    public var inBrowser: Presentation { Presentation(language: language, steps: [.form, .provider]) }
}
