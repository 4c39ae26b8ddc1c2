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
public import OutgoingHTTP
import Storage

/// Sends a logout token to the client for each queued sign-out (OpenID Connect Back-Channel Logout §2.5).
///
/// A token is sent only to the address that the client registered, and a redirect counts as a failure.
public struct LogoutDispatcher: Sendable {
    /// The maximum number of attempts to notify a client of one sign-out.
    public static let mostTries = 12
    private static let deadline: Duration = .seconds(10)
    private static let connect: Duration = .seconds(5)
    private static let width = 32
    /// How long a sign-out is leased, which must be longer than ``deadline``.
    private static let lease: Duration = .seconds(60)
    private static let pollInterval: Duration = .seconds(2)
    private static let pauses = DeliveryPauses(first: .seconds(10), longest: .seconds(3600))

    private let store: AuthorityStore
    private let authority: Authority
    private let clock: MomentClock
    private let logger: Logger
    private let route: OutgoingRoute
    private let deadlines: any Clock<Duration>

    /// Creates a dispatcher for the sign-outs in a store.
    ///
    /// `route` determines the proxy and the certificate authorities for requests to clients.
    public init(
        store: AuthorityStore,
        authority: Authority,
        clock: MomentClock,
        route: OutgoingRoute,
        logger: Logger
    ) {
        self.init(
            store: store,
            authority: authority,
            clock: clock,
            route: route,
            logger: logger,
            deadlines: ContinuousClock()
        )
    }

    init(
        store: AuthorityStore,
        authority: Authority,
        clock: MomentClock,
        route: OutgoingRoute = .direct,
        logger: Logger,
        deadlines: any Clock<Duration>
    ) {
        self.deadlines = deadlines
        self.route = route
        self.store = store
        self.authority = authority
        self.clock = clock
        self.logger = logger
    }

    /// Notifies clients of due sign-outs every two seconds, until the task is cancelled.
    public func run() async {
        let http = OutgoingClients(connect: Self.connect, route: route)
        await loop(http).run()
        do {
            try await http.shutdown()
        } catch {
            logger.warning("connections to clients not closed", metadata: ["error": "\(error)"])
        }
    }

    /// Notifies clients of the sign-outs that are due now, and returns the number of sign-outs.
    func tellDue(_ http: OutgoingClients) async -> Int { await loop(http).deliverDue().count }

    private func loop(_ http: OutgoingClients) -> DeliveryLoop<QueuedLogout> {
        // Leasing only a few sign-outs per client keeps an unresponsive client from occupying all slots.
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

    private func finish(_ logout: QueuedLogout, _ http: OutgoingClients) async -> Bool {
        do {
            let outcome = try await tell(logout, http)
            Counter(label: "logout_deliveries", dimensions: [("outcome", outcome.name)]).increment()
            switch outcome {
            case .told, .dropped: try await store.logouts.done(logout.id)
            case .refused(let cause):
                logger.warning(
                    "logout token refused by client",
                    metadata: ["client": "\(logout.client)", "cause": "\(cause)"]
                )
                try await store.logouts.done(logout.id)
            case .later(let cause) where logout.tries < Self.mostTries:
                logger.log(
                    level: logout.tries == 1 ? .warning : .info,
                    "client not notified of sign-out yet",
                    metadata: ["client": "\(logout.client)", "cause": "\(cause)", "try": "\(logout.tries)"]
                )
                // All sign-outs of this client are postponed, so that an unavailable client gets few requests.
                let next = Self.pauses.next(after: logout.tries, at: clock.now)
                try await store.logouts.postpone(client: logout.client, until: next)
            case .later(let cause):
                logger.error(
                    "client not notified of sign-out",
                    metadata: ["client": "\(logout.client)", "cause": "\(cause)"]
                )
                try await store.logouts.done(logout.id)
            }
            if case .told = outcome { return true }
            return false
        } catch {
            logger.error("sign-out notice failed", metadata: ["error": "\(error)"])
            return false
        }
    }

    private enum Outcome {
        case told, dropped
        /// The client rejected the token for this reason, which is final.
        case refused(String)
        /// The client did not accept the token for this reason, which may be temporary.
        case later(String)

        /// The name of the outcome in the metrics.
        var name: String {
            switch self {
            case .told: "told"
            case .refused: "refused"
            case .dropped: "dropped"
            case .later: "later"
            }
        }
    }

    private func tell(_ logout: QueuedLogout, _ http: OutgoingClients) async throws -> Outcome {
        guard let notice = try await authority.notices.logoutNotice(logout) else { return .dropped }
        var request = HTTPClientRequest(url: notice.uri)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        let body = Form.encoded([(name: "logout_token", value: notice.token.reveal())])
        request.body = .bytes(ByteBuffer(string: body))
        do {
            return try await OutgoingHTTP.within(Self.deadline, by: deadlines) { [request] in
                let answer = try await http.execute(request, timeout: Self.deadline)
                switch answer.status.code {
                // Any success response is accepted (OpenID Connect Back-Channel Logout §2.8), except an HTML page.
                case 200...299:
                    return try await OutgoingHTTP.isPage(answer.body) ? .later("an HTML page") : .told
                case 408, 429, 500...: return .later("status \(answer.status.code)")
                default: return .refused("status \(answer.status.code)")
                }
            }
        } catch {
            return .later(OutgoingHTTP.description(of: error))
        }
    }
}
