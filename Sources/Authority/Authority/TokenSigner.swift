import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import Tokens

struct TokenSigner {
    private let basis: GrantDecision
    private let user: UserRecord
    private let context: GrantContext
    private let accessKey: SigningKey
    private let idKey: SigningKey

    /// Finds the keys before the grant is recorded, so that the tokens for a recorded grant can always be signed.
    init(basis: GrantDecision, user: UserRecord, context: GrantContext) throws(Refusal) {
        let ring = context.snapshot.ring
        guard let accessKey = ring.signer(basis.client.accessTokenAlgorithm),
            let idKey = ring.signer(basis.client.idTokenAlgorithm)
        else {
            throw Refusal(.storageFailed, Text("refusal.noSigningKey")).because("no active signing key")
        }
        self.basis = basis
        self.user = user
        self.context = context
        self.accessKey = accessKey
        self.idKey = idKey
    }

    func tokens(_ family: FamilyRow) throws -> IssuedTokens {
        let expires = accessTokenEnd
        let common = commonClaims
        let accessToken = try sign(
            .accessToken,
            accessTokenClaims(until: expires, family: family.id) + common,
            with: accessKey
        )
        let idToken =
            idTokenClaims(accessToken, session: family.sessionID) + common
            + UserClaims.profile(of: user, scopes: basis.request.spelledScopes, beside: common)
        guard let counter = UInt64(exactly: family.counter),
            let refreshToken = RefreshToken(family: family.id, counter: counter, secret: family.secret)
        else {
            throw Refusal(.storageFailed, Text("refusal.grantNotRead")).because("family \(family.id) is malformed")
        }
        return IssuedTokens(
            accessToken: accessToken,
            expires: expires,
            scopes: basis.request.scopes,
            audience: basis.request.audience,
            acr: acr,
            amr: basis.authentication.amr,
            authTime: basis.authentication.authTime,
            claims: .object(Dictionary(idToken) { first, _ in first }),
            idToken: try sign(.jwt, idToken, with: idKey),
            refreshToken: refreshToken.text,
            refreshExpires: family.expires,
            family: family.id,
            user: NamedUser(user),
            preferredUsername: common.first { $0.0 == UserClaims.preferredUsername }?.1.string
                ?? UserClaims.name(of: user),
            policy: basis.policy.id,
            client: basis.client.id,
            issuer: issuer
        )
    }

    private func sign(
        _ type: TokenType,
        _ claims: [(String, JSONValue)],
        with key: SigningKey
    ) throws(Refusal) -> Secret {
        do {
            return try TokenMinter.mint(typ: type, claims: claims, with: key)
        } catch {
            throw Refusal(.storageFailed, Text("refusal.tokenNotSigned")).because("\(error)")
        }
    }

    private var issuer: String { context.settings.issuer(of: basis.policy.id) }

    /// The highest requested context that the authentication satisfies, or else the highest that it satisfies at all.
    private var acr: String {
        let proofs = basis.authentication.proofs
        let asked = proofs.filter { basis.request.acrValues.contains($0.acr) }
        return Authentication(user: user.id, proofs: asked.isEmpty ? proofs : asked).acr
    }

    /// When the access token expires, in whole seconds because `exp` has no fraction.
    private var accessTokenEnd: Deadline {
        let rule = ProofRule(policy: basis.policy, catalogue: context.catalogue, client: basis.client.id)
        let bound = rule.bound(
            scopes: basis.request.scopes,
            api: basis.request.api,
            proofs: basis.authentication.proofs,
            at: context.now
        )
        let lifetime = min(basis.policy.tokens.accessToken, bound ?? basis.policy.tokens.accessToken)
        let seconds = max(1, lifetime.milliseconds / 1000)
        return Deadline(.milliseconds((context.now.seconds + seconds) * 1000 - context.now.wall), after: context.now)
    }

    /// Returns the claims of access tokens only (RFC 9068 §2.2), including those that only Azure AD B2C defines.
    private func accessTokenClaims(until expires: Deadline, family: String) -> [(String, JSONValue)] {
        let scopes = JSONValue.string(basis.request.scopes.joined(separator: " "))
        let named: [(String, JSONValue)] = basis.request.scopes.isEmpty ? [] : [("scope", scopes), ("scp", scopes)]
        return [
            ("iss", .string(issuer)),
            ("sub", .string(user.id.oid)),
            ("oid", .string(user.id.oid)),
            ("aud", basis.request.audienceClaim),
            ("client_id", .string(basis.client.id)),
            ("azp", .string(basis.client.id)),
            ("iat", .int(context.now.seconds)),
            ("nbf", .int(context.now.seconds)),
            ("exp", .int(expires.wall / 1000)),
            ("jti", .string(TokenID.random(family: family))),
        ] + named
    }

    /// Returns the claims that are specific to an ID token (OpenID Connect Core §2).
    private func idTokenClaims(_ accessToken: Secret, session: String?) -> [(String, JSONValue)] {
        let own: [(String, JSONValue)] = [
            ("iss", .string(issuer)),
            ("sub", .string(user.id.oid)),
            ("oid", .string(user.id.oid)),
            ("aud", .string(basis.client.id)),
            ("azp", .string(basis.client.id)),
            ("iat", .int(context.now.seconds)),
            ("nbf", .int(context.now.seconds)),
            ("exp", .int(context.now.seconds + basis.policy.tokens.idToken.milliseconds / 1000)),
            ("jti", .string(CorrelationID.random().description)),
            ("at_hash", .string(idKey.alg.halfHash(of: accessToken))),
        ]
        let nonce: [(String, JSONValue)] = basis.nonce.map { [("nonce", .string($0))] } ?? []
        return own + nonce + sessionClaim(session)
    }

    /// Returns `sid` if the client gets a logout token at the end of the session (OpenID Connect Back-Channel Logout
    /// §2.1).
    private func sessionClaim(_ session: String?) -> [(String, JSONValue)] {
        guard basis.tellsClientOfSignOut, let session else { return [] }
        return [("sid", .string(SessionClaim.sid(of: session, client: basis.client.id)))]
    }

    private var commonClaims: [(String, JSONValue)] {
        let common: [(String, JSONValue)] = [
            ("tfp", .string(basis.policy.id.description)),
            ("acr", .string(acr)),
            ("amr", .array(basis.authentication.amr.map { .string($0) })),
            ("ver", "1.0"),
        ]
        // `auth_time` is omitted if the external provider supplied no time. A client can require `auth_time` by sending
        // `max_age` (OpenID Connect Core §3.1.2.1).
        let seconds = basis.authentication.authTime / 1000
        let authTime: [(String, JSONValue)] = seconds > 0 ? [("auth_time", .int(seconds))] : []
        // Only operators can set a user's groups (RFC 9068 §2.2.3.1).
        let groups: [(String, JSONValue)] =
            user.groups.isEmpty ? [] : [("groups", .array(user.groups.map { .string($0) }))]
        return common + authTime + groups
            + UserClaims.claims(of: user, policy: basis.policy, authentication: basis.authentication)
    }
}
