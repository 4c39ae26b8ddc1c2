import BrokerClient
import FlowModel
import OAuth
import Synchronization
import TablesClient
import Terminal

/// Gets tokens for the API from the broker, and caches them for a few seconds.
///
/// A token is sent only to an origin that the daemon's configuration lists for the API, even if `tasks.yaml` contains
/// another address.
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

    /// Returns a token for the API.
    ///
    /// `forceRefresh` must be `true` if the API rejected the previous token, so that the broker gets a new token.
    func token(_ forceRefresh: Bool) async throws -> Secret {
        let now = ContinuousClock.now
        if !forceRefresh, let kept = kept.withLock({ $0 }), now < kept.until { return kept.token }
        let api = try await destinationAPI()
        var request = request
        try api.require(&request)
        request.forceRefresh = forceRefresh
        let token = try await broker.acquireToken(request).going(to: api)
        // If the request names no account, the broker chose an account or the user signed in. The account of the token
        // becomes the current account.
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
