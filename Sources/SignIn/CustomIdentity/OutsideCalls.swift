import AsyncHTTPClient
import Crypto
public import Foundation
public import Moments
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import OAuth
import OpenIDClient
public import OutgoingHTTP

/// A request in JSON to a server of the operator's own.
public struct OutsideCall: Sendable {
    /// The certificate that the server is shown, and its key, in PEM.
    public typealias Identity = (certificate: Data, privateKey: Data)

    /// The server's name in messages.
    let name: String
    /// The server, by which its failures are remembered.
    let server: String
    /// The place that the person comes from: a server that fails on its answers is put aside for it alone.
    let place: String
    let address: String
    var authorization: Secret?
    var identity: Identity?
    let body: Data
    /// The statuses whose answers are read; any other is not the protocol's.
    var statuses: Set<Int> = [200]
    /// The time for the answer.
    let limit: Duration

    fileprivate var circuit: String { "\(server) \(place)" }
}

/// Calls servers of the operator's own in JSON: a call has its time, an answer 64 KiB, and a server that does not answer is
/// not asked for a while. Redirects are not followed.
///
/// An actor because it owns memory that callers share: the connections, and the circuits of the servers of one configuration.
public actor OutsideCalls {
    /// The longest answer, in bytes.
    static let maxLength = 64 * 1024
    /// The longest time for a connection.
    static let connect: Duration = .seconds(3)
    /// The number of circuits above which those without calls and failures are forgotten.
    private static let mostCircuits = 256
    /// The greatest number of certificates with connections of their own.
    private static let mostCertificates = 64

    private let clock: MomentClock
    private let route: OutgoingRoute
    private let connect: Duration
    private let deadlines: any Clock<Duration>
    private var client: OutgoingClients?
    private var clients: [String: OutgoingClients] = [:]
    private var circuits: [String: Circuit] = [:]

    /// Calls whose connections open at the first of them.
    ///
    /// - Parameters:
    ///   - clock: The clock that circuits go by.
    ///   - route: The way to the servers.
    public init(clock: MomentClock, route: OutgoingRoute) {
        self.init(clock: clock, route: route, deadlines: ContinuousClock())
    }

    /// The same, with the longest time for a connection, and the clock of the time of a call.
    init(
        clock: MomentClock,
        route: OutgoingRoute,
        connect: Duration = OutsideCalls.connect,
        deadlines: any Clock<Duration> = ContinuousClock()
    ) {
        self.deadlines = deadlines
        self.clock = clock
        self.route = route
        self.connect = connect
    }

    /// Closes the connections; no call may follow.
    public func shutdown() async throws {
        let all = clients.values + [client].compactMap { $0 }
        (client, clients) = (nil, [:])
        for client in all { try await client.shutdown() }
    }

    /// Sends a request, and reads the answer.
    ///
    /// - Parameters:
    ///   - call: The request.
    ///   - prepare: Adds what proves where it comes from; its time counts.
    ///   - read: Reads the status and the answer's JSON.
    /// - Returns: What `read` returns.
    /// - Throws: ``ProviderError``: `unavailable` if there is no answer, or it is 429 or 5xx; `protocolViolation` for anything
    ///   else than the protocol.
    func send<Answer: Sendable>(
        _ call: OutsideCall,
        _ prepare: @escaping @Sendable (OutsideCall) async throws -> OutsideCall = { $0 },
        _ read: @escaping @Sendable (Int, JSONValue) throws -> Answer
    ) async throws(ProviderError) -> Answer {
        // Those of servers that the configuration has no more are let go.
        if circuits.count > Self.mostCircuits { circuits = circuits.filter { !$0.value.isQuiet } }
        // Many places may each have met a failure.
        if circuits.count > Self.mostCircuits { circuits = circuits.filter { !$0.value.isIdle(at: clock.now) } }
        try circuits[call.circuit, default: Circuit()].begin(call.name, at: clock.now)
        let outcome: Result<Answer, ProviderError>
        do throws(ProviderError) {
            outcome = .success(try await exchange(call, prepare, read))
        } catch {
            outcome = .failure(error)
        }
        var failure: ProviderError?
        if case .failure(let error) = outcome, error.code == .unavailable { failure = error }
        if let failure, !failure.wasAsked {
            circuits[call.circuit]?.withdraw(at: clock.now)
            throw failure
        }
        circuits[call.circuit, default: Circuit()]
            .end(isAvailable: failure == nil, pause: failure?.retryAfter, at: clock.now)
        return try outcome.get()
    }

    /// The connections that show a certificate, or none.
    private func connections(_ identity: OutsideCall.Identity?, _ name: String) throws(ProviderError) -> OutgoingClients
    {
        guard let identity else {
            let connections = client ?? OutgoingClients(connect: connect, route: route)
            client = connections
            return connections
        }
        // Renewed files are others, so that nobody has to say that they were.
        let digest = Data(SHA256.hash(data: identity.certificate + identity.privateKey)).base64EncodedString()
        if let connections = clients[digest] { return connections }
        guard clients.count < Self.mostCertificates else {
            throw ProviderError(.unavailable, "\(name) has more certificates than connections are kept for")
        }
        do {
            let certificate = try ClientCertificate(
                certificate: identity.certificate,
                privateKey: identity.privateKey
            )
            let connections = OutgoingClients(connect: connect, route: route, certificate: certificate)
            clients[digest] = connections
            return connections
        } catch {
            throw ProviderError(.protocolViolation, "the certificate for \(name) cannot be used: \(error)")
        }
    }

    private func exchange<Answer: Sendable>(
        _ call: OutsideCall,
        _ prepare: @escaping @Sendable (OutsideCall) async throws -> OutsideCall,
        _ read: @escaping @Sendable (Int, JSONValue) throws -> Answer
    ) async throws(ProviderError) -> Answer {
        let name = call.name
        if let refusal = OutsideURL.refusal(call.address) {
            throw ProviderError(.protocolViolation, "the address of \(name) \(refusal)")
        }
        let http = try connections(call.identity, name)
        do {
            return try await OutgoingHTTP.within(call.limit, by: deadlines) {
                let prepared = try await prepare(call)
                var request = HTTPClientRequest(url: prepared.address)
                request.method = .POST
                request.headers.add(name: "Content-Type", value: "application/json")
                request.headers.add(name: "Accept", value: "application/json")
                request.headers.add(name: "User-Agent", value: "tokenbroker")
                if let authorization = prepared.authorization {
                    request.headers.add(name: "Authorization", value: authorization.reveal())
                }
                request.body = .bytes(ByteBuffer(bytes: prepared.body))
                let response = try await http.execute(request, timeout: prepared.limit)
                let status = Int(response.status.code)
                switch status {
                case _ where prepared.statuses.contains(status): break
                case 429, 500...: throw ProviderError(.unavailable, "\(name) answered \(status)")
                default: throw ProviderError(.protocolViolation, "\(name) answered \(status)")
                }
                let bytes = Data(buffer: try await response.body.collect(upTo: Self.maxLength))
                guard let json = try? StrictJSON.parse(bytes) else {
                    throw ProviderError(.protocolViolation, "\(name) did not answer in JSON")
                }
                return try read(status, json)
            }
        } catch let error as ProviderError {
            throw error
        } catch is TooManyLookUps {
            throw .notAsked("too many names are being looked up to ask \(name)")
        } catch is NIOTooManyBytesError {
            throw ProviderError(.protocolViolation, "\(name) sent more than \(Self.maxLength) bytes")
        } catch {
            throw ProviderError(.unavailable, "\(name): \(type(of: error)) \(error)")
        }
    }
}
