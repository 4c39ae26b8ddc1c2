/// The mails that one uid may have sent; an operator may set it.
public struct MailLimits: Hashable, Sendable {
    /// Mails in ten minutes.
    public let perOrigin: Int
    /// Mails in 24 hours.
    public let perOriginDaily: Int

    /// Limits of one uid.
    public init(perOrigin: Int = 30, perOriginDaily: Int = 200) {
        self.perOrigin = perOrigin
        self.perOriginDaily = perOriginDaily
    }
}
