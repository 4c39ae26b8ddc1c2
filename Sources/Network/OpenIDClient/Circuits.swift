import Moments

/// Who owns the grant that a call uses.
///
/// Providers can apply rate limits to each grant separately.
enum GrantHolder {
    /// The user that the call is made for: a code, a refresh token or a token to exchange.
    case caller
    /// The local client itself: its grant is shared by all users (client credentials, RFC 6749 §4.4).
    case service
}

/// The circuits of providers, and of individual users at a provider.
struct Circuits: Sendable {
    /// The circuits that apply to a call.
    struct Call: Sendable {
        /// The key of the provider's circuit.
        let provider: String
        /// The key of the user's own circuit at the provider, or `nil` if all users share the grant or the call is not
        /// made for a local user.
        let own: String?
        /// The provider's name for messages.
        let name: String
        /// The local user that the call is made for, or `nil` for none.
        let caller: UInt32?

        init(_ registration: ProviderRegistration, of holder: GrantHolder) {
            let provider = registration.memory(registration.issuer)
            self.provider = provider
            name = registration.name
            caller = registration.caller
            own =
                switch holder {
                case .caller: registration.caller.map { "\(provider) for \($0)" }
                case .service: nil
                }
        }
    }

    private let most: Int
    private var circuits: [String: Circuit] = [:]

    /// Creates an empty collection of at most `most` circuits.
    init(most: Int) {
        self.most = most
    }

    /// The number of stored circuits.
    var count: Int { circuits.count }

    /// Admits a call.
    mutating func begin(_ call: Call, at now: Moment) throws(ProviderError) {
        try makeRoom(for: call.provider, at: now)
        guard let own = call.own else {
            return try circuits[call.provider, default: Circuit()].begin(call.name, for: call.caller, at: now)
        }
        try makeRoom(for: own, at: now)
        try circuits[own, default: Circuit()].begin(call.name, at: now)
        do throws(ProviderError) {
            try circuits[call.provider, default: Circuit()].begin(call.name, for: call.caller, at: now)
        } catch {
            circuits[own]?.withdraw(at: now)
            throw error
        }
    }

    /// Records that an admitted call was not made.
    mutating func withdraw(_ call: Call, at now: Moment) {
        circuits[call.provider]?.withdraw(for: call.caller, at: now)
        guard let own = call.own else { return }
        circuits[own]?.withdraw(at: now)
        if circuits[own]?.isQuiet == true { circuits[own] = nil }
    }

    /// Records the end of a call.
    ///
    /// `failure` is `nil` unless the provider was unavailable.
    mutating func end(_ call: Call, _ failure: ProviderError?, at now: Moment) {
        let isOwn = call.own != nil && failure?.isOfTooMany == true
        let (mine, all): (ProviderError?, ProviderError?) = isOwn ? (failure, nil) : (nil, failure)
        circuits[call.provider, default: Circuit()]
            .end(isAvailable: all == nil, pause: all?.retryAfter, for: call.caller, at: now)
        guard let own = call.own else { return }
        circuits[own, default: Circuit()].end(isAvailable: mine == nil, pause: mine?.retryAfter, at: now)
        if circuits[own]?.isQuiet == true { circuits[own] = nil }
    }

    /// Drops idle circuits if the collection is full.
    ///
    /// The circuits of failing servers must not prevent calls to other servers.
    private mutating func makeRoom(for name: String, at now: Moment) throws(ProviderError) {
        guard circuits[name] == nil, circuits.count >= most else { return }
        circuits = circuits.filter { !$0.value.isIdle(at: now) }
        if circuits.count >= most { circuits = circuits.filter(\.value.isCalling) }
        guard circuits.count < most else {
            throw ProviderError(.unavailable, "too many external servers are being called")
        }
    }
}
