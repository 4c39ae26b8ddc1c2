/// The steps that a program can display to its user, and the user's language.
public struct Presentation: Hashable, Sendable, Codable {
    /// The language to display steps in, or `nil` for the policy's language.
    public let language: LanguageTag?
    /// The steps that the program displays.
    ///
    /// ``StepType/form`` stands for all steps that consist of nodes only.
    public let steps: Set<StepType>

    /// Creates a presentation.
    ///
    /// By default the program renders every step from its nodes, in the policy's language.
    public init(language: LanguageTag? = nil, steps: Set<StepType> = [.form]) {
        self.language = language
        self.steps = steps
    }

    /// Whether the program displays a step.
    ///
    /// ``StepType/form`` does not include the redirect to a provider.
    public func shows(_ step: StepType) -> Bool {
        steps.contains(step) || (steps.contains(.form) && step != .provider)
    }

    /// The same presentation with support for the redirect to a provider, which another component performs.
    public var withProviders: Presentation { Presentation(language: language, steps: steps.union([.provider])) }

    /// The presentation for a browser in the same language.
    ///
    /// A browser displays every step and can be redirected to a provider.
    public var inBrowser: Presentation { Presentation(language: language, steps: [.form, .provider]) }
}
