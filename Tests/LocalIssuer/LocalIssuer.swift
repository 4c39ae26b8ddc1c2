public import HTTPServer
import HTTPTypes
import Hummingbird
import Logging
import Moments
import NIOCore
import NIOPosix
public import OAuth
import ServiceLifecycle
import Synchronization
import TestSupport
public import Tokens

/// A token issuer that tests run on a real socket.
///
/// It serves metadata and keys, creates access tokens, and misbehaves on request.
public final class LocalIssuer: Sendable {
    /// The way in which the issuer responds to requests.
    public enum Behaviour: Hashable, Sendable {
        /// The response is correct.
        case honest
        /// The response has the status code 503.
        case down
        /// The response is a redirect.
        case redirecting
        /// The response is longer than any size limit of a client.
        case endless
        /// The issuer does not respond.
        case silent
        /// The metadata states another issuer.
        case impostor
        /// The metadata states an address on another host for the keys.
        case elsewhere
        /// The response is not JSON.
        case garbled
    }

    private struct State {
        var keys: [SigningKey]
        var behaviour = Behaviour.honest
        var maxAge = 300
        var scopes: [String] = []
        var base: String
        var requests: [String] = []
    }

    /// The base address with which the issuer identifiers begin.
    public var base: String { state.withLock { $0.base } }
    /// The tenant in the issuer identifiers.
    public let tenant: String
    /// The policies that have an issuer, or `nil` if every policy name has one.
    private let policies: Set<String>?
    private let describesItself: Bool
    private let state: Mutex<State>

    /// Creates an issuer with one key.
    ///
    /// If `describesItself` is false, the issuer publishes metadata, but no description of the authority.
    public init(
        base: String = "http://localhost:8420",
        tenant: String = "local",
        policies: Set<String>? = nil,
        describesItself: Bool = true
    ) throws {
        self.tenant = tenant
        self.policies = policies
        self.describesItself = describesItself
        state = Mutex(State(keys: [try SigningKey.generate(.es256)], base: base))
    }

    /// Returns the issuer identifier of a policy.
    public func issuer(_ policy: String = "b2c_1_sign_in") -> String { "\(base)/\(tenant)/\(policy)/v2.0" }

    /// The newest signing key.
    public var key: SigningKey { state.withLock { $0.keys[$0.keys.count - 1] } }

    /// The paths of the received requests, oldest first.
    public var requests: [String] { state.withLock { $0.requests } }

    /// Sets how the issuer responds to further requests.
    public func behave(_ behaviour: Behaviour) { state.withLock { $0.behaviour = behaviour } }

    /// Sets for how many seconds clients may cache the keys.
    public func keep(seconds: Int) { state.withLock { $0.maxAge = seconds } }

    /// Sets the scopes that the metadata lists.
    public func name(scopes: [String]) { state.withLock { $0.scopes = scopes } }

    /// Changes the base address with which the issuer identifiers begin.
    public func move(to base: String) { state.withLock { $0.base = base } }

    /// Replaces all signing keys with one new key.
    public func rotate() throws {
        let key = try SigningKey.generate(.es256)
        state.withLock { $0.keys = [key] }
    }

    /// Creates an access token like the tokens that the authority issues.
    ///
    /// - Parameters:
    ///   - oid: The user's object id.
    ///   - scopes: The granted scopes.
    ///   - now: The time of issue, in seconds since 1970 UTC. The token expires an hour later.
    ///   - changes: Claims that replace the default ones. A JSON null removes a claim.
    ///   - type: The type in the token's header.
    ///   - key: The key that signs the token, or `nil` for the newest key.
    /// - Returns: The token.
    /// - Throws: An error if the token cannot be signed.
    public func token(
        oid: String,
        scopes: String = "tasks.read tasks.write",
        now: Int64,
        changes: [String: JSONValue] = [:],
        type: TokenType = .accessToken,
        key: SigningKey? = nil
    ) throws -> String {
        var claims: [String: JSONValue] = [
            "iss": .string(issuer()), "aud": "tasks", "sub": .string(oid), "oid": .string(oid), "name": "Somebody",
            "tfp": "b2c_1_sign_in", "scope": .string(scopes), "scp": .string(scopes), "client_id": "tasks-cli",
            "jti": .string(CorrelationID.random().description), "iat": .int(now), "nbf": .int(now),
            "exp": .int(now + 3600), "acr": "1", "auth_time": .int(now),
        ]
        for (name, value) in changes { claims[name] = value == .null ? nil : value }
        return try TokenMinter.mint(typ: type, claims: claims, with: key ?? self.key).reveal()
    }

