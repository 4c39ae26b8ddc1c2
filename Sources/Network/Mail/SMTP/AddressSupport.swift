public import Moments
import OAuth

/// Whether a mail server can send to addresses whose part before the `@` is not ASCII (SMTPUTF8, RFC 6531).
///
/// An actor because callers share the last response of the server and a query in progress.
public actor AddressSupport {
    /// How long a response of the server is reused.
    static let lifetime: Duration = .seconds(600)
    /// How long the server is not queried again after it has not responded.
    static let pause: Duration = .seconds(60)

    private let ask: @Sendable () async throws(MailError) -> Bool
    private let clock: MomentClock
    private var known: (isOffered: Bool, ends: Deadline)?
    private var asking: Task<Bool, Never>?

    /// Creates a value that asks the mail server of `client` when the first such address is checked.
    public init(_ client: SMTPClient, clock: MomentClock) {
        let client = client.limited(to: .question)
        self.init(clock: clock) { () throws(MailError) in try await client.offersSMTPUTF8() }
    }

    init(clock: MomentClock, asking ask: @escaping @Sendable () async throws(MailError) -> Bool) {
        self.ask = ask
        self.clock = clock
    }

    /// Whether the server takes an address, which is assumed while the server cannot be reached.
    public func takes(_ address: String) async -> Bool {
        MailAddress.hasASCIILocalPart(address) ? true : await isOffered()
    }

    private func isOffered() async -> Bool {
        if let known, !known.ends.hasPassed(at: clock.now) { return known.isOffered }
        if let asking { return await asking.value }
        let task = Task { await answer() }
        asking = task
        return await task.value
    }

    private func answer() async -> Bool {
        let answer = try? await ask()
        let isOffered = answer ?? true
        known = (isOffered, Deadline(answer == nil ? Self.pause : Self.lifetime, after: clock.now))
        asking = nil
        return isOffered
    }
}
