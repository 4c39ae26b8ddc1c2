/// Limits on the mails that one owner may have sent; an operator may set them.
public struct MailLimits: Hashable, Sendable {
    /// Mails in ten minutes, at most.
    public let perOrigin: Int
    /// Mails in 24 hours, at most.
    public let perOriginDaily: Int

    /// Limits of one owner.
    public init(perOrigin: Int = 30, perOriginDaily: Int = 200) {
        self.perOrigin = perOrigin
        self.perOriginDaily = perOriginDaily
    }
}
