public import Moments
import OpenIDClient
import OutgoingHTTP
import RemoteKeys
import Synchronization

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
