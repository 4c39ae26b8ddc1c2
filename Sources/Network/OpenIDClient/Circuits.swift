import Moments

/// The owner of the grant that a call uses.
///
/// A provider can limit the calls for each grant separately.
enum GrantHolder {
    /// The user that the call is made for, who owns the code, the refresh token or the token to exchange.
    case caller
    /// The local client itself, whose grant all users share (client credentials, RFC 6749 §4.4).
    case service
}

/// The circuit breakers, one for each provider and one for each user of a provider.
struct Circuits: Sendable {
    struct Call: Sendable {
        let provider: String
        /// The key of the user's circuit, or `nil` if all users share the grant or there is no local user.
        let own: String?
        let name: String
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

    init(most: Int) {
        self.most = most
    }

    var count: Int { circuits.count }

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

    mutating func withdraw(_ call: Call, at now: Moment) {
        circuits[call.provider]?.withdraw(for: call.caller, at: now)
        guard let own = call.own else { return }
        circuits[own]?.withdraw(at: now)
        if circuits[own]?.isQuiet == true { circuits[own] = nil }
    }

    /// Records the end of a call, with the error in `failure` only if the provider was unavailable.
    mutating func end(_ call: Call, _ failure: ProviderError?, at now: Moment) {
        let isOwn = call.own != nil && failure?.isOfTooMany == true
        let (mine, all): (ProviderError?, ProviderError?) = isOwn ? (failure, nil) : (nil, failure)
        circuits[call.provider, default: Circuit()]
            .end(isAvailable: all == nil, pause: all?.retryAfter, for: call.caller, at: now)
        guard let own = call.own else { return }
        circuits[own, default: Circuit()].end(isAvailable: mine == nil, pause: mine?.retryAfter, at: now)
        if circuits[own]?.isQuiet == true { circuits[own] = nil }
    }

    /// If there are too many circuits, drops those without a running call, so that failing servers do not block others.
    private mutating func makeRoom(for name: String, at now: Moment) throws(ProviderError) {
        guard circuits[name] == nil, circuits.count >= most else { return }
        circuits = circuits.filter { !$0.value.isIdle(at: now) }
        if circuits.count >= most { circuits = circuits.filter(\.value.isCalling) }
        guard circuits.count < most else {
            throw ProviderError(.unavailable, "too many external servers are being called")
        }
    }
}
