/// Limits of number, size and time.
public struct FlowLimits: Hashable, Sendable {
    /// The most open flows of one uid.
    public let perOwner: Int
    /// The most open flows of all.
    public let total: Int

    /// Limits that an operator may set.
    public init(perOwner: Int = 8, total: Int = 256) {
        self.perOwner = perOwner
        self.total = total
    }

    /// A flow's whole life.
    static let flowLife: Duration = .seconds(900)
    /// A step's life where its check says nothing else.
    static let stepLife: Duration = .seconds(300)
    /// The time that one evaluation may take.
    static let evaluation: Duration = .seconds(20)
    /// The time for which a flow that has ended is kept for replies that were lost.
    static let terminalKept: Duration = .seconds(120)
    /// The longest that `wait` waits.
    public static let longestWait: Duration = .seconds(60)
    /// The time between two codes.
    static let resendPause: Duration = .seconds(30)
    /// The most mails of one flow.
    static let mailsPerFlow = 5
    /// The most malformed answers to one step that leave the flow open.
    static let malformedPerStep = 20
    /// The most answers that one flow takes; beyond it ends.
    static let submissionsPerFlow = 64
    /// The most members of `answers`.
    public static let answerFields = 32
    /// The most bytes of `answers`.
    public static let answerBytes = 16_384
    /// The most characters of a submission's or a request's id.
    static let idLength = 64
    /// The most characters of a password that is offered at sign-in; policies allow fewer where one is set.
    static let passwordLength = 256
    /// The most characters of a sign-in name.
    static let nameLength = 254
}
