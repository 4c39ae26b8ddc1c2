import Moments

/// The grants that a call is about, of which each may be asked for too often.
enum GrantHolder {
    /// That of the user for whom the call is made: their code, their refresh token, or their token to be exchanged.
    case caller
    /// Our own, which all users share: a service proves who it is, and nobody else (RFC 6749 §4.4).
    case service
}

/// The circuits of providers, and of the users whose grants are asked for there.
struct Circuits: Sendable {
    /// The circuits under which a call runs.
    struct Call: Sendable {
        /// The name of the provider's circuit.
        let provider: String
        /// The name of the user's own circuit there; nil if all users share the grant, or the call is for no user of the machine.
        let own: String?
        /// The name of the provider for messages.
        let name: String
        /// The user of the machine for whom the call is made.
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

    /// No circuits yet, of which there will be at most `most`.
    init(most: Int) {
        self.most = most
    }

    /// The number of circuits that are remembered.
    var count: Int { circuits.count }

    /// Lets a call begin.
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

    /// Notes that a call was not made after all.
    mutating func withdraw(_ call: Call, at now: Moment) {
        circuits[call.provider]?.withdraw(for: call.caller, at: now)
        guard let own = call.own else { return }
        circuits[own]?.withdraw(at: now)
        if circuits[own]?.isQuiet == true { circuits[own] = nil }
    }

    /// Notes the end of a call; `failure` is nil unless the provider was unavailable.
    mutating func end(_ call: Call, _ failure: ProviderError?, at now: Moment) {
        let isOwn = call.own != nil && failure?.isOfTooMany == true
        let (mine, all): (ProviderError?, ProviderError?) = isOwn ? (failure, nil) : (nil, failure)
        circuits[call.provider, default: Circuit()]
            .end(isAvailable: all == nil, pause: all?.retryAfter, for: call.caller, at: now)
        guard let own = call.own else { return }
        circuits[own, default: Circuit()].end(isAvailable: mine == nil, pause: mine?.retryAfter, at: now)
        if circuits[own]?.isQuiet == true { circuits[own] = nil }
    }

    /// Forgets circuits, if a new one would be one too many; those of servers that fail must not keep others out.
    private mutating func makeRoom(for name: String, at now: Moment) throws(ProviderError) {
        guard circuits[name] == nil, circuits.count >= most else { return }
        circuits = circuits.filter { !$0.value.isIdle(at: now) }
        if circuits.count >= most { circuits = circuits.filter(\.value.isCalling) }
        guard circuits.count < most else {
            throw ProviderError(.unavailable, "too many servers outside are being called")
        }
    }
}
