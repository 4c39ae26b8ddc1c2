/// The steps that a program can display to its user, and the user's language.
public struct Presentation: Hashable, Sendable, Codable {
    /// The language to display steps in, or `nil` for the policy's language.
    public let language: LanguageTag?
    /// The kinds of steps that the program displays; ``StepType/form`` stands for all but the redirect to a provider.
    public let steps: Set<StepType>

    /// Creates a presentation, by default in the policy's language and with all steps but the redirect to a provider.
    public init(language: LanguageTag? = nil, steps: Set<StepType> = [.form]) {
        self.language = language
        self.steps = steps
    }

    /// Whether the program can display `step`; ``StepType/form`` stands for all but the redirect to a provider.
    public func shows(_ step: StepType) -> Bool {
        steps.contains(step) || (steps.contains(.form) && step != .provider)
    }

    /// A copy that includes the redirect to a provider, for a program whose user signs in at the provider in a browser.
    public var withProviders: Presentation { Presentation(language: language, steps: steps.union([.provider])) }

    /// The presentation for a browser, which displays every step and can be redirected to a provider.
    public var inBrowser: Presentation { Presentation(language: language, steps: [.form, .provider]) }
}
