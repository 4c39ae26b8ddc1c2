/// Limits on the number, size and duration of flows.
public struct FlowLimits: Hashable, Sendable {
    /// The maximum number of open flows per owner.
    public let perOwner: Int
    /// The maximum number of open flows in total.
    public let total: Int

    /// Creates limits, which an operator can configure.
    public init(perOwner: Int = 8, total: Int = 256) {
        self.perOwner = perOwner
        self.total = total
    }

    static let flowLife: Duration = .seconds(900)
    /// How long a step stays open if its check does not specify a lifetime.
    static let stepLife: Duration = .seconds(300)
    /// How long a user's visit to a provider can take.
    public static let browserLife: Duration = .seconds(600)
    /// The time limit of one evaluation.
    static let evaluation: Duration = .seconds(20)
    /// How long a flow is stored after it has ended, so that lost responses can be repeated.
    static let terminalKept: Duration = .seconds(120)
    /// The maximum time that one call can wait.
    public static let longestWait: Duration = .seconds(60)
    /// The minimum time between sending two codes.
    static let resendPause: Duration = .seconds(30)
    /// The maximum number of e-mail messages that one flow can send.
    static let mailsPerFlow = 5
    /// The maximum number of malformed answers to one step (the next one ends the flow).
    static let malformedPerStep = 20
    /// The maximum number of answers to one flow (the next one ends the flow).
    static let submissionsPerFlow = 64
    /// The maximum number of members of `answers`.
    public static let answerFields = 32
    /// The maximum size of `answers`, in bytes.
    public static let answerBytes = 16_384
    /// The maximum length of the id of a submission or request, in characters.
    static let idLength = 64
    /// The maximum length of a password entered at sign-in, in characters (policies limit new passwords further).
    static let passwordLength = 256
    /// The maximum length of a sign-in name, in characters.
    static let nameLength = 254
}
