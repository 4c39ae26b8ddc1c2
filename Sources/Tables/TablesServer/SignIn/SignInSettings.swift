public import Moments
public import OAuth
import OpenIDClient
import OutgoingHTTP
import RemoteKeys
import Synchronization

/// The settings for sign-in through this API's own routes.
public struct SignInSettings: Hashable, Sendable {
    /// The API's client id at the authority.
    public let client: String
    /// The client's secret, or `nil` for a public client.
    public let secret: Secret?
    /// The API's own origins at which users can sign in, or only local origins if the array is empty.
    public let origins: [String]
    /// The origins of other pages that are allowed to receive the result of a sign-in.
    public let pages: [String]
    /// The scopes to request, if the authority can grant them.
    public let scopes: [String]
    /// Whether browsers connect to this API over TLS.
    public let isSecure: Bool

    /// Creates settings.
    public init(
        client: String,
        secret: Secret?,
        origins: [String],
        pages: [String],
        scopes: [String],
        isSecure: Bool
    ) {
        self.client = client
        self.secret = secret
        self.origins = origins
        self.pages = pages
        self.scopes = scopes
        self.isSecure = isSecure
    }

    func mayTell(_ origin: String) -> Bool { pages.contains(origin) }
}

/// The connection to the authority and the pending sign-ins, which survive a reload of the configuration.
public final class AuthorityConnection: Sendable {
    private final class Current: Sendable {
        let issuers = Mutex<SignInIssuers?>(nil)
    }

    let client: OpenIDClient
    let pending = PendingSignIns()
    let clock: MomentClock
    private let current: Current

    /// Creates a connection, which is established at the first sign-in.
    public init(clock: MomentClock) {
        let current = Current()
        self.current = current
        self.clock = clock
        client = OpenIDClient(
            clock: clock,
            route: OutgoingRoute { try current.issuers.withLock { $0 }?.socket() }
        )
    }

    /// Sets the issuers that the connection uses.
    func lead(to issuers: SignInIssuers) { current.issuers.withLock { $0 = issuers } }

    /// Closes the connections, after which this object cannot be used.
    public func shutdown() async throws { try await client.shutdown() }
}
