public import Moments
public import OAuth
import OpenIDClient
import OutgoingHTTP
import RemoteKeys
import Synchronization

/// The terms on which people sign in at this API's own addresses.
public struct SignInSettings: Hashable, Sendable {
    /// The client id at the authority.
    public let client: String
    /// The client's secret; nil for a public client.
    public let secret: Secret?
    /// This API's own origins, where people sign in; if there are none, only those of this machine.
    public let origins: [String]
    /// The origins of other pages that may be told of a sign-in.
    public let pages: [String]
    /// The scopes that a token is asked for, as far as the authority grants them.
    public let scopes: [String]
    /// True if browsers reach this API by TLS.
    public let isSecure: Bool

    /// Names the terms.
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

    /// True if a page of this origin may be told of a sign-in.
    func mayTell(_ origin: String) -> Bool { pages.contains(origin) }
}

/// The line to the authority over which people sign in, and the sign-ins that are on their way; both outlive a reload.
public final class AuthorityConnection: Sendable {
    /// The issuers of the current configuration.
    private final class Current: Sendable {
        let issuers = Mutex<SignInIssuers?>(nil)
    }

    let client: OpenIDClient
    let pending = PendingSignIns()
    let clock: MomentClock
    private let current: Current

    /// Makes a line; nothing is connected before somebody signs in.
    public init(clock: MomentClock) {
        let current = Current()
        self.current = current
        self.clock = clock
        client = OpenIDClient(
            clock: clock,
            route: OutgoingRoute { try current.issuers.withLock { $0 }?.socket() }
        )
    }

    /// Leads the line to the authority of a new configuration.
    func lead(to issuers: SignInIssuers) { current.issuers.withLock { $0 = issuers } }

    /// Closes the connections; the line may not be used afterwards.
    public func shutdown() async throws { try await client.shutdown() }
}
