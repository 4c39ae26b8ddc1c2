import FlowModel
import Foundation
public import HTTPServer
import HTTPTypes
public import Hummingbird
import Logging
import Moments
import NIOCore
public import OAuth
import OpenIDClient
import Origins
public import RemoteKeys

/// The routes under `/.auth/login` at which users sign in to this API through its authority.
///
/// This API is a client of the authority and stores no secrets for identity providers.
public struct SignInRoutes: Sendable {
    /// A function that returns the id of an access token's user, or `nil` if this API does not accept the token.
    public typealias Identify = @Sendable (Secret, HTTPContext) async throws -> String?

    /// The paths before a provider's name, in the current version and in version 1 of the protocol.
    private static let prefixes = ["/.auth/login", "/login"]
    /// The two equivalent callback paths to which the authority can redirect the browser.
    private static let returns = ["/.auth/login/callback", "/auth/openid/return"]

    private let settings: SignInSettings
    private let line: AuthorityConnection
    private let issuers: SignInIssuers
    private let scopes: IssuerScopes
    private let identify: Identify

    /// Creates the routes, and makes the connection `line` use `issuers`.
    ///
    /// `scopes` looks up the scopes that these issuers can grant.
    public init(
        settings: SignInSettings,
        line: AuthorityConnection,
        issuers: SignInIssuers,
        scopes: IssuerScopes,
        identify: @escaping Identify
    ) {
        self.settings = settings
        self.line = line
        self.issuers = issuers
        self.scopes = scopes
        self.identify = identify
        line.lead(to: issuers)
    }

    /// Adds the routes to `router`.
    public func add(to router: Router<HTTPContext>) {
        for path in Self.returns { router.get(RouterPath(path), use: comeBack) }
        for prefix in Self.prefixes {
            DonePage(settings: settings).add(to: router, prefix: prefix)
            router.get(RouterPath(prefix + "/{provider}")) { try await leave($0, $1, prefix: prefix) }
            router.post(RouterPath(prefix + "/{provider}"), use: exchange)
        }
    }

    // MARK: - Sign-in in a browser

    /// Redirects a browser to the authority, within the origin's limit on pending sign-ins.
    private func leave(_ request: Request, _ context: HTTPContext, prefix: String) async throws -> Response {
        guard FetchMetadata(request, scheme: settings.isSecure ? "https" : "http").opensPage else {
            throw HTTPProblem(
                .forbidden,
                code: "invalid_request",
                Text("tables.signIn.ownWindow")
            )
        }
        let completion = try Completion(try Self.query(request), prefix: prefix, settings)
        let origin = try origin(of: request)
        let provider = try Self.provider(context)
        let secrets = ProviderRequest.random()
        let cookie = Secret(RandomText.make(16))
        do {
            let (registration, asked) = try await registration(of: provider, origin: origin)
            let address = try await line.client.address(at: registration, secrets, for: asked)
            let signIn = PendingSignIns.SignIn(
                registration: registration,
                asked: asked,
                secrets: secrets,
                cookie: cookie,
                completion: completion
            )
            guard line.pending.add(signIn, of: OriginLevels(peerName: context.peerName), at: line.clock.now) else {
                throw HTTPProblem(
                    .tooManyRequests,
                    code: "temporarily_unavailable",
                    Text("tables.signIn.tooMany")
                )
            }
            let cookies = SignInCookie(isSecure: settings.isSecure)
            return Self.seeOther(address, cookies: [cookies.setting(cookie, state: secrets.state)])
        } catch let error as ProviderError {
            return end(completion, .error(Self.failed(error, context)))
        } catch let error as RemoteKeysError {
            context.logger.warning("the authority is not available", metadata: ["error": "\(error)"])
            return end(completion, .error(Self.unavailable))
        }
    }

