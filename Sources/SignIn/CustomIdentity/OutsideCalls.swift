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

/// A JSON request to a server that the operator has configured.
public struct OutsideCall: Sendable {
    /// A client certificate and its private key, in PEM format.
    public typealias Identity = (certificate: Data, privateKey: Data)

    let name: String
    /// The part of the circuit breaker's key that identifies the server.
    let server: String
    /// The user's origin.
    ///
    /// If the server fails, only calls for the same origin skip it.
    let place: String
    let address: String
    var authorization: Secret?
    var identity: Identity?
    let body: Data
    /// The HTTP status codes that are not treated as errors.
    var statuses: Set<Int> = [200]
    /// The time limit for the call, which includes authenticating the request and receiving the response.
    let limit: Duration

    fileprivate var circuit: String { "\(server) \(place)" }
}

/// A client for JSON requests to configured servers, which skips failing servers and follows no redirects.
public actor OutsideCalls {
    /// The maximum length of a response, in bytes.
    static let maxLength = 64 * 1024
    /// The time limit for opening a connection.
    static let connect: Duration = .seconds(3)
    /// The number of circuit breakers above which unused circuit breakers are dropped.
    private static let mostCircuits = 256
    /// The maximum number of client certificates, each of which has its own connections.
    private static let mostCertificates = 64

    private let clock: MomentClock
    private let route: OutgoingRoute
    private let connect: Duration
    private let deadlines: any Clock<Duration>
    private var client: OutgoingClients?
    private var clients: [String: OutgoingClients] = [:]
    private var circuits: [String: Circuit] = [:]

    /// Creates an instance that opens connections when they are first needed.
    public init(clock: MomentClock, route: OutgoingRoute) {
        self.init(clock: clock, route: route, deadlines: ContinuousClock())
    }

    /// Creates an instance with the given time limit for opening a connection and the given clock for timing calls.
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

    /// Closes all connections, after which callers must not send any requests.
    public func shutdown() async throws {
        let all = clients.values + [client].compactMap { $0 }
        (client, clients) = (nil, [:])
        for client in all { try await client.shutdown() }
    }

    /// Sends a request, and returns the value that `read` creates from the status code and the JSON of the response.
    ///
    /// `prepare` can authenticate the request. The time that `prepare` takes counts against the call's time limit.
    ///
    /// - Throws: A ``ProviderError`` with the code `unavailable` if there is no response or the response has status 429
    ///   or 5xx, or `protocolViolation` if the response is invalid in any other way.
    func send<Answer: Sendable>(
        _ call: OutsideCall,
        _ prepare: @escaping @Sendable (OutsideCall) async throws -> OutsideCall = { $0 },
        _ read: @escaping @Sendable (Int, JSONValue) throws -> Answer
    ) async throws(ProviderError) -> Answer {
        // Drop circuit breakers without calls or failures, such as those of servers that are no longer configured.
        if circuits.count > Self.mostCircuits { circuits = circuits.filter { !$0.value.isQuiet } }
        // Each origin has its own circuit breakers. If there are still too many, drop the idle ones.
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

    private func connections(_ identity: OutsideCall.Identity?, _ name: String) throws(ProviderError) -> OutgoingClients
    {
        guard let identity else {
            let connections = client ?? OutgoingClients(connect: connect, route: route)
            client = connections
            return connections
        }
        // A renewed certificate has a different digest, so it gets new connections without a reload.
        let digest = Data(SHA256.hash(data: identity.certificate + identity.privateKey)).base64EncodedString()
        if let connections = clients[digest] { return connections }
        guard clients.count < Self.mostCertificates else {
            throw ProviderError(.unavailable, "\(name) has too many client certificates")
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
                case 429, 500...: throw ProviderError(.unavailable, "\(name) responded with \(status)")
                default: throw ProviderError(.protocolViolation, "\(name) responded with \(status)")
                }
                let bytes = Data(buffer: try await response.body.collect(upTo: Self.maxLength))
                guard let json = try? StrictJSON.parse(bytes) else {
                    throw ProviderError(.protocolViolation, "\(name) did not respond with JSON")
                }
                return try read(status, json)
            }
        } catch let error as ProviderError {
            throw error
        } catch is TooManyLookUps {
            throw .notAsked("too many DNS lookups are in progress to call \(name)")
        } catch is NIOTooManyBytesError {
            throw ProviderError(.protocolViolation, "\(name) sent more than \(Self.maxLength) bytes")
        } catch {
            let detail = "\(name): \(OutgoingHTTP.description(of: error))"
            throw ProviderError(.unavailable, detail).saying(OutgoingHTTP.cause(of: error))
        }
    }
}
