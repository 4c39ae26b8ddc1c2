import AsyncHTTPClient
public import Authority
public import AuthorityStore
import Foundation
public import Logging
import Metrics
public import Moments
import NIOCore
import NIOHTTP1
import OAuth
import OutgoingHTTP
import Storage

/// Sends a logout token to the client for each queued sign-out (OpenID Connect Back-Channel Logout §2.5).
///
/// No lock is held and no transaction stays open while waiting for a client. A token is sent only to the registered
/// address, and a redirect counts as a failure.
public struct LogoutDispatcher: Sendable {
    /// The maximum number of attempts for one sign-out.
    public static let mostTries = 12
    private static let deadline: Duration = .seconds(10)
    private static let width = 32
    /// The time after which a leased sign-out is due again, which must be longer than ``deadline``.
    private static let lease: Duration = .seconds(60)
    private static let pollInterval: Duration = .seconds(2)
    private static let pauses = DeliveryPauses(first: .seconds(10), longest: .seconds(3600))

    private let store: AuthorityStore
    private let authority: Authority
    private let clock: MomentClock
    private let logger: Logger
    private let loopback: LoopbackServers
    private let deadlines: any Clock<Duration>

    /// Creates a dispatcher for the sign-outs in a store.
    ///
    /// - Parameters:
    ///   - store: The store with the queued sign-outs.
    ///   - authority: Creates the logout tokens.
    ///   - clock: The clock for the delays between attempts.
    ///   - trustedLoopback: The local ports to which tokens may be sent over http without checking which process is
    ///     listening.
    ///   - logger: The logger for errors.
    public init(
        store: AuthorityStore,
        authority: Authority,
        clock: MomentClock,
        trustedLoopback: Set<UInt16>,
        logger: Logger
    ) {
        self.init(
            store: store,
            authority: authority,
            clock: clock,
            loopback: .known(orAtPorts: trustedLoopback),
            logger: logger,
            deadlines: ContinuousClock()
        )
    }

    init(
        store: AuthorityStore,
        authority: Authority,
        clock: MomentClock,
        loopback: LoopbackServers = .known(),
        logger: Logger,
        deadlines: any Clock<Duration>
    ) {
        self.deadlines = deadlines
        self.loopback = loopback
        self.store = store
        self.authority = authority
        self.clock = clock
        self.logger = logger
    }

    /// Notifies clients of due sign-outs every two seconds, until the task is cancelled.
    public func run() async {
        let http = OutgoingHTTP.client(loopback: loopback)
        await loop(http).run()
        do {
            try await http.shutdown()
        } catch {
            logger.warning("connections to clients not closed", metadata: ["error": "\(error)"])
        }
    }

    /// Notifies clients of the sign-outs that are due now, and returns the number of sign-outs.
    func tellDue(_ http: HTTPClient) async -> Int { await loop(http).deliverDue().count }

    private func loop(_ http: HTTPClient) -> DeliveryLoop<QueuedLogout> {
        // The loop fills all slots at once, with only a few sign-outs per client, so that an unresponsive client never
        // occupies all slots.
        DeliveryLoop(width: Self.width, slotsToTake: Self.width, pollInterval: Self.pollInterval) { limit in
            do {
                return try await store.logouts.take(limit: limit, lease: Self.lease)
            } catch {
                logger.error("queued sign-outs not readable", metadata: ["error": "\(error)"])
                return []
            }
        } deliver: { logout in
            await finish(logout, http)
        }
    }

    private func finish(_ logout: QueuedLogout, _ http: HTTPClient) async -> Bool {
        do {
            let outcome = try await tell(logout, http)
            Counter(label: "logout_deliveries", dimensions: [("outcome", outcome.rawValue)]).increment()
            switch outcome {
            case .told, .dropped: try await store.logouts.done(logout.id)
            case .refused:
                logger.warning("logout token refused by client", metadata: ["client": "\(logout.client)"])
                try await store.logouts.done(logout.id)
            case .later where logout.tries < Self.mostTries:
                // Postpones all of the client's sign-outs, so that an unavailable client is not called continuously.
                let next = Self.pauses.next(after: logout.tries, at: clock.now)
                try await store.logouts.postpone(client: logout.client, until: next)
            case .later:
                logger.error("client not notified of sign-out", metadata: ["client": "\(logout.client)"])
                try await store.logouts.done(logout.id)
            }
            return outcome == .told
        } catch {
            logger.error("sign-out notice failed", metadata: ["error": "\(error)"])
            return false
        }
    }

    private enum Outcome: String {
        case told, refused, later, dropped
    }

    private func tell(_ logout: QueuedLogout, _ http: HTTPClient) async throws -> Outcome {
        guard let notice = try await authority.notices.logoutNotice(logout) else { return .dropped }
        var request = HTTPClientRequest(url: notice.uri)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        let body = Form.encoded([(name: "logout_token", value: notice.token.reveal())])
        request.body = .bytes(ByteBuffer(string: body))
        do {
            return try await OutgoingHTTP.within(Self.deadline, by: deadlines) { [request] in
                let answer = try await http.execute(request, timeout: TimeAmount(Self.deadline))
                switch answer.status.code {
                // Any success response is accepted (OpenID Connect Back-Channel Logout §2.8), except an HTML page,
                // which was probably sent by a different server.
                case 200...299: return try await OutgoingHTTP.isPage(answer.body) ? .later : .told
                case 408, 429, 500...: return .later
                default: return .refused
                }
            }
        } catch {
            logger.info(
                "client does not respond",
                metadata: ["client": "\(logout.client)", "error": "\(error)", "try": "\(logout.tries)"]
            )
            return .later
        }
    }
}