    /// Completes a sign-in, once and only in the browser that started it, when the authority redirects it back.
    @Sendable private func comeBack(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let query = try Self.query(request)
        guard query.repeated.isEmpty else { throw Completion.refusal(Text("tables.signIn.repeated")) }
        let cookies = SignInCookie(isSecure: settings.isSecure)
        guard let state = query["state"], state.utf8.count <= 64,
            let signIn = line.pending.take(state, cookies: cookies.values(state, in: request), at: line.clock.now)
        else {
            throw Completion.refusal(Text("tables.signIn.notBegun"))
        }
        let answer = ProviderAnswer(code: query["code"].map { Secret($0) }, issuer: query["iss"], error: query["error"])
        let outcome = await outcome(of: signIn, answer, context)
        return end(signIn.completion, outcome, cookies: [cookies.removing(state)])
    }

    /// Redirects a browser to the page on which its sign-in ends.
    ///
    /// If that page can send the result to another page, a cookie proves that the browser comes from a sign-in.
    private func end(_ completion: Completion, _ outcome: SignInOutcome, cookies: [String] = []) -> Response {
        guard completion.page != nil else { return Self.seeOther(completion.address(outcome), cookies: cookies) }
        let id = RandomText.make(16)
        let cookie = SignInCookie(isSecure: settings.isSecure, stage: .ending).setting(Secret(id), state: id)
        return Self.seeOther(completion.address(outcome, id: id), cookies: cookies + [cookie])
    }

    private func outcome(
        of signIn: PendingSignIns.SignIn,
        _ answer: ProviderAnswer,
        _ context: HTTPContext
    ) async -> SignInOutcome {
        do throws(ProviderError) {
            let tokens = try await line.client.tokens(
                at: signIn.registration,
                signIn.secrets,
                answer,
                for: signIn.asked
            )
            return await outcome(of: tokens, context)
        } catch {
            return .error(Self.failed(error, context))
        }
    }

    /// Returns the token as the outcome if this API accepts it, otherwise an error message.
    private func outcome(of tokens: OutsideTokens, _ context: HTTPContext) async -> SignInOutcome {
        do {
            if let user = try await identify(tokens.accessToken, context) {
                line.pending.succeeded(at: OriginLevels(peerName: context.peerName), line.clock.now)
                return .token(tokens.accessToken, user: user)
            }
        } catch {
            context.logger.warning("this API does not accept the authority's token", metadata: ["error": "\(error)"])
        }
        return .error(Text("tables.signIn.notAccepted"))
    }

    // MARK: - Token exchange

    /// Exchanges an identity provider's token for a token from the authority.
    @Sendable private func exchange(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let query = try Self.query(request)
        _ = try Completion(query, prefix: "", settings)
        let provider = try Self.provider(context)
        let brought = try await Self.brought(request, context)
        // Without a secret, the authority would reject every token exchange (RFC 8693 §2.1).
        guard settings.secret != nil else {
            throw HTTPProblem(
                .badRequest,
                code: "unauthorized_client",
                Text("tables.signIn.noSecret")
            )
        }
        let tokens: OutsideTokens
        do {
            let (registration, asked) = try await registration(of: provider, origin: nil)
            tokens = try await line.client.exchanged(at: registration, brought, of: provider, for: asked)
        } catch let error as ProviderError {
            let text = Self.failed(error, context)
            switch error.code {
            case .denied, .invalidGrant:
                throw HTTPProblem(.unauthorized, code: "invalid_grant", text)
            case .unavailable, .protocolViolation:
                throw HTTPProblem(.serviceUnavailable, code: "temporarily_unavailable", text)
            }
        } catch let error as RemoteKeysError {
            context.logger.warning("the authority is not available", metadata: ["error": "\(error)"])
            throw HTTPProblem(.serviceUnavailable, code: "temporarily_unavailable", Self.unavailable)
        }
        switch await outcome(of: tokens, context) {
        case .token(let token, let user):
            return Response(
                status: .ok,
                headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
                body: .init(byteBuffer: ByteBuffer(bytes: SignInOutcome.body(token, user: user).bytes))
            )
        case .error(let text): throw HTTPProblem(.badGateway, code: "server_error", text)
        }
    }

