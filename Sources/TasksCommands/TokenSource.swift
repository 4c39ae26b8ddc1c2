import BrokerClient
import FlowModel
import OAuth
import Synchronization

/// The source of tokens for the API's client: asks the broker, but not again for each of many requests.
final class TokenSource: Sendable {
    /// The longest time that a token is used without asking the broker for it again.
    static let longest: Duration = .seconds(5)

    private let request: AcquireRequest
    private let broker: BrokerClient
    private let current: CurrentAccount
    private let kept = Mutex<(token: Secret, until: ContinuousClock.Instant)?>(nil)

    /// - Parameters:
    ///   - request: The request for a token.
    ///   - broker: The broker.
    ///   - current: The note of the current account.
    init(request: AcquireRequest, broker: BrokerClient, current: CurrentAccount) {
        self.request = request
        self.broker = broker
        self.current = current
    }

    /// A token; a new one if `forceRefresh` is set, since one was refused.
    func token(_ forceRefresh: Bool) async throws -> Secret {
        let now = ContinuousClock.now
        if !forceRefresh, let kept = kept.withLock({ $0 }), now < kept.until { return kept.token }
        var request = request
        request.forceRefresh = forceRefresh
        let token = try await broker.acquireToken(request)
        // Whoever was asked, and signed in, is the current account from now on.
        if request.account == nil { try current.set(token.account) }
        kept.withLock { $0 = (token.accessToken, now + Self.longest) }
        return token.accessToken
    }
}
