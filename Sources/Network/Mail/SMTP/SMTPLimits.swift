/// Time limits for a mail server.
///
/// Far less than RFC 5321 §4.5.3.2 grants, because a mail waits on disk and is tried again; but whoever does not wait for the
/// answer to the mail itself sends it twice.
struct SMTPLimits: Sendable {
    /// Until the connection stands.
    var connect: Duration = .seconds(10)
    /// For one answer.
    var step: Duration = .seconds(20)
    /// From the connection to the beginning of the mail.
    var whole: Duration = .seconds(45)
    /// For the mail itself and the answer to it, beyond the rest (RFC 5321 §4.5.3.2.6).
    var verdict: Duration = .seconds(300)
    /// For the answer to QUIT, of which nothing depends.
    var farewell: Duration = .seconds(2)
    /// Time for an exchange under way to end after its task was cancelled.
    var afterCancellation: Duration = .seconds(5)
}