    private static func brought(_ request: Request, _ context: HTTPContext) async throws -> BroughtToken {
        guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") ?? false else {
            throw HTTPProblem(.unsupportedMediaType, code: "invalid_request", Text("tables.bodyNotJSON"))
        }
        let body = try await request.body.collect(upTo: longestBody)
        var members = (try? StrictJSON.parse(Array(body.readableBytesView)))?.object ?? [:]
        // Google's clients also send an authorization code, which this server does not redeem.
        members["authorization_code"] = nil
        let tokens = members.compactMapValues(\.string).mapValues { Secret($0) }
        guard tokens.count == members.count, let token = try? BroughtToken(tokens) else {
            throw Completion.refusal(Text("tables.signIn.oneToken"))
        }
        return token
    }

    private static let longestBody = 64 * 1024

    // MARK: - Authority

    /// Returns this API's client registration at the provider's issuer, and the tokens to request.
    private func registration(
        of provider: String,
        origin: String?
    ) async throws -> (ProviderRegistration, OutsideDemand) {
        guard let issuer = try await issuers.issuer(of: provider) else {
            throw HTTPProblem(.notFound, code: "not_found", Text("tables.signIn.unknownProvider"))
        }
        let named = try await scopes.scopes(of: issuer) ?? []
        // An authority for several APIs puts the API's name before each scope, for example `tasks/tasks.read`.
        let granted = Set(named.compactMap { $0.split(separator: "/").last.map(String.init) })
        let asked = named.isEmpty ? settings.scopes : settings.scopes.filter(granted.contains)
        let registration = ProviderRegistration(
            name: "the authority",
            issuer: issuer,
            clientID: settings.client,
            redirectURI: (origin ?? "") + Self.returns[0],
            secret: settings.secret,
            parameters: ["domain_hint": provider]
        )
        return (registration, OutsideDemand(scopes: asked, isLasting: false))
    }

    /// Logs the details of an error from the authority, and returns a message for the user.
    private static func failed(_ error: ProviderError, _ context: HTTPContext) -> Text {
        switch error.code {
        case .denied, .invalidGrant:
            context.logger.info("the sign-in failed", metadata: ["error": "\(error)"])
            return Text("tables.signIn.refused")
        case .unavailable, .protocolViolation:
            context.logger.warning("the authority failed", metadata: ["error": "\(error)"])
            return error.said?.text ?? unavailable
        }
    }

    private static let unavailable = Text("tables.signIn.unavailable")

    // MARK: - Requests

    private static func query(_ request: Request) throws -> Form {
        do { return try Form(request.uri.query ?? "") } catch {
            throw Completion.refusal(Text("tables.signIn.notReadable"))
        }
    }

    private static func provider(_ context: HTTPContext) throws(HTTPProblem) -> String {
        ProviderName.usual(try context.segment("provider"))
    }

    /// Returns which of this API's origins the request was sent to.
    ///
    /// - Throws: `HTTPProblem` 400 for an origin that is not configured. A redirect must never use a host name that
    ///   comes only from the request.
    private func origin(of request: Request) throws(HTTPProblem) -> String {
        let host = (request.head.authority ?? "").lowercased()
        let origin = "\(settings.isSecure ? "https" : "http")://\(host)"
        let name = URLComponents(string: origin)?.host ?? ""
        let isOwn =
            settings.origins.isEmpty
            ? Loopback.contains(host: name) && OutsideURL.isOrigin(origin) : settings.origins.contains(origin)
        guard isOwn else {
            throw Completion.refusal(Text("tables.signIn.foreignOrigin"))
        }
        return origin
    }

    private static func seeOther(_ address: String, cookies: [String]) -> Response {
        var headers: HTTPFields = [.location: address, .cacheControl: "no-store"]
        headers[values: .setCookie] = cookies
        return Response(status: .seeOther, headers: headers)
    }
}
