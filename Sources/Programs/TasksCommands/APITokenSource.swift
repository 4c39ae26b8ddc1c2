import BrokerClient
import FlowModel
import OAuth
import Synchronization
import TablesClient
import Terminal

/// Caches tokens from the broker briefly, and sends them only to origins that the daemon's configuration lists.
final class APITokenSource: Sendable {
    static let longest: Duration = .seconds(5)

    private let request: AcquireRequest
    private let address: APIAddress
    private let broker: BrokerClient
    private let current: CurrentAccount
    private let destination = Mutex<APISummary?>(nil)
    private let kept = Mutex<(token: Secret, until: ContinuousClock.Instant)?>(nil)

    init(request: AcquireRequest, for address: APIAddress, broker: BrokerClient, current: CurrentAccount) {
        self.request = request
        self.address = address
        self.broker = broker
        self.current = current
    }

    /// Returns a token, which is new if `forceRefresh` is `true` because the API rejected the previous token.
    func token(_ forceRefresh: Bool) async throws -> Secret {
        let now = ContinuousClock.now
        if !forceRefresh, let kept = kept.withLock({ $0 }), now < kept.until { return kept.token }
        let api = try await destinationAPI()
        var request = request
        try api.require(&request)
        request.forceRefresh = forceRefresh
        let token = try await broker.acquireToken(request).going(to: api)
        // If the request names no account, the account that the broker or the user chose becomes the current account.
        if request.account == nil { try current.set(token.account) }
        kept.withLock { $0 = (token.accessToken, now + Self.longest) }
        return token.accessToken
    }

    /// Returns the API to which the configured address belongs, or throws an error if no API has this address.
    private func destinationAPI() async throws -> APISummary {
        if let known = destination.withLock({ $0 }) { return known }
        let api = try Destination.of(address.description, among: try await broker.apis()).api
        destination.withLock { $0 = api }
        return api
    }
}
