/// Limits of number, size and time.
public struct FlowLimits: Hashable, Sendable {
    /// The greatest number of open flows of one owner.
    public let perOwner: Int
    /// The greatest number of open flows of all owners.
    public let total: Int

    /// Limits that an operator may set.
    public init(perOwner: Int = 8, total: Int = 256) {
        self.perOwner = perOwner
        self.total = total
    }

    /// The life of a flow.
    static let flowLife: Duration = .seconds(900)
    /// The life of a step whose check sets none.
    static let stepLife: Duration = .seconds(300)
    /// The life of a person's way to a provider and back.
    public static let browserLife: Duration = .seconds(600)
    /// The time that one evaluation may take.
    static let evaluation: Duration = .seconds(20)
    /// The time for which a flow that has ended is kept, so that lost replies can be repeated.
    static let terminalKept: Duration = .seconds(120)
    /// The longest wait of one call.
    public static let longestWait: Duration = .seconds(60)
    /// The least time between two codes.
    static let resendPause: Duration = .seconds(30)
    /// The greatest number of mails of one flow.
    static let mailsPerFlow = 5
    /// The greatest number of malformed answers to one step that leave the flow open.
    static let malformedPerStep = 20
    /// The greatest number of answers to one flow; one more ends it.
    static let submissionsPerFlow = 64
    /// The greatest number of members of `answers`.
    public static let answerFields = 32
    /// The greatest size of `answers`, in bytes.
    public static let answerBytes = 16_384
    /// The greatest length of a submission's or a request's id, in characters.
    static let idLength = 64
    /// The greatest length of a password at sign-in, in characters; policies allow less for new ones.
    static let passwordLength = 256
    /// The greatest length of a sign-in name, in characters.
    static let nameLength = 254
}