    /// Serves requests on `addresses` while `body` runs.
    public func serve<Result: Sendable>(
        on addresses: [ListenAddress],
        while body: ([ListenAddress]) async throws -> Result
    ) async throws -> Result {
        let sockets = try ListeningSocket.open(addresses)
        return try await serve(sockets) { try await body(sockets.map(\.address)) }
    }

    /// Serves requests on listening sockets while `body` runs.
    public func serve<Result: Sendable>(
        _ sockets: [ListeningSocket],
        while body: () async throws -> Result
    ) async throws -> Result {
        let logger = Logger(label: "issuer") { _ in SwiftLogNoOpLogHandler() }
        let router = Router(context: HTTPContext.self)
        router.get("**") { request, _ in try await self.answer(request) }
        let pipeline = HTTPPipeline(router: router, hosts: .any, errors: .oauth, logger: logger)
        let service = HTTPService(
            sockets: sockets,
            pipeline: { pipeline },
            limits: .ofTests,
            group: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
        return try await serving([service]) { _ in try await body() }
    }

    private func answer(_ request: Request) async throws -> Response {
        let path = request.uri.path
        let (behaviour, keys, maxAge) = state.withLock { state in
            state.requests.append(path)
            return (state.behaviour, state.keys, state.maxAge)
        }
        switch behaviour {
        case .down: return Response(status: .serviceUnavailable)
        case .redirecting: return Response(status: .found, headers: [.location: "http://127.0.0.1:1/"])
        case .endless: return json(.string(String(repeating: "x", count: 100_000)))
        case .garbled: return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: "<html>")))
        case .silent:
            try? await gracefulShutdown()
            return Response(status: .serviceUnavailable)
        case .honest, .impostor, .elsewhere: break
        }
        if path.hasSuffix("/discovery/v2.0/keys") {
            var response = json(JWKSet(keys: keys.map(\.publicKey)).json)
            response.headers[.cacheControl] = "public, max-age=\(maxAge)"
            return response
        }
        if path == AuthorityDescription.path {
            let set = JWKSet(keys: keys.map(\.publicKey)).json
            guard describesItself else { return Response(status: .notFound) }
            var response = json(AuthorityDescription(base: base, tenant: tenant, keys: set).json)
            response.headers[.cacheControl] = "public, max-age=\(maxAge)"
            return response
        }
        let prefix = "/.well-known/oauth-authorization-server/\(tenant)/"
        guard path.hasPrefix(prefix), path.hasSuffix("/v2.0") else { return Response(status: .notFound) }
        let policy = String(path.dropFirst(prefix.count).dropLast("/v2.0".count))
        guard policies?.contains(policy) ?? true else { return Response(status: .notFound) }
        var metadata = ServerMetadata(issuer: issuer(behaviour == .impostor ? "b2c_1_other" : policy))
        let origin = behaviour == .elsewhere ? "http://keys.example" : base
        metadata.scopes = state.withLock { $0.scopes }
        metadata.jwksURI = "\(origin)/\(tenant)/\(policy)/discovery/v2.0/keys"
        return json(metadata.json)
    }

    private func json(_ value: JSONValue) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: value.bytes))
        )
    }
}

extension HTTPLimits {
    /// The default limits, except that the server does not wait for last requests at shutdown.
    ///
    /// No client sends a request at the end of a test.
    static var ofTests: Self {
        var limits = Self()
        limits.lastRequest = .zero
        return limits
    }
}
