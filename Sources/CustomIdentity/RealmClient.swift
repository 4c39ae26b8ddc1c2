import AsyncHTTPClient
public import Foundation
public import Moments
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
public import OAuth
public import OpenIDClient
public import OutgoingHTTP
public import Policies

/// A client of custom identity providers, in the protocol of Mobile Client Access: `POST {url}/apps/{tenant}/{realm}/{request}`,
/// JSON both ways.
///
/// A call has ten seconds, an answer 64 KiB, and a provider that does not answer is not asked for a while. Redirects are
/// not followed.
///
/// An actor because it owns memory that callers share: the circuits of the realms of one configuration.
public actor RealmClient {
    /// Signs a request for an address, with its body.
    public typealias Sign = @Sendable (_ address: String, _ body: Data) async throws -> Secret

    /// The time within which a call ends.
    public static let deadline: Duration = .seconds(10)
    /// The longest answer, in bytes.
    static let maxLength = 64 * 1024

    /// The number of circuits above which those without calls and failures are forgotten.
    private static let mostCircuits = 256

    private let clock: MomentClock
    private let limit: Duration
    private let route: OutgoingRoute
    private let sign: Sign
    private var client: OutgoingClients?
    private var circuits: [CustomRealm: Circuit] = [:]

    /// A client that opens its connections at the first call.
    ///
    /// - Parameters:
    ///   - clock: The clock that circuits go by.
    ///   - limit: The time for a call.
    ///   - route: The way to the providers.
    ///   - sign: Signs requests to realms that want it.
    public init(
        clock: MomentClock,
        limit: Duration = RealmClient.deadline,
        route: OutgoingRoute,
        sign: @escaping Sign
    ) {
        self.clock = clock
        self.limit = limit
        self.route = route
        self.sign = sign
    }

    /// Closes the connections; the client may not be used afterwards.
    public func shutdown() async throws { try await client?.shutdown() }

    /// Asks a provider.
    ///
    /// - Parameters:
    ///   - realm: The provider.
    ///   - call: The request.
    ///   - headers: The headers that it may know.
    /// - Returns: The answer.
    /// - Throws: ``ProviderError``: `unavailable` if it does not answer, or says 429 or 5xx; `protocolViolation` for anything
    ///   else than the protocol.
    public func ask(
        _ realm: CustomRealm,
        _ call: RealmCall,
        headers: [String: String]
    ) async throws(ProviderError) -> RealmAnswer {
        // Those of realms that the configuration has no more are let go.
        if circuits.count > Self.mostCircuits { circuits = circuits.filter { !$0.value.isQuiet } }
        try circuits[realm, default: Circuit()].begin(realm.name, at: clock.now)
        let outcome: Result<RealmAnswer, ProviderError>
        do throws(ProviderError) {
            outcome = .success(try await exchange(realm, call, headers))
        } catch {
            outcome = .failure(error)
        }
        var failure: ProviderError?
        if case .failure(let error) = outcome, error.code == .unavailable { failure = error }
        circuits[realm, default: Circuit()].end(isAvailable: failure == nil, pause: failure?.retryAfter, at: clock.now)
        return try outcome.get()
    }

    private var http: OutgoingClients {
        if let client { return client }
        let made = OutgoingClients(connect: min(limit, .seconds(3)), route: route)
        client = made
        return made
    }

    private func exchange(
        _ realm: CustomRealm,
        _ call: RealmCall,
        _ headers: [String: String]
    ) async throws(ProviderError) -> RealmAnswer {
        let (name, http, sign, limit) = (realm.name, http, sign, limit)
        let address = Self.address(realm, call)
        if let refusal = OutsideURL.refusal(address) {
            throw ProviderError(.protocolViolation, "the address of \(name) \(refusal)")
        }
        do {
            return try await OutgoingHTTP.within(limit) {
                let body = Data(call.body(headers: headers).bytes)
                var request = HTTPClientRequest(url: address)
                request.method = .POST
                request.headers.add(name: "Content-Type", value: "application/json")
                request.headers.add(name: "Accept", value: "application/json")
                request.headers.add(name: "User-Agent", value: "tokenbroker")
                switch realm.proof {
                case .none: break
                case .jwt:
                    let proof = try await sign(address, body)
                    request.headers.add(name: "Authorization", value: "Bearer \(proof.reveal())")
                }
                request.body = .bytes(ByteBuffer(bytes: body))
                let response = try await http.execute(request, timeout: limit)
                switch response.status.code {
                case 200: break
                case 429, 500...:
                    throw ProviderError(.unavailable, "\(name) answered \(response.status.code)")
                default:
                    throw ProviderError(.protocolViolation, "\(name) answered \(response.status.code) instead of 200")
                }
                let bytes = Data(buffer: try await response.body.collect(upTo: Self.maxLength))
                guard let json = try? StrictJSON.parse(bytes) else {
                    throw ProviderError(.protocolViolation, "\(name) did not answer in JSON")
                }
                return try RealmAnswer(json, realm: name)
            }
        } catch let error as ProviderError {
            throw error
        } catch is NIOTooManyBytesError {
            throw ProviderError(.protocolViolation, "\(name) sent more than \(Self.maxLength) bytes")
        } catch {
            throw ProviderError(.unavailable, "\(name): \(type(of: error)) \(error)")
        }
    }

    /// The address of a request; names cannot leave their segment.
    static func address(_ realm: CustomRealm, _ call: RealmCall) -> String {
        let base = realm.url.hasSuffix("/") ? String(realm.url.dropLast()) : realm.url
        return "\(base)/apps/\(realm.tenant)/\(realm.name)/\(call.name)"
    }
}
