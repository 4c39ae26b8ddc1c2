import BrokerClient
import FlowModel
import OAuth
import Synchronization
import TablesClient
import Terminal

/// The source of tokens for the API's client: asks the broker, but not again for each of many requests.
///
/// A token goes only to an origin that the daemon's configuration names for its API, whatever `tasks.yaml` says.
final class APITokenSource: Sendable {
    /// The longest time that a token is used without asking the broker for it again.
    static let longest: Duration = .seconds(5)

    private let request: AcquireRequest
    private let address: APIAddress
    private let broker: BrokerClient
    private let current: CurrentAccount
    private let destination = Mutex<APISummary?>(nil)
    private let kept = Mutex<(token: Secret, until: ContinuousClock.Instant)?>(nil)

    /// - Parameters:
    ///   - request: The request for a token.
    ///   - address: The address that the token is sent to.
    ///   - broker: The broker.
    ///   - current: The note of the current account.
    init(request: AcquireRequest, for address: APIAddress, broker: BrokerClient, current: CurrentAccount) {
        self.request = request
        self.address = address
        self.broker = broker
        self.current = current
    }

    /// A token; a new one if `forceRefresh` is set, since one was refused.
    func token(_ forceRefresh: Bool) async throws -> Secret {
        let now = ContinuousClock.now
        if !forceRefresh, let kept = kept.withLock({ $0 }), now < kept.until { return kept.token }
        let api = try await destinationAPI()
        var request = request
        try api.require(&request)
        request.forceRefresh = forceRefresh
        let token = try await broker.acquireToken(request).going(to: api)
        // Whoever was asked, and signed in, is the current account from now on.
        if request.account == nil { try current.set(token.account) }
        kept.withLock { $0 = (token.accessToken, now + Self.longest) }
        return token.accessToken
    }

    /// The API whose tokens go to the address.
    ///
    /// - Throws: A refusal if there is none.
    private func destinationAPI() async throws -> APISummary {
        if let known = destination.withLock({ $0 }) { return known }
        let api = try Destination.of(address.description, among: try await broker.apis()).api
        destination.withLock { $0 = api }
        return api
    }
}
