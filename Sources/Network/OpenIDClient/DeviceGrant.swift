public import Moments
import OAuth

/// A device authorization, for which the user enters a code in a browser on another device (RFC 8628 §3.2).
public struct DeviceGrant: Hashable, Sendable {
    /// The code for the user to enter (`user_code`).
    public let userCode: String
    /// The address of the page where the user enters the code.
    public let page: String
    /// The address of a page with the code already filled in, or `nil` if the authority has no such page.
    public let completePage: String?
    /// When the user code and the device code expire.
    public let expires: Deadline
    /// How long to wait between polls for the tokens.
    public internal(set) var interval: Duration
    let deviceCode: Secret

    /// The maximum lifetime of the codes, in seconds.
    private static let longestLife: Int64 = 1_800
    /// The default (RFC 8628 §3.2) and the maximum polling interval, in seconds.
    private static let (usualPause, longestPause): (Int64, Int64) = (5, 60)
    /// The increase of the polling interval after `slow_down` (RFC 8628 §3.5).
    private static let slower: Duration = .seconds(5)
    /// The maximum lengths of the user code and the device code, in bytes.
    private static let (longestUserCode, longestDeviceCode) = (64, 4_096)

    init(
        _ answer: OutsideHTTP.Answer,
        of registration: ProviderRegistration,
        at now: Moment
    ) throws(ProviderError) {
        let name = registration.name
        func isWritten(_ text: String, most: Int) -> Bool {
            (1...most).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }
        guard answer.status == 200 else {
            throw TokenEndpointAnswer.error(of: answer, "\(name) did not issue a device code")
        }
        guard let json = answer.json, let userCode = json["user_code"]?.string,
            isWritten(userCode, most: Self.longestUserCode), let deviceCode = json["device_code"]?.string,
            isWritten(deviceCode, most: Self.longestDeviceCode),
            let page = json["verification_uri"]?.string ?? json["verification_url"]?.string,
            let life = json["expires_in"]?.int, life > 0
        else { throw ProviderError(.protocolViolation, "\(name) returned no device code") }
        let completePage = json["verification_uri_complete"]?.string
        for address in [page, completePage].compactMap({ $0 }) {
            if let refusal = OutsideURL.refusal(address) {
                throw ProviderError(.protocolViolation, "the device code page of \(name) \(refusal)")
            }
        }
        self.userCode = userCode
        self.page = page
        self.completePage = completePage
        self.deviceCode = Secret(deviceCode)
        expires = Deadline(.seconds(min(life, Self.longestLife)), after: now)
        interval = .seconds(min(max(json["interval"]?.int ?? Self.usualPause, 1), Self.longestPause))
    }

    /// Increases the polling interval after `slow_down`.
    public mutating func slowDown() { interval += Self.slower }
}

/// The state of a device authorization.
public enum DeviceAnswer: Sendable {
    /// The user has approved the request.
    case tokens(OutsideTokens)
    /// The user has not decided yet.
    case pending
    /// The user has not decided yet, and the client must poll more slowly.
    case slowDown
    /// The codes have expired.
    case expired
}

extension OpenIDClient {
    /// Starts a device authorization, or returns `nil` if the authority has no device authorization endpoint.
    public func deviceGrant(
        at registration: ProviderRegistration,
        for asked: OutsideDemand
    ) async throws(ProviderError) -> DeviceGrant? {
        let now = clock.now
        return try await calling(registration) { () async throws(ProviderError) in
            let metadata = try await self.documents.metadata(of: registration)
            guard let endpoint = metadata.deviceAuthorization else { return nil }
            let form = [(name: "scope", value: asked.scopes(offeredBy: metadata).joined(separator: " "))] + asked.fields
            return try DeviceGrant(
                try await self.post(form, to: endpoint, registration, metadata),
                of: registration,
                at: now
            )
        }
    }

    /// Polls for the tokens of a device authorization and for the claims about the user (RFC 8628 §3.4).
    ///
    /// - Throws: ``ProviderError``, with code `denied` if the user has denied the request.
    public func answer(
        to grant: DeviceGrant,
        at registration: ProviderRegistration,
        for asked: OutsideDemand
    ) async throws(ProviderError) -> DeviceAnswer {
        let now = clock.now
        return try await calling(registration) { () async throws(ProviderError) in
            let metadata = try await self.documents.metadata(of: registration)
            let form = [
                (name: "grant_type", value: GrantType.deviceCode.wireName),
                ("device_code", grant.deviceCode.reveal()),
            ]
            let answer = try await self.post(form, to: metadata.token, registration, metadata)
            guard answer.status != 200 else {
                let tokens = try TokenEndpointAnswer(answer, of: registration)
                // A device authorization request contains no nonce, so any nonce in the ID token is allowed.
                let issued = try await self.tokens(
                    tokens,
                    registration,
                    metadata,
                    nonce: .before(nil),
                    asked,
                    at: now
                )
                guard issued.claims != nil else {
                    throw ProviderError(.protocolViolation, "\(registration.name) returned no ID token")
                }
                return .tokens(issued)
            }
            switch TokenEndpointAnswer.word(of: answer) {
            case "authorization_pending": return .pending
            case "slow_down": return .slowDown
            case "expired_token": return .expired
            default:
                throw TokenEndpointAnswer.error(
                    of: answer,
                    "\(registration.name) does not redeem the device code",
                    denied: ["access_denied", "invalid_grant"]
                )
            }
        }
    }
}
