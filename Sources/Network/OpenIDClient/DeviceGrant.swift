public import Moments
import OAuth

/// A device authorization (RFC 8628 §3.2): a person types the code in the browser of another device.
public struct DeviceGrant: Hashable, Sendable {
    /// The code to type.
    public let userCode: String
    /// The address of the page where it is typed.
    public let page: String
    /// The address of that page with the code filled in, if the authority has one.
    public let completePage: String?
    /// The end of its life.
    public let expires: Deadline
    /// The pause between two questions for the tokens.
    public internal(set) var interval: Duration
    /// The name of this grant at the token endpoint.
    let deviceCode: Secret

    /// The longest life that is believed, in seconds.
    private static let longestLife: Int64 = 1_800
    /// The pause where the answer names none (RFC 8628 §3.2), and the longest that is believed, in seconds.
    private static let (usualPause, longestPause): (Int64, Int64) = (5, 60)
    /// The addition to the pause for whoever asks too often (RFC 8628 §3.5).
    private static let slower: Duration = .seconds(5)
    /// The longest code to type, and the longest one to ask with, in bytes.
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
            throw TokenEndpointAnswer.error(of: answer, "\(name) gives no device code")
        }
        guard let json = answer.json, let userCode = json["user_code"]?.string,
            isWritten(userCode, most: Self.longestUserCode), let deviceCode = json["device_code"]?.string,
            isWritten(deviceCode, most: Self.longestDeviceCode),
            let page = json["verification_uri"]?.string ?? json["verification_url"]?.string,
            let life = json["expires_in"]?.int, life > 0
        else { throw ProviderError(.protocolViolation, "\(name) answered without a device code") }
        let completePage = json["verification_uri_complete"]?.string
        for address in [page, completePage].compactMap({ $0 }) {
            if let refusal = OutsideURL.refusal(address) {
                throw ProviderError(.protocolViolation, "the page of \(name) for device codes \(refusal)")
            }
        }
        self.userCode = userCode
        self.page = page
        self.completePage = completePage
        self.deviceCode = Secret(deviceCode)
        expires = Deadline(.seconds(min(life, Self.longestLife)), after: now)
        interval = .seconds(min(max(json["interval"]?.int ?? Self.usualPause, 1), Self.longestPause))
    }

    /// Asks more seldom from now on.
    public mutating func slowDown() { interval += Self.slower }
}

/// The state of a device authorization.
public enum DeviceAnswer: Sendable {
    /// The person has agreed.
    case tokens(OutsideTokens)
    /// The person has not answered yet.
    case pending
    /// The same, and it was asked too often.
    case slowDown
    /// Its time has ended.
    case expired
}

extension OpenIDClient {
    /// Begins a device authorization.
    ///
    /// - Parameters:
    ///   - registration: The authority.
    ///   - asked: The tokens that it is for.
    /// - Returns: The codes; nil if the authority has no endpoint for it.
    /// - Throws: ``ProviderError``.
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

    /// Asks for the tokens of a device authorization (RFC 8628 §3.4).
    ///
    /// - Parameters:
    ///   - grant: The device authorization.
    ///   - registration: The authority.
    ///   - asked: The tokens that it is for.
    /// - Returns: The tokens, with the claims of the person, or the reason to ask again.
    /// - Throws: ``ProviderError``; `denied` if the person has refused.
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
                // Nothing that was sent could come back as a nonce.
                let issued = try await self.tokens(
                    tokens,
                    registration,
                    metadata,
                    nonce: .before(nil),
                    asked,
                    at: now
                )
                guard issued.claims != nil else {
                    throw ProviderError(.protocolViolation, "\(registration.name) answered without an ID token")
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
