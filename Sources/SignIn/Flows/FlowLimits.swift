/// Limits on the number, size and duration of flows.
public struct FlowLimits: Hashable, Sendable {
    /// The maximum number of open flows that one owner (a local uid or a browser) can have.
    public let perOwner: Int
    /// The maximum number of open flows in total.
    public let total: Int

    /// Creates limits with the numbers of open flows that the operator has configured.
    public init(perOwner: Int = 8, total: Int = 256) {
        self.perOwner = perOwner
        self.total = total
    }

    static let flowLife: Duration = .seconds(900)
    /// How long a step stays open if its check does not specify a lifetime.
    static let stepLife: Duration = .seconds(300)
    /// How long a user can take to sign in at an identity provider.
    public static let browserLife: Duration = .seconds(600)
    /// The time limit for one evaluation, such as the comparison of a password.
    static let evaluation: Duration = .seconds(20)
    /// How long a flow is stored after it has ended, so that lost responses can be repeated.
    static let terminalKept: Duration = .seconds(120)
    /// The maximum time that one call can wait for a flow to change.
    public static let longestWait: Duration = .seconds(60)
    /// The minimum time between two codes for the same address.
    static let resendPause: Duration = .seconds(30)
    /// The maximum number of e-mail messages that one flow can send.
    static let mailsPerFlow = 5
    /// The maximum number of malformed answers to one step.
    ///
    /// One more malformed answer ends the flow.
    static let malformedPerStep = 20
    /// The maximum number of answers in one flow.
    ///
    /// One more answer ends the flow.
    static let submissionsPerFlow = 64
    /// The maximum number of members in the `answers` object of a submission.
    public static let answerFields = 32
    /// The maximum size of the `answers` object of a submission, in bytes.
    public static let answerBytes = 16_384
    /// The maximum length of a submission id or request id, in characters.
    static let idLength = 64
    /// The maximum length of a current password or a PIN, in characters (policies limit new passwords).
    static let passwordLength = 256
    /// The maximum length of a sign-in name, in characters.
    static let nameLength = 254
}
