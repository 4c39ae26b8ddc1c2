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

/// Tells clients of sign-outs by the back channel: takes those that wait from the store and posts a logout token for each
/// (OpenID Connect Back-Channel Logout §2.5).
///
/// Nothing is held while a client answers. Only the address that the client registered is called: a redirect is a refusal.
public struct LogoutDispatcher: Sendable {
    /// The greatest number of tries for one sign-out.
    public static let mostTries = 12
    /// The time that a client has for its answer.
    private static let deadline: Duration = .seconds(10)
    /// The most clients that are told at once.
    private static let width = 32
    /// The time after which a sign-out that was taken is due again: longer than a client has.
    private static let lease: Duration = .seconds(60)
    private static let pollInterval: Duration = .seconds(2)
    private static let pauses = DeliveryPauses(first: .seconds(10), longest: .seconds(3600))

    private let store: AuthorityStore
    private let authority: Authority
    private let clock: MomentClock
    private let logger: Logger
    private let loopback: LoopbackServers
    private let deadlines: any Clock<Duration>

    /// A dispatcher of the sign-outs in a store.
    ///
    /// - Parameters:
    ///   - store: The store in which sign-outs wait.
    ///   - authority: Makes the logout tokens.
    ///   - clock: The clock that deadlines go by.
    ///   - trustedLoopback: The ports of this machine that may be told over http, whatever listens there.
    ///   - logger: The logger of faults.
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

    /// Tells clients every two seconds, until the task is cancelled.
    public func run() async {
        let http = OutgoingHTTP.client(loopback: loopback)
        await loop(http).run()
        do {
            try await http.shutdown()
        } catch {
            logger.warning("connections to clients were not closed", metadata: ["error": "\(error)"])
        }
    }

    /// Tells the clients of the sign-outs that are due now.
    ///
    /// - Parameter http: Posts the tokens.
    /// - Returns: The number of sign-outs that were taken.
    func tellDue(_ http: HTTPClient) async -> Int { await loop(http).deliverDue().count }

    private func loop(_ http: HTTPClient) -> DeliveryLoop<QueuedLogout> {
        // A client that does not answer has some of a batch, and never all slots.
        DeliveryLoop(width: Self.width, slotsToTake: Self.width, pollInterval: Self.pollInterval) { limit in
            do {
                return try await store.logouts.take(limit: limit, lease: Self.lease)
            } catch {
                logger.error("sign-outs cannot be taken", metadata: ["error": "\(error)"])
                return []
            }
        } deliver: { logout in
            await finish(logout, http)
        }
    }

    /// Tells a client and records the result.
    private func finish(_ logout: QueuedLogout, _ http: HTTPClient) async -> Bool {
        do {
            let outcome = try await tell(logout, http)
            Counter(label: "logout_deliveries", dimensions: [("outcome", outcome.rawValue)]).increment()
            switch outcome {
            case .told, .dropped: try await store.logouts.done(logout.id)
            case .refused:
                logger.warning("a client refused a logout token", metadata: ["client": "\(logout.client)"])
                try await store.logouts.done(logout.id)
            case .later where logout.tries < Self.mostTries:
                // Its other sign-outs wait as long, so that a client that is down is asked once in a while.
                let next = Self.pauses.next(after: logout.tries, at: clock.now)
                try await store.logouts.postpone(client: logout.client, until: next)
            case .later:
                logger.error("a client was not told of a sign-out", metadata: ["client": "\(logout.client)"])
                try await store.logouts.done(logout.id)
            }
            return outcome == .told
        } catch {
            logger.error("a sign-out cannot be told", metadata: ["error": "\(error)"])
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
                // A client may answer anything (OpenID Connect Back-Channel Logout §2.8); a page for browsers is another's.
                case 200...299: return try await OutgoingHTTP.isPage(answer.body) ? .later : .told
                case 408, 429, 500...: return .later
                default: return .refused
                }
            }
        } catch {
            logger.info(
                "a client does not answer",
                metadata: ["client": "\(logout.client)", "error": "\(error)", "try": "\(logout.tries)"]
            )
            return .later
        }
    }
}
